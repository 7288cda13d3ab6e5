import Beacons
import Testing

@Suite("Address types")
struct AddressTypeTests {
    @Test(
        arguments: [
            ("C0:00:00:00:00:01", .randomStatic), ("FF:00:00:00:00:01", .randomStatic),
            ("40:00:00:00:00:01", .resolvable), ("7F:00:00:00:00:01", .resolvable),
            ("00:00:00:00:00:01", .nonResolvable), ("3F:00:00:00:00:01", .nonResolvable),
            ("80:00:00:00:00:01", .reserved), ("BF:00:00:00:00:01", .reserved),
        ] as [(String, DeviceAddress.AddressType)])
    func `the two upper bits of a random address define its type`(text: String, type: DeviceAddress.AddressType) {
        #expect(DeviceAddress(text, kind: .random)?.type == type)
        #expect(DeviceAddress(text, kind: .public)?.type == .public)
    }

    @Test func `an anonymous advertisement has no address`() {
        #expect(DeviceAddress(bits: 0, kind: .anonymous).type == .anonymous)
    }
}

import Beacons
import Glibc
import Testing

@testable import BlueZ

@Suite("The key of a device that was paired")
struct PairedDeviceTests {
    private static let key = [UInt8](1...16)
    /// New Identity Resolving Key of hci1, from a phone with a public address, as the kernel sends it.
    private static let event: [UInt8] =
        [
            0x18, 0x00,  // New Identity Resolving Key
            0x01, 0x00,  // hci1
            0x1E, 0x00,  // 30 bytes follow
            0x01,  // store the key
            0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70,  // the resolvable address, its last byte first
            0x51, 0x44, 0x33, 0x22, 0x11, 0xC0,  // the permanent address
            0x01,  // LE public
        ] + key

    private func device(_ packet: [UInt8], adapter: UInt16 = 1) -> PairedDevice? {
        PairedDevice(packet.span.bytes, adapter: adapter)
    }

    @Test func `is read with the permanent address`() throws {
        let read = device(Self.event)
        let device = try #require(read)
        #expect(device.key == Self.key)
        #expect(device.address == DeviceAddress("C0:11:22:33:44:51", kind: .public))
        var random = Self.event
        random[19] = 2
        #expect(self.device(random)?.address.kind == .random)
    }

    @Test func `is none of another event, of another adapter, and of a packet that is cut anywhere`() {
        for length in Self.event.indices { #expect(device(Array(Self.event[..<length])) == nil) }
        var other = Self.event
        other[0] = 0x0B
        #expect(device(other) == nil && device(Self.event, adapter: 0) == nil)
        var short = Self.event
        short[4] = 29
        #expect(device(short) == nil)
    }

    @Test func `is in no description`() {
        #expect(device(Self.event)?.description == "C0:11:22:33:44:51")
    }

    @Test func `is received behind other events, twice`() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let listener = PairingListener(adapter: 1, owning: ends[0])
        for _ in 0..<2 {
            #expect(try listener.next() == nil)
            for packet in [[0x04, 0, 1, 0, 0, 0], Self.event, [0x04, 0, 1, 0, 0, 0]] {
                #expect(write(ends[1], packet, packet.count) == packet.count)
            }
            #expect(try listener.next() == device(Self.event))
        }
    }
}

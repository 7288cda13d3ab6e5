import Beacons
import HCI
import Testing

@Suite("Written event packets")
struct HCIPacketTests {
    let sender = address("2B:1E:8A:A5:B8:32")

    @Test func `a written report has the bytes of a real controller's report`() {
        let frame = BeaconFrame(
            format: .iBeacon,
            identity: BeaconIdentity(
                uuid: BeaconUUID("daf246ce-8363-11e4-b116-123b93f75cba")!, major: 0, minor: 1),
            measuredPower: MeasuredPower(dBm: -62))
        let packet = HCIPacket.advertisingReport(
            address: sender, rssi: RSSI(dBm: -60), data: frame.advertisingData)
        #expect(
            packet == [
                0x04, 0x3E, 0x2A,  // event, Low Energy, 42 bytes
                0x02, 0x01,  // LE Advertising Report, one
                0x03, 0x01, 0x32, 0xB8, 0xA5, 0x8A, 0x1E, 0x2B,  // not connectable, random, from its end
                0x1E,  // 30 bytes of data
                0x02, 0x01, 0x06,  // flags
                0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15,  // manufacturer data, Apple, iBeacon
                0xDA, 0xF2, 0x46, 0xCE, 0x83, 0x63, 0x11, 0xE4, 0xB1, 0x16, 0x12, 0x3B, 0x93, 0xF7, 0x5C, 0xBA,
                0x00, 0x00, 0x00, 0x01, 0xC2,  // major, minor, -62 dBm at 1 m
                0xC4,  // -60 dBm
            ])
    }

    @Test func `several written reports are read back`() {
        let reports = (0..<6).map { index in
            HCIPacket.Report(
                address: DeviceAddress(bits: UInt64(index) << 40, kind: index % 2 == 0 ? .public : .random),
                rssi: index == 3 ? nil : RSSI(dBm: Int8(-50 - index)), data: [UInt8](repeating: 7, count: 31 - index))
        }
        var decoder = AdvertisementDecoder()
        #expect(
            decoder.received(in: HCIPacket.advertisingReports(reports))
                == reports.map { Received(address: $0.address, dBm: $0.rssi?.dBm, data: $0.data) })
    }

    @Test(arguments: [0, 31, 32, 229, 230, 458, 459, 1650])
    func `a written advertisement of any length is read back`(length: Int) {
        let data = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let advertisement = Advertisement(address: sender, rssi: nil, at: .zero)
        let packets = HCIPacket.packets(of: advertisement, data.span.bytes)
        #expect(packets.count == (length <= 229 ? 1 : (length + 228) / 229))
        #expect(packets[0][3] == (length <= 31 ? 0x02 : 0x0D))
        var decoder = AdvertisementDecoder()
        #expect(packets.flatMap { decoder.received(in: $0) } == [Received(address: sender, dBm: nil, data: data)])
    }

    @Test func `an anonymous advertisement stays anonymous`() {
        let nobody = DeviceAddress(bits: 0, kind: .anonymous)
        let advertisement = Advertisement(address: nobody, rssi: RSSI(dBm: -70), at: .zero)
        var decoder = AdvertisementDecoder()
        let received = HCIPacket.packets(of: advertisement, ([1, 2] as [UInt8]).span.bytes).flatMap {
            decoder.received(in: $0)
        }
        #expect(received == [Received(address: nobody, dBm: -70, data: [1, 2])])
    }
}

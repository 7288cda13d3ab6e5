import Beacons
import Testing

@testable import Simulation

struct ReportPacketTests {
    @Test func `two reports in one packet are the bytes that a controller sends`() {
        var packet = ReportPacket()
        #expect(packet.isEmpty)
        packet.add(
            eventType: 3, address: DeviceAddress(bits: 0xC1_0203_0405_06, kind: .random), data: [0x02, 0x01, 0x06],
            rssi: RSSI(dBm: -70)!)
        packet.add(
            eventType: 0, address: DeviceAddress(bits: 0xB8_27EB_0000_01, kind: .public), data: [],
            rssi: RSSI(dBm: -1)!)
        #expect(
            packet.bytes == [
                0x04,  // H4: event
                0x3E,  // LE Meta
                0x19,  // 25 bytes follow
                0x02,  // LE Advertising Report
                0x02,  // two reports
                0x03,  // ADV_NONCONN_IND
                0x01,  // random
                0x06, 0x05, 0x04, 0x03, 0x02, 0xC1,  // C1:02:03:04:05:06
                0x03, 0x02, 0x01, 0x06,  // three bytes: flags
                0xBA,  // -70 dBm
                0x00,  // ADV_IND
                0x00,  // public
                0x01, 0x00, 0x00, 0xEB, 0x27, 0xB8,  // B8:27:EB:00:00:01
                0x00,  // no data
                0xFF,  // -1 dBm
            ])
        packet.clear()
        #expect(packet.bytes == [0x04, 0x3E, 0x02, 0x02, 0x00] && packet.isEmpty)
    }

    @Test func `six full reports fit, a seventh does not`() {
        var packet = ReportPacket()
        let data = [UInt8](repeating: 0, count: 31)
        for _ in 0..<6 {
            #expect(packet.fits(dataLength: 31))
            packet.add(eventType: 0, address: DeviceAddress(bits: 1, kind: .public), data: data, rssi: RSSI(dBm: -1)!)
        }
        #expect(packet.bytes[2] == 248)
        #expect(!packet.fits(dataLength: 0))
    }

    @Test func `a tag sends an iBeacon`() {
        var tag = House(seed: 1).tags[0]
        tag.beacon = BeaconIdentity(uuid: House.uuid, major: 258, minor: 772)
        tag.measuredPower = MeasuredPower(dBm: -59)
        #expect(
            tag.advertisingData == [
                0x02, 0x01, 0x06,  // flags: general discovery, no BR/EDR
                0x1A, 0xFF,  // 26 bytes of a maker's data
                0x4C, 0x00,  // Apple
                0x02, 0x15,  // iBeacon, 21 bytes
                0x66, 0x6F, 0x72, 0x67, 0x65, 0x74, 0x4D, 0x65, 0x8E, 0x6F, 0x74, 0x00, 0x00, 0x00, 0x00, 0x01,  // uuid
                0x01, 0x02,  // major 258
                0x03, 0x04,  // minor 772
                0xC5,  // -59 dBm at 1 m
            ])
    }

    @Test(arguments: House.Bystander.Kind.allCases)
    func `a bystander sends whole AD structures, and no iBeacon`(kind: House.Bystander.Kind) {
        let house = House.generated(rooms: 5, gateways: 1, tags: 12, seed: 1)
        let bystander = House.Bystander(kind: kind, seed: 1, transmitter: house.bystanders[0].transmitter)
        for minute in 0..<60 {
            let data = bystander.advertisingData(at: .zero + .seconds(Double(minute) * 60))
            #expect(data.count <= 31)
            var rest = data[...]
            while let length = rest.first {
                #expect(length > 0 && rest.count > Int(length))
                let structure = rest.prefix(Int(length) + 1).dropFirst()
                #expect(!structure.starts(with: [0xFF, 0x4C, 0x00, 0x02, 0x15]))
                rest = rest.dropFirst(Int(length) + 1)
            }
        }
    }
}

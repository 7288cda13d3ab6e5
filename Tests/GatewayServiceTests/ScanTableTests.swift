import Beacons
import Messages
import Testing

@testable import GatewayService

/// What is shown where there is little room.
struct ScanTableTests {
    private let table: ScanTable
    private let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"

    init() {
        let moment = Moment(instant: .zero + .seconds(60), wall: WallTime(milliseconds: 60_000), isSynchronised: true)
        let address = DeviceAddress("D4:3A:2C:00:11:22", kind: .random)!
        let beacon = ReceivedBeacon(
            BeaconIdentity(uuid: BeaconUUID(uuid)!, major: 65_535, minor: 65_535), name: "电脑包", rssi: -61,
            measuredPower: MeasuredPower(dBm: -59), accuracy: 1.26, proximity: .near, address: address, addresses: 1,
            sightings: 57, lastSeenAt: moment.wall)
        let advertisement = Advertisement(address: address, rssi: RSSI(dBm: -70), at: moment.instant)
        var stranger = Stranger(advertisement)
        // 1D 4C: a company, and no more.
        let data: [UInt8] = [0x03, 0xFF, 0x4C, 0x00]
        stranger.receive(advertisement, data.span.bytes)
        table = ScanTable([beacon], [(stranger, 2.5)], at: moment)
    }

    @Test func `with room enough everything is there`() {
        let lines = table.lines(width: nil)
        #expect(lines.count == 3)
        for word in [uuid, "65535", "电脑包", "D4:3A:2C:00:11:22", "static", "-61", "1.3 m", "near", "57", "0 s"] {
            #expect(lines[1].contains(word), "\(lines[1])")
        }
        #expect(lines[2].contains("(company 0x004c)") && lines[2].contains("2.5") && !lines[2].contains("near"))
    }

    @Test(arguments: [80, 100, 120]) func `on a narrow terminal who it is and how near stay whole`(width: Int) {
        let lines = table.lines(width: width)
        #expect(lines.allSatisfy { $0.count <= width })
        for word in [uuid, "65535", "-61", "1.3 m", "near"] { #expect(lines[1].contains(word), "\(lines[1])") }
        #expect(lines[2].hasPrefix("D4:3A:2C:00:11:22") && lines[2].contains("-70"))
    }
}

import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite struct GatewaysTests {
    private var effects = SiteEffects(prefix: .standard, boot: Boot("3.aggr")!, at: TestSite.moment(0))
    private var gateways = Gateways(at: TestSite.moment(0).instant)

    private func stamp(_ seconds: Double) -> Stamp {
        Stamp(at: TestSite.start + .seconds(seconds), boot: Boot("17.kfqx")!, uptime: .zero + .seconds(500 + seconds))
    }

    private func info(_ id: String, room: String, rssiOffset: Double? = nil) -> GatewayInfo {
        var info = GatewayInfo(
            gateway: id, room: room, version: "1", stamp: stamp(0),
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 0)
        info.rssiOffset = rssiOffset
        return info
    }

    @Test mutating func `a new gateway is written to the disk at once, and is known from then on`() {
        let admissions = (0..<2).map { _ in gateways.admit("hall", &effects) }
        #expect(admissions == [.new, .known])
        #expect(effects.unwritten.gateways == ["hall"])
        #expect(effects.outputs.count == 1)
    }

    @Test mutating func `gateways beyond the limit are ignored and reported until one is removed`() {
        for number in 0..<GatewayRecord.most { _ = gateways.admit("gateway-\(number)", &effects) }
        #expect(gateways.problems(at: effects.now).isEmpty)
        let beyond = gateways.admit("one-more", &effects)
        #expect(beyond == .ignored)
        #expect(gateways.count == GatewayRecord.most && gateways.problems(at: effects.now).count == 1)
        gateways.remove("gateway-0", &effects)
        #expect(gateways.problems(at: effects.now).isEmpty)
        let within = gateways.admit("one-more", &effects)
        #expect(within == .new)
    }

    @Test mutating func `an info's changes are at first the room and the device, then only what differs`() {
        _ = gateways.admit("hall", &effects)
        let first = gateways.receive(info("hall", room: "Hall"), of: "hall", isLive: true, &effects)
        #expect(first.room && first.device)
        let same = gateways.receive(info("hall", room: "Hall"), of: "hall", isLive: true, &effects)
        #expect(!same.room && !same.device)
        let moved = gateways.receive(info("hall", room: "Attic", rssiOffset: 3), of: "hall", isLive: true, &effects)
        #expect(moved.room && !moved.device)
        var plugged = info("hall", room: "Attic", rssiOffset: 3)
        plugged.radio.address = DeviceAddress("B8:27:EB:00:00:01", kind: .public)
        let other = gateways.receive(plugged, of: "hall", isLive: true, &effects)
        #expect(!other.room && other.device, "it has another adapter")
    }

    @Test mutating func `past events of two gateways are taken in the order in which they happened`() {
        for id in ["hall", "kitchen"] {
            _ = gateways.admit(id, &effects)
            _ = gateways.receive(info(id, room: id), of: id, isLive: true, &effects)
        }
        func event(_ gateway: String, _ seq: UInt64, at seconds: Double) -> LoggedEvent {
            .beacon(
                BeaconEvent(
                    .enter, seq: seq, stamp: stamp(seconds), gateway: gateway, beacon: TestSite.bag, regions: ["bag"]))
        }
        effects.now = TestSite.moment(40)
        for (gateway, seq, seconds) in [("hall", 1, 10.0), ("hall", 2, 30), ("kitchen", 1, 20)] {
            let event = event(gateway, UInt64(seq), at: seconds)
            _ = gateways[gateway]?.events.receive(event, at: effects.now.instant)
        }
        let past = gateways.drainPastEvents(at: effects.now)
        #expect(past.map(\.gateway) == ["hall", "kitchen", "hall"])
    }
}

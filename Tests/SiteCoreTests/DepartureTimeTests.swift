import Beacons
import Messages
import Testing

@testable import SiteCore

/// When an item left, while programs are killed and start again.
struct DepartureTimeTests {
    private static func time(_ seconds: Double) -> WallTime { TestSite.start + .seconds(seconds) }

    /// A run of the kitchen's gateway that began at a second of the test.
    private struct Run {
        let boot: Boot
        let began: Double
        private var seq: UInt64 = 0

        init(_ number: Int, began: Double) {
            (boot, self.began) = (Boot("\(number).abcd")!, began)
        }

        private func stamp(at second: Double) -> Stamp {
            Stamp(at: time(second), boot: boot, uptime: .zero + .seconds(max(0, second - began)))
        }

        func begin(_ site: inout TestSite) {
            site.deliver(.gatewayAvailability(gateway: "kitchen"), Availability.online.bytes)
            let info = GatewayInfo(
                gateway: "kitchen", room: "Kitchen", version: "1", stamp: stamp(at: site.now),
                radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
            site.deliver(.gatewayInfo(gateway: "kitchen"), info.bytes)
        }

        mutating func event(_ transition: Transition, at second: Double, lastSeen: Double, _ site: inout TestSite) {
            seq += 1
            let event = BeaconEvent(
                transition, seq: seq, stamp: stamp(at: second), gateway: "kitchen", beacon: TestSite.bag,
                regions: ["laptop-bag"], lastSeenAt: time(lastSeen))
            site.deliver(.beaconEvent(TestSite.bag, gateway: "kitchen"), event.bytes)
        }

        func ranged(sightings: Int, _ site: inout TestSite) {
            let isReceived = sightings > 0
            let state = RangedState(
                gateway: "kitchen", proximity: isReceived ? .near : .unknown, rssi: isReceived ? -55 : nil,
                sightings: sightings, addresses: 1, stamp: stamp(at: site.now), validFor: 25)
            site.deliver(.proximity(TestSite.bag, gateway: "kitchen"), state.bytes)
        }
    }

    @Test func `an item whose gateway is killed left after it was last received, each time`() throws {
        var site = TestSite()
        for number in 1...2 {
            var run = Run(2 * number, began: site.now)
            run.begin(&site)
            run.event(.enter, at: site.now, lastSeen: site.now, &site)
            for _ in 0..<60 {
                run.ranged(sightings: 3, &site)
                if Int(site.now) % 10 == 0 { run.begin(&site) }
                site.advance(to: site.now + 1)
            }
            let last = site.now - 1
            site.offline("kitchen")
            site.advance(to: site.now + 16)
            // The states on the gateway's disk are older than that, and it knows of no later sighting.
            run = Run(2 * number + 1, began: site.now)
            for _ in 0..<30 {
                run.begin(&site)
                run.ranged(sightings: 0, &site)
                site.advance(to: site.now + 1)
            }
            run.event(.exit, at: last - 20, lastSeen: last - 50, &site)
            site.deliver(.proximity(TestSite.bag, gateway: "kitchen"), [])
            site.advance(to: site.now + 2)
            #expect(site.story.last == "left Kitchen")
            let left = try #require(site.events.last?.stamp.at)
            #expect((Self.time(last)...Self.time(last + 17)).contains(left), "\(left - Self.time(last))")
            #expect(site.location?.since == left)
            #expect(site.location?.lastSeenAt.map { $0 <= left } == true)
            site.advance(to: site.now + 20)
        }
        #expect(site.events.map(\.stamp.at) == site.events.map(\.stamp.at).sorted())
        #expect(site.story.count == 3, "\(site.story)")
    }
}

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

        func ranged(sightings: Int, validFor: UInt32 = 25, _ site: inout TestSite) {
            let isReceived = sightings > 0
            let state = RangedState(
                gateway: "kitchen", proximity: isReceived ? .near : .unknown, rssi: isReceived ? -55 : nil,
                sightings: sightings, addresses: 1, stamp: stamp(at: site.now), validFor: validFor)
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

    @Test func `an item is not home by what its gateway reported minutes ago, before that was killed, each time`() {
        var site = TestSite()
        for number in 1...2 {
            var run = Run(2 * number, began: site.now)
            run.begin(&site)
            run.event(.enter, at: site.now, lastSeen: site.now, &site)
            // A heartbeat of a minute.
            run.ranged(sightings: 3, validFor: 150, &site)
            site.advance(to: site.now + 10)
            #expect(site.location?.presence == .home)
            site.offline("kitchen")
            let killed = site.now
            site.advance(to: killed + 80)
            site.forgetOutputs()
            run = Run(2 * number + 1, began: site.now)
            for _ in 0..<20 {
                run.begin(&site)
                site.advance(to: site.now + 1)
            }
            #expect(site.location == nil, "it stays unknown")
            run.event(.exit, at: killed - 20, lastSeen: killed - 50, &site)
            site.advance(to: site.now + 2)
            #expect(site.location?.presence == .away)
            // Its exit was 20 s before the kill, and the item was received 10 s before it.
            #expect(site.location?.since == Self.time(killed - 10))
            site.advance(to: site.now + 20)
        }
        #expect(site.story == ["returned Kitchen"])
    }

    @Test(arguments: [true, false])
    func `an item that left just before a crash has left at the time of its event, and is in no room meanwhile`(
        isSynchronised: Bool
    ) throws {
        var former = TestSite()
        var run = Run(2, began: 0)
        run.begin(&former)
        run.event(.enter, at: 0, lastSeen: 0, &former)
        run.ranged(sightings: 3, &former)
        former.advance(to: former.now + 3)
        #expect(former.location?.room == "Kitchen")
        var site = TestSite(stored: former.pipeline.stored, settling: false)
        if !isSynchronised { site.unsetClock = 0 }
        let exit = EventID(boot: run.boot, seq: 2)
        var left = ItemEvent(
            .left(from: "Kitchen"), seq: 1, item: "laptop-bag", name: "Laptop bag",
            stamp: Stamp(at: Self.time(-400), boot: Boot("2.aggr")!, uptime: .zero),
            cause: ItemEvent.Cause(exit, at: "kitchen"))
        left.stamp.isClockSynchronised = isSynchronised
        site.pipeline.recall([left])
        // Its gateway was killed, too.
        site.deliver(.gatewayAvailability(gateway: "kitchen"), Availability.online.bytes)
        var info = GatewayInfo(
            gateway: "kitchen", room: "Kitchen", version: "1",
            stamp: Stamp(at: Self.time(0), boot: Boot("3.abcd")!, uptime: .zero + .seconds(2)),
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
        info.log = [LogRange(boot: run.boot, seqs: SeqRange(from: 1, to: 2))]
        site.deliver(.gatewayInfo(gateway: "kitchen"), info.bytes)
        site.advance(to: 8)
        #expect(site.location?.presence == .unknown)
        #expect(site.location.map { $0.room == nil } == true)
        #expect(site.published(on: .itemLocation(item: "laptop-bag")).count == 1)
        var event = BeaconEvent(
            .exit, seq: 2, stamp: Stamp(at: Self.time(-400), boot: run.boot, uptime: .zero + .seconds(60)),
            gateway: "kitchen", beacon: TestSite.bag, regions: ["laptop-bag"])
        event.stamp.isClockSynchronised = isSynchronised
        site.respond("kitchen", [event])
        site.advance(to: 12)
        #expect(site.location?.presence == .away && site.story.isEmpty)
        #expect(site.location?.since == left.stamp.at)
        #expect(site.pipeline.stored.states.map(\.since) == [left.stamp.at])
    }

    @Test func `an item that is away left when it left, also once a gateway that exited it later was down, each time`()
        throws
    {
        var site = TestSite()
        func live(_ site: inout TestSite, _ seconds: Double) {
            let end = site.now + seconds
            while site.now < end {
                site.heartbeat("kitchen", room: "Kitchen")
                site.advance(to: min(end, site.now + 10))
            }
        }
        for (gateway, room) in [("kitchen", "Kitchen"), ("hall", "Hall")] { site.gateway(gateway, room: room) }
        for gateway in ["kitchen", "hall"] {
            site.event(.enter, at: gateway)
            site.ranged(at: gateway)
        }
        site.advance(to: 20)
        let last = site.now
        for gateway in ["kitchen", "hall"] { site.ranged(at: gateway) }
        site.advance(to: last + 8)
        for gateway in ["kitchen", "hall"] { site.silent(at: gateway, since: last, perDay: 0.5) }
        site.advance(to: last + 11)
        site.event(.exit, at: "kitchen", lastSeen: last)
        site.cleared(at: "kitchen")
        site.advance(to: last + 15)
        #expect(site.story == ["left Kitchen"])
        let since = try #require(site.location?.since)
        site.advance(to: last + 40)
        site.event(.exit, at: "hall", lastSeen: last)
        site.cleared(at: "hall")
        live(&site, 5)
        for _ in 1...2 {
            site.offline("hall")
            live(&site, 20)
            #expect(site.location?.presence == .unknown)
            site.gateway("hall", room: "Hall")
            live(&site, 5)
            #expect(site.location?.presence == .away && site.location?.since == since)
        }
        // While nobody knew, it was there again.
        site.offline("hall")
        live(&site, 20)
        site.event(.enter, at: "hall")
        live(&site, 20)
        let exited = site.now
        site.event(.exit, at: "hall")
        live(&site, 5)
        site.gateway("hall", room: "Hall")
        live(&site, 5)
        #expect(site.location?.presence == .away && site.location?.since == Self.time(exited))
        #expect(site.story == ["left Kitchen"])
    }
}

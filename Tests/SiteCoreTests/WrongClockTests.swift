import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite("Gateways with a wrong clock")
struct WrongClockTests {
    /// How far a time of the bag is from a second of the test.
    private func error(of time: WallTime?, from second: Double) -> Interval {
        guard let time else { return .seconds(1e9) }
        let truth = TestSite.start + .seconds(second)
        return max(time - truth, truth - time)
    }

    @Test func `an item that left before a restart has left then, also once its gateway was down, each time`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: 20)
        site.event(.exit, at: "kitchen")
        site.cleared(at: "kitchen")
        site.advance(to: 25)
        let since = site.location?.since
        #expect(site.location?.presence == .away && since != nil)
        for _ in 1...2 {
            site = TestSite(stored: site.pipeline.stored)
            for _ in 1...2 {
                site.gateway("kitchen", room: "Kitchen")
                site.advance(to: site.now + 30)
                #expect(site.location?.presence == .away && site.location?.since == since)
                site.offline("kitchen")
                site.advance(to: site.now + 30)
                #expect(site.location?.presence == .unknown)
            }
            site.gateway("kitchen", room: "Kitchen")
            site.advance(to: site.now + 30)
        }
    }

    @Test(arguments: [-1800.0, 100])
    func `what happened while nobody had set the aggregator's clock has the right time afterwards, each time`(
        clock: Double
    ) {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen", rssi: -50)
        for _ in 1...2 {
            site.advance(to: site.now + 5)
            site.unsetClock = clock
            let leaves = site.now
            site.event(.exit, at: "kitchen", clock: clock)
            site.cleared(at: "kitchen")
            site.advance(to: leaves + 10)
            #expect(site.location?.presence == .away)
            #expect(error(of: site.location?.since, from: leaves + clock) <= .seconds(1))
            site.unsetClock = nil
            site.advance(to: site.now + 5)
            #expect(error(of: site.location?.since, from: leaves) <= .seconds(1))
            #expect(site.location?.stamp.isClockSynchronised == true)
            #expect(site.pipeline.stored.states.map { error(of: $0.since, from: leaves) <= .seconds(1) } == [true])
            // What a clock that is right has dated stays.
            let returns = site.now
            site.gateway("kitchen", room: "Kitchen")
            site.event(.enter, at: "kitchen")
            site.ranged(at: "kitchen", rssi: -50)
            site.advance(to: returns + 5)
            #expect(site.location?.presence == .home)
            #expect(error(of: site.location?.since, from: returns) <= .seconds(1))
        }
    }

    @Test(arguments: [-20_000.0, 300])
    func `the last sighting and a notification have the right time once somebody has set the clock, each time`(
        clock: Double
    ) throws {
        var site = TestSite(TestSite.bagItem + "\n[item.notify]\nafter = \"2s\"\nrepeat = \"6s\"\n")
        for _ in 1...2 {
            site.unsetClock = clock
            site.gateway("kitchen", room: "Kitchen")
            site.event(.enter, at: "kitchen", clock: clock)
            site.ranged(at: "kitchen", rssi: -50)
            let leaves = site.now
            site.advance(to: leaves + 5)
            site.event(.exit, at: "kitchen", clock: clock)
            site.cleared(at: "kitchen")
            site.advance(to: site.now + 5)
            #expect(error(of: site.location?.lastSeenAt, from: leaves + clock) <= .seconds(1))
            site.unsetClock = nil
            site.advance(to: site.now + 10)
            #expect(error(of: site.location?.lastSeenAt, from: leaves) <= .seconds(1))
            #expect(site.pipeline.stored.states.map { error(of: $0.lastSeenAt, from: leaves) <= .seconds(1) } == [true])
            let last = site.published(on: .itemNotification(item: "laptop-bag")).last { !$0.isEmpty }
            let notification = try Notification(parsing: Array((last ?? "").utf8))
            #expect(error(of: notification.since, from: leaves + 5) <= .seconds(1) && notification.count > 1)
            site.advance(to: site.now + 60)
        }
    }

    @Test(arguments: [-86_400.0, 86_400])
    func
        `what happens to an item has the aggregator's time where a gateway's clock is a day off, after a restart as well`(
            clock: Double
        )
    {
        var site = TestSite()
        var seq: UInt64 = 0
        func report(_ transition: Transition) {
            seq += 1
            site.event(transition, at: "kitchen", clock: clock, seq: seq)
            if transition == .enter { site.ranged(at: "kitchen", rssi: -50) } else { site.cleared(at: "kitchen") }
        }
        for run in 1...2 {
            site.gateway("kitchen", room: "Kitchen")
            for _ in 1...2 {
                report(.enter)
                site.advance(to: site.now + 20)
                let leaves = site.now
                report(.exit)
                site.advance(to: site.now + 2)
                #expect(site.location?.presence == .away)
                #expect(error(of: site.events.last?.stamp.at, from: leaves) <= .seconds(1))
                #expect(error(of: site.location?.since, from: leaves) <= .seconds(1))
                site.advance(to: site.now + 300)
                site.gateway("kitchen", room: "Kitchen")
                let returns = site.now
                report(.enter)
                #expect(error(of: site.events.last?.stamp.at, from: returns) <= .seconds(1))
                site.advance(to: site.now + 2)
            }
            let end = site.now
            guard run == 1 else { break }
            site = TestSite(stored: site.pipeline.stored)
            site.advance(to: end + 10)
        }
    }

    @Test(arguments: [-86_400.0, 86_400])
    func `after a restart the last exit dates the departure, whatever clock dated the return before it`(clock: Double) {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        for gateway in ["kitchen", "hall"] {
            site.event(.enter, at: gateway, clock: clock)
            site.ranged(at: gateway)
        }
        site.advance(to: site.now + 3)
        site.event(.exit, at: "kitchen", clock: clock)
        precondition(site.location?.presence == .home)
        for seq: UInt64 in [2, 4] {
            site = TestSite(stored: site.pipeline.stored, settling: false)
            site.advance(to: 30)
            site.deliver(.gatewayAvailability(gateway: "kitchen"), Availability.online.bytes)
            site.heartbeat("kitchen", room: "Kitchen")
            site.deliver(.gatewayAvailability(gateway: "hall"), Availability.online.bytes)
            if seq == 4 {
                site.event(.enter, at: "hall", when: 15, clock: clock, seq: 3)
            }
            site.event(.exit, at: "hall", when: 20, clock: clock, seq: seq)
            site.heartbeat("hall", room: "Hall")
            site.advance(to: 40)
            #expect(site.location?.presence == .away)
            #expect(error(of: site.events.last?.stamp.at, from: 20) <= .seconds(1))
            #expect(site.events.last?.cause?.gateway == "hall")
        }
    }

    @Test(arguments: [(-3700, "1 h behind"), (400, "6 min ahead"), (240, nil)] as [(Double, String?)])
    func `a gateway whose clock differs by minutes is a problem while it runs, until its clock is set, each time`(
        clock: Double, error: String?
    ) throws {
        func problems(_ site: inout TestSite) throws -> [String] {
            site.advance(to: site.now + 31)
            let info = try #require(site.published(on: .aggregatorInfo).last)
            return try AggregatorInfo(parsing: Array(info.utf8)).problems
        }
        var site = TestSite()
        for _ in 1...2 {
            site.gateway("kitchen", room: "Kitchen")
            site.heartbeat("kitchen", room: "Kitchen", clock: clock)
            let sentences = error.map {
                [
                    "the clock of kitchen is \($0): run `timedatectl set-ntp true` on its machine, and check that it reaches a time server"
                ]
            }
            #expect(try problems(&site) == sentences ?? [])
            site.unsetClock = clock
            #expect(try problems(&site) == [], "nobody knows whose clock is right")
            site.unsetClock = nil
            site.heartbeat("kitchen", room: "Kitchen")
            #expect(try problems(&site) == [])
            site.heartbeat("kitchen", room: "Kitchen", clock: clock)
            site.offline("kitchen")
            #expect(try problems(&site) == [])
        }
    }

    @Test func `a gateway whose machine was paused has no wrong clock once that was set, each time`() throws {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        for pause in 1...2 {
            site.advance(to: site.now + 3600)
            var stamp = site.stamp(at: site.now)
            stamp.uptime = stamp.uptime - .seconds(Double(3600 * pause))
            let info = GatewayInfo(
                gateway: "kitchen", version: "1", stamp: stamp,
                radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
            site.deliver(.gatewayInfo(gateway: "kitchen"), info.bytes)
            site.advance(to: site.now + 31)
            let last = try #require(site.published(on: .aggregatorInfo).last)
            #expect(try AggregatorInfo(parsing: Array(last.utf8)).problems == [])
        }
    }

    @Test func `a gateway that has just started may set its clock yet, and one whose info came late has it right`()
        throws
    {
        let info = GatewayInfo(
            gateway: "kitchen", version: "1",
            stamp: Stamp(at: TestSite.start, boot: Boot("17.kfqx")!, uptime: .zero + .seconds(299)),
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
        #expect(info.clockProblem(sentAt: TestSite.start + .seconds(1e6)) == nil)
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        let late = GatewayInfo(
            gateway: "kitchen", version: "1", stamp: site.stamp(at: site.now),
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
        site.advance(to: site.now + 400)
        for isRetained in [true, false] {
            site.deliver(.gatewayInfo(gateway: "kitchen"), late.bytes, retained: isRetained)
            site.advance(to: site.now + 31)
            let last = try #require(site.published(on: .aggregatorInfo).last)
            #expect(try AggregatorInfo(parsing: Array(last.utf8)).problems == [])
        }
    }
}

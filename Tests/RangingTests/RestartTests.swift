import Beacons
import Testing

@testable import Ranging

/// A restart is no event (RulesOfTruth in the reference, rule 3).
struct RestartTests {
    /// A monitor that has the bag inside, and not the cat, up to 100 s; its snapshot.
    private func snapshot() -> MonitorSnapshot {
        var monitor = scanning(to: [bags, region("cat", cat)])
        for moment in 1...100 { _ = monitor.received(bag, at: Double(moment)) }
        return monitor.snapshot(at: second(100))
    }

    /// The next process, whose clock began anew.
    private func restarted(
        _ snapshot: MonitorSnapshot, downtime: Interval?, exitAfter: ExitAfter = .fixed(.seconds(10))
    ) -> Monitor {
        var monitor = Monitor(Monitor.Settings(exitAfter: exitAfter), at: .zero)
        _ = monitor.setRegions([bags, region("cat", cat)], at: .zero)
        monitor.restore(snapshot, downtime: downtime, restoreWithin: .seconds(900), at: .zero)
        return monitor
    }

    @Test func `states survive a restart, and are published as soon as the radio scans`() {
        var monitor = restarted(snapshot(), downtime: .seconds(60))
        #expect(monitor.regionStatuses.map(\.state) == [.unknown, .unknown])
        let reported = monitor.radio(scanning: true, at: second(2)).map(\.short)
        #expect(reported == ["1/1 inside @2", "bags inside @2", "cat outside @2"])
        #expect(monitor.regionStatuses[0].since == second(-159))
        #expect(monitor.received(bag, at: 3) == [])
    }

    @Test
    func `a beacon that left while the gateway was down exits after a full exit time, dated by its last sighting`()
        throws
    {
        var monitor = restarted(snapshot(), downtime: .seconds(60))
        _ = monitor.radio(scanning: true, at: second(2))
        #expect(monitor.passed(3...11) == [])
        monitor.receivedSomething(at: second(12))
        let left = monitor.advance(to: second(12))
        let exit = try #require(left.first?.beacon)
        #expect(exit.event == .exit)
        #expect(exit.at == second(-50))
        #expect(exit.lastSeen == second(-60))
        #expect(exit.insideFor == .seconds(99))
        #expect(left.last?.short == "bags exit @-50")
    }

    @Test func `an older state is determined anew, without events for what turns out unchanged`() {
        var monitor = restarted(snapshot(), downtime: .seconds(901))
        #expect(monitor.radio(scanning: true, at: second(2)) == [])
        #expect(monitor.regionStatuses.map(\.state) == [.unknown, .unknown])
        #expect(monitor.passed(3...4) == [])
        #expect(monitor.received(bag, at: 5) == ["1/1 inside @5", "bags inside @5"])
        #expect(monitor.passed(6...12) == ["cat outside @12"])
    }

    @Test func `an older state that turns out changed makes its event`() {
        var monitor = restarted(snapshot(), downtime: .seconds(901))
        _ = monitor.radio(scanning: true, at: second(2))
        #expect(monitor.passed(3...4) == [])
        #expect(monitor.received(cat, at: 5) == ["2/1 enter @5", "cat enter @5"])
        #expect(monitor.passed(6...12) == ["1/1 exit @-891", "bags exit @-891"])
    }

    @Test func `without a downtime an exit is dated by the silence of this process, and has no last sighting`()
        throws
    {
        var monitor = restarted(snapshot(), downtime: nil)
        #expect(monitor.radio(scanning: true, at: second(2)) == [])
        monitor.receivedSomething(at: second(12))
        let left = monitor.advance(to: second(12))
        let exit = try #require(left.compactMap(\.beacon).first)
        #expect(exit.event == .exit)
        #expect(exit.at == second(12))
        #expect(exit.lastSeen == nil)
        #expect(exit.insideFor == .seconds(99))
    }

    @Test func `without a known downtime the time inside is unknown once the beacon is received again`() throws {
        var next = restarted(snapshot(), downtime: nil)
        _ = next.radio(scanning: true, at: .zero)
        _ = next.received(bag, at: 1)
        // Another restart, of which the downtime is known, makes it no better known.
        let third = restarted(next.snapshot(at: second(2)), downtime: .seconds(1))
        for var monitor in [next, third] {
            _ = monitor.radio(scanning: true, at: second(2))
            monitor.receivedSomething(at: second(13))
            let exit = try #require(monitor.advance(to: second(13)).compactMap(\.beacon).first)
            #expect(exit.event == .exit)
            #expect(exit.lastSeen != nil)
            #expect(exit.insideFor == nil)
            // The next enter begins anew.
            _ = monitor.received(bag, at: 20)
            monitor.receivedSomething(at: second(30))
            #expect(monitor.advance(to: second(30)).compactMap(\.beacon).first?.insideFor == .zero)
        }
    }

    @Test func `a snapshot of a blind gateway has what was inside before`() {
        var monitor = scanning(to: [bags, region("cat", cat)])
        _ = monitor.received(bag, at: 1)
        _ = monitor.radio(scanning: false, at: second(5))
        var next = restarted(monitor.snapshot(at: second(50)), downtime: .seconds(1))
        _ = next.radio(scanning: true, at: .zero)
        #expect(next.received(bag, at: 1) == [])
        #expect(next.state(of: bag) == .inside)
    }

    @Test func `the learned silence survives a restart`() throws {
        var monitor = scanning(to: [bags, region("cat", cat)], exitAfter: .auto(falseExitsPerDay: 0.05))
        for moment in 0..<20_000 { _ = monitor.received(bag, at: Double(moment) * 2) }
        let snapshot = monitor.snapshot(at: second(40_000))
        let next = restarted(snapshot, downtime: .seconds(1), exitAfter: .auto(falseExitsPerDay: 0.05))
        let (before, after) = (monitor.beaconStatuses[0].requiredSilence, next.beaconStatuses[0].requiredSilence)
        #expect(before < .seconds(20))
        #expect(abs((before - after).seconds) < 0.01)
    }

    @Test func `a published silence begins when the gateway scans again after a restart, and after the next one`()
        throws
    {
        let learning = ExitAfter.auto(falseExitsPerDay: 0.05)
        var monitor = scanning(to: [bags, region("cat", cat)], exitAfter: learning)
        for moment in 0..<20_000 { _ = monitor.received(bag, at: Double(moment)) }
        var snapshot = monitor.snapshot(at: second(20_000))
        for _ in 1...2 {
            var next = restarted(snapshot, downtime: .seconds(60), exitAfter: learning)
            _ = next.radio(scanning: true, at: second(2))
            _ = next.passed(3...10)
            let silence = next.longSilence(of: bag, at: second(10))
            #expect(silence?.since == second(2))
            snapshot = next.snapshot(at: second(10))
        }
    }

    @Test func `a snapshot with absurd values does no harm`() {
        let absurd = MonitorSnapshot.Beacon(
            identity: bag, isInside: true, enteredAge: Interval(nanoseconds: .max),
            lastSeenAge: Interval(nanoseconds: .min), insideFor: Interval(nanoseconds: .max), lastRSSI: nil,
            learned: [1, .nan, .infinity, -1])
        let region = MonitorSnapshot.Region(
            id: "bags", isImplicit: false, isInside: true, age: Interval(nanoseconds: .max))
        var monitor = restarted(
            MonitorSnapshot(beacons: [absurd, absurd], regions: [region, region]),
            downtime: Interval(nanoseconds: .max), exitAfter: .auto(falseExitsPerDay: 0.05))
        _ = monitor.radio(scanning: true, at: .zero)
        #expect(monitor.received(bag, at: 1).first == "1/1 inside @1")
        #expect(monitor.beaconStatuses.count == 1)
    }

    @Test func `a stored beacon whose region was removed is left out`() {
        var monitor = Monitor(Monitor.Settings(), at: .zero)
        _ = monitor.setRegions([region("cat", cat)], at: .zero)
        monitor.restore(snapshot(), downtime: .zero, restoreWithin: .seconds(900), at: .zero)
        #expect(monitor.beaconStatuses.isEmpty)
    }

    @Test func `a recent state is trusted for as long as it stays recent, and then determined anew`() {
        for (start, isTrusted) in [(840.0, true), (841, false)] {
            var monitor = restarted(snapshot(), downtime: .seconds(60))
            let reported = monitor.radio(scanning: true, at: second(start)).map(\.short)
            #expect(reported.isEmpty != isTrusted)
            #expect(monitor.state(of: bag) == (isTrusted ? .inside : .unknown))
            // The adapter is missing once more.
            _ = monitor.radio(scanning: false, at: second(start + 1))
            #expect(monitor.radio(scanning: true, at: second(start + 2)) == [])
            #expect(monitor.state(ofRegion: "bags") == .unknown && monitor.state(ofRegion: "cat") == .unknown)
            #expect(monitor.received(bag, at: start + 3).allSatisfy { $0.contains("inside") })
        }
    }

    @Test func `a region whose beacons changed with a restart is new, at the next restart as well`() {
        var snapshot = snapshot()
        for restart in 1...3 {
            var monitor = Monitor(Monitor.Settings(exitAfter: .fixed(.seconds(10))), at: .zero)
            let changed = Region(id: "bags", identifier: "Bags", scope: .beacon(bike))
            _ = monitor.setRegions([changed, everything], at: .zero)
            monitor.restore(snapshot, downtime: .seconds(1), restoreWithin: .seconds(900), at: .zero)
            let story = (monitor.radio(scanning: true, at: .zero) + monitor.advance(to: second(5))).map(\.short)
            #expect(!story.contains { $0.contains("bags exit") })
            #expect(monitor.state(ofRegion: "bags") == (restart == 1 ? .unknown : .outside))
            _ = monitor.received(bag, at: 6)
            #expect(monitor.passed(7...15).filter { $0.contains("bags") } == (restart == 1 ? ["bags outside @10"] : []))
            snapshot = monitor.snapshot(at: second(15))
        }
    }
}

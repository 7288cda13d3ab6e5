import Beacons
import Glibc
import Testing

@testable import Ranging

/// What the beacons of one gateway learn from each other.
struct SilencePoolTests {
    private static let target = 0.01 / 86_400

    /// Beacons that were received for so many hours each, of which some had a loss of this length after one hour.
    private func pool(_ beacons: Int, hours: Double, losses: Int, of seconds: Double) -> SilencePool {
        var pool = SilencePool()
        for beacon in 0..<beacons {
            let place = beacon < losses ? SilencePool.place(of: seconds) : -1
            pool.take(longest: place, after: place < 0 ? 0 : 3600, scannedSeconds: hours * 3600)
        }
        return pool
    }

    @Test func `a kind of loss that two beacons had is expected of a third`() {
        let pool = pool(3, hours: 3, losses: 2, of: 90)
        let silence = pool.silence(scannedSeconds: 3600, rate: Self.target)
        #expect(silence > 90 && silence < 130)
    }

    @Test
    func `losses of any length are expected to last longer than the longest so far, losses of one length are not`() {
        var pool = SilencePool()
        for seconds in [20.0, 30, 45, 60, 75, 90, 100, 120, 140, 170] {
            pool.take(longest: SilencePool.place(of: seconds), after: 3600, scannedSeconds: 3 * 3600)
        }
        #expect(pool.silence(scannedSeconds: 3600, rate: Self.target) > 300)
        #expect(self.pool(10, hours: 3, losses: 10, of: 90).silence(scannedSeconds: 3600, rate: Self.target) < 250)
    }

    @Test func `the losses of slow beacons continue beyond the longest counted as exponentials do`() {
        var pool = SilencePool()
        // Exponential with a mean of 100 s, cut at 300 s.
        for quantile in 1..<1000 {
            let seconds = -100 * log(1 - Double(quantile) / 1000)
            pool.note(slowLoss: seconds)
        }
        let beyond = pool.losses(beyond: 60)
        #expect(abs(beyond.count - 500) < 50)
        #expect(abs(beyond.excess - 100) < 15)
        #expect(pool.losses(beyond: 250).count == 0)
    }

    @Test func `the tail of a slow beacon that had few long losses follows that of the others`() {
        var gaps = MissHistogram()
        for _ in 0..<2000 { gaps.add(2) }
        for missed in [20.0, 24, 28, 30, 35, 40] { gaps.add(missed) }
        var (short, long) = (SilencePool(), SilencePool())
        for number in 0..<200 {
            short.note(slowLoss: 100 + Double(number % 20))
            long.note(slowLoss: 100 + Double(number))
        }
        let alone = gaps.misses(reachedWith: 1e-6)
        #expect(gaps.misses(reachedWith: 1e-6, among: short, every: 5) < 0.7 * alone)
        #expect(
            gaps.misses(reachedWith: 1e-6, among: long, every: 5)
                > gaps.misses(reachedWith: 1e-6, among: short, every: 5))
        #expect(gaps.misses(reachedWith: 1e-6, among: SilencePool(), every: 5) == alone)
    }

    @Test func `fewer than five losses of slow beacons show nothing`() {
        var pool = SilencePool()
        for _ in 0..<4 { pool.note(slowLoss: 100) }
        #expect(pool.losses(beyond: 60).count == 0)
    }

    @Test func `the losses of one beacon are expected of no other`() {
        #expect(pool(20, hours: 3, losses: 1, of: 90).silence(scannedSeconds: 3600, rate: Self.target) == 0)
    }

    @Test func `a beacon that was long without a loss is not expected to have it, though others had it early`() {
        let pool = pool(20, hours: 48, losses: 5, of: 90)
        #expect(pool.silence(scannedSeconds: 3600, rate: Self.target) > 90)
        #expect(pool.silence(scannedSeconds: 48 * 3600, rate: Self.target) == 0)
    }

    @Test func `a gateway whose beacons all have a new kind of loss has few false exits, not one of each`() {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        let tags = (1...12).map { BeaconIdentity(uuid: owner, major: 9, minor: $0) }
        var exits = 0
        for moment in 0..<14 * 3600 {
            monitor.receivedSomething(at: second(Double(moment)))
            exits += monitor.advance(to: second(Double(moment))).count { $0.beacon?.event == .exit }
            for (number, tag) in tags.enumerated() {
                // From the tenth hour on, one after the other is silent for 90 s.
                let silentFrom = 36_000 + 600 * number
                if (silentFrom..<silentFrom + 90).contains(moment) { continue }
                _ = monitor.receive(sighting(tag, at: Double(moment)))
            }
        }
        #expect((1...2).contains(exits))
    }

    @Test func `the losses of the other beacons survive a restart`() throws {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        let tags = (1...4).map { BeaconIdentity(uuid: owner, major: 9, minor: $0) }
        for moment in 0..<36_000 {
            monitor.receivedSomething(at: second(Double(moment)))
            _ = monitor.advance(to: second(Double(moment)))
            for (number, tag) in tags.enumerated()
            where number == 0 || !(30_000 + 300 * number..<30_090 + 300 * number).contains(moment) {
                _ = monitor.receive(sighting(tag, at: Double(moment)))
            }
        }
        let before = try #require(monitor.beaconStatuses.first).requiredSilence
        #expect(before > .seconds(90))
        var next = Monitor(monitor.settings, at: .zero)
        _ = next.setRegions([everything], at: .zero)
        next.restore(monitor.snapshot(at: second(36_000)), downtime: .zero, restoreWithin: .seconds(900), at: .zero)
        #expect(try #require(next.beaconStatuses.first).requiredSilence > .seconds(90))
    }

    @Test func `a longer interval that one beacon changes to is expected of the others, for a day`() throws {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        let tags = (1...4).map { BeaconIdentity(uuid: owner, major: 9, minor: $0) }
        func silence() throws -> Interval { try #require(monitor.beaconStatuses.last).requiredSilence }
        func live(_ seconds: Range<Int>, every interval: Int) {
            for moment in seconds {
                monitor.receivedSomething(at: second(Double(moment)))
                _ = monitor.advance(to: second(Double(moment)))
                for tag in tags where tag != tags[0] || moment.isMultiple(of: interval) {
                    _ = monitor.receive(sighting(tag, at: Double(moment)))
                }
            }
        }
        live(0..<36_000, every: 1)
        #expect(try silence() < .seconds(13))
        // The first gap at the new interval may still be a loss.
        live(36_000..<36_019, every: 10)
        #expect(try silence() < .seconds(13))
        // The third one is over at 36,030 s.
        live(36_019..<36_035, every: 10)
        #expect(try silence() > .seconds(14) && silence() < .seconds(17))
        live(36_035..<36_120 + 36 * 3600, every: 1)
        #expect(try silence() < .seconds(13))
    }
}

import Beacons
import Testing

@testable import Ranging

/// What the beacons of one gateway learn from each other.
struct SilencePoolTests {
    private let tags = (1...10).map { BeaconIdentity(uuid: owner, major: 9, minor: $0) }

    /// Ten tags of 1 s, of which the first are silent for 90 s every hour, each at another time.
    private func lived(lossy: Int, hours: Int) -> Monitor {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        live(&monitor, lossy: lossy, seconds: 0..<hours * 3600)
        return monitor
    }

    private func live(_ monitor: inout Monitor, lossy: Int, seconds: Range<Int>, and newcomer: BeaconIdentity? = nil) {
        for moment in seconds {
            monitor.receivedSomething(at: second(Double(moment)))
            _ = monitor.advance(to: second(Double(moment)))
            for (number, tag) in tags.enumerated() where number >= lossy || (moment + 317 * number) % 3600 >= 90 {
                _ = monitor.receive(sighting(tag, at: Double(moment)))
            }
            if let newcomer { _ = monitor.receive(sighting(newcomer, at: Double(moment))) }
        }
    }

    private func silence(of beacon: BeaconIdentity, in monitor: Monitor) throws -> Interval {
        try #require(monitor.beaconStatuses.first { $0.identity == beacon }).requiredSilence
    }

    @Test func `a good beacon is free of its lossy neighbours within a day`() throws {
        let monitor = lived(lossy: 4, hours: 24)
        #expect(try silence(of: tags[0], in: monitor) > .seconds(95))
        #expect(try silence(of: tags[9], in: monitor) < .seconds(20))
    }

    @Test func `where most beacons have long losses, a new one is waited for as if it had them, too`() throws {
        let newcomer = BeaconIdentity(uuid: owner, major: 8, minor: 1)
        var (lossy, good) = (lived(lossy: 10, hours: 8), lived(lossy: 0, hours: 8))
        live(&lossy, lossy: 10, seconds: 28_800..<36_000, and: newcomer)
        live(&good, lossy: 0, seconds: 28_800..<36_000, and: newcomer)
        #expect(try silence(of: newcomer, in: lossy) > .seconds(95))
        #expect(try silence(of: newcomer, in: good) < .seconds(45))
    }

    @Test func `what the other beacons showed survives a restart`() throws {
        let monitor = lived(lossy: 10, hours: 8)
        var next = Monitor(monitor.settings, at: .zero)
        _ = next.setRegions([everything], at: .zero)
        next.restore(monitor.snapshot(at: second(28_800)), downtime: .zero, restoreWithin: .seconds(900), at: .zero)
        _ = next.radio(scanning: true, at: .zero)
        let newcomer = BeaconIdentity(uuid: owner, major: 8, minor: 1)
        live(&next, lossy: 10, seconds: 0..<3600, and: newcomer)
        #expect(try silence(of: newcomer, in: next) > .seconds(95))
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

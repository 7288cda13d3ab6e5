import Beacons
import Ranging

/// Whether more beacons of wildcard regions are in range than a gateway has places for: then some of them are not monitored.
struct Crowding: Sendable {
    /// A table that was full is reported for so long after the last beacon that found no place.
    static let memory = Interval.seconds(600)

    /// How many were displaced or refused so far.
    private var count: UInt64 = 0
    private var until: Instant?
    /// Whether `info` reports a full table.
    fileprivate var isReported = false

    /// Takes note of the count; whether the table was full lately.
    mutating func take(_ count: UInt64, at now: Instant) -> Bool {
        if count != self.count {
            self.count = count
            until = now + Self.memory
        }
        return until.map { now < $0 } ?? false
    }
}

extension GatewayPipeline {
    /// Reports a full table of wildcard regions' members in `info`: nobody shall wonder why a beacon is not there.
    mutating func noteCrowding() {
        let count = monitor.refusedMembers &+ monitor.displacedMembers &+ ranger.refusedMembers
        let isFull = crowding.take(count, at: now.instant)
        guard isFull != crowding.isReported else { return }
        crowding.isReported = isFull
        let sentence =
            "more than \(monitor.settings.memberLimit) beacons of wildcard regions are in range, and those received least often are not "
            + "monitored: add the beacons that matter as items, or give the regions a major"
        if isFull { outputs.append(.note("Too many beacons: \(sentence)")) }
        replace(problem: sentence, by: isFull ? sentence : nil, at: now)
    }
}

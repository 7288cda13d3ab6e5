import Beacons
import Ranging

/// Whether more beacons of wildcard regions are in range than a gateway has places for: then some of them are not monitored.
struct Crowding: Sendable {
    /// How long a full table is reported after the last beacon that found no place.
    static let memory = Interval.seconds(600)

    /// The number of beacons that were displaced or refused so far.
    private var count: UInt64 = 0
    private var until: Instant?
    private var wasFull = false

    /// Records the count; returns whether the table was full lately, or `nil` if that has not changed.
    mutating func note(_ count: UInt64, at now: Instant) -> Bool? {
        if count != self.count {
            self.count = count
            until = now + Self.memory
        }
        let isFull = until.map { now < $0 } ?? false
        guard isFull != wasFull else { return nil }
        wasFull = isFull
        return isFull
    }
}

extension GatewayPipeline {
    /// Reports a full table of wildcard regions' members in `info`, because it explains why a beacon is missing.
    mutating func noteCrowding() {
        let count = monitor.refusedMembers &+ monitor.displacedMembers &+ ranger.refusedMembers
        guard let isFull = crowding.note(count, at: now.instant) else { return }
        let sentence =
            "more than \(monitor.settings.memberLimit) beacons of wildcard regions are in range, and those received least often are not "
            + "monitored: add the beacons that matter as items, or give the regions a major"
        if isFull { outputs.append(.note("Too many beacons: \(sentence)")) }
        replace(problem: sentence, by: isFull ? sentence : nil, at: now)
    }
}

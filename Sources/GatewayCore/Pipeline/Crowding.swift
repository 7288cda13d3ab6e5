import Beacons

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

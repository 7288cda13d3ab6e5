import Beacons

/// What was learned of one item that a person carries: how often it goes where the person goes, how often it goes without the person, and
/// how much it walks about the house.
package struct Habit: Hashable, Sendable {
    /// How often the item went with the person, and how often it stayed, of the last times.
    package var together = 0.0, stayed = 0.0
    /// How often the item left or returned without the person.
    package var alone = 0.0
    /// The moves between rooms of the last hours, of which one counts half after `halfLife`, as of `walkedAt`.
    private var walks = 0.0
    private var walkedAt = Instant.zero

    /// So many times count; older ones count for less.
    private static let memory = 40.0
    private static let halfLife = Interval.seconds(3600)

    /// A habit of which nothing is known but what was counted.
    package init(together: Double = 0, stayed: Double = 0, alone: Double = 0) {
        (self.together, self.stayed, self.alone) = (together, stayed, alone)
    }

    /// The probability that the item goes where the person goes: 0.8 while nothing is known.
    var follows: Double { (together + 4) / (together + stayed + 5) }

    /// The probability that the item goes although the person stays: 0.1 while nothing is known.
    var strays: Double { max(0.005, (alone + 0.5) / (together + alone + 5)) }

    mutating func count(_ times: WritableKeyPath<Habit, Double>) {
        self[keyPath: times] += 1
        guard together + stayed + alone > Self.memory else { return }
        (together, stayed, alone) = (together / 2, stayed / 2, alone / 2)
    }

    /// The item moved to another room, or came home.
    mutating func walked(at now: Instant) { (walks, walkedAt) = (walks(at: now) + 1, now) }

    /// How much the item has walked about, by the moves of the last hours.
    func walks(at now: Instant) -> Double {
        walks * half(of: (now - walkedAt).seconds / Self.halfLife.seconds)
    }

    /// 1 / 2^x for x from 0 on, in pieces that are linear between the whole numbers: no mathematics library is needed.
    private func half(of x: Double) -> Double {
        guard x < 60 else { return 0 }
        let whole = Int(max(0, x))
        return (1 - (max(0, x) - Double(whole)) / 2) / Double(1 << whole)
    }
}

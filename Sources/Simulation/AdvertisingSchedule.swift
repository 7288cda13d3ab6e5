import Beacons

/// When a transmitter sends: every interval, and 0 to 10 ms later each time, as the specification wants it.
///
/// The delays of 64 events sum to 64 times their mean, whereby each such round begins at a time that is known without adding up all rounds since
/// 1970; within it the sum walks at random. Every gap is between the interval and the interval plus 10 ms, also from round to round.
struct AdvertisingSchedule: Sendable {
    private static let events = 64
    /// Nanoseconds.
    private static let mostDelay = 10_000_000.0

    private let interval: Int64
    private let phase: Int64
    private let seed: Seed
    private var round: Int64
    private var event = 0
    /// Nanoseconds after the round's beginning, without the intervals.
    private var delays = [Int64](repeating: 0, count: AdvertisingSchedule.events)

    /// The events from `start` on.
    init(interval: Interval, seed: Seed, from start: HouseTime) {
        precondition(interval > .zero, "an interval of some length")
        self.interval = interval.nanoseconds
        self.seed = seed
        let length = AdvertisingSchedule.length(interval.nanoseconds)
        phase = Int64(seed.unit * Double(length))
        round = (start.nanoseconds - phase).divided(by: length)
        draw()
        while next < start { advance() }
    }

    var next: HouseTime {
        let start = round * AdvertisingSchedule.length(interval) + phase
        return HouseTime(nanoseconds: start + Int64(event) * interval + delays[event])
    }

    /// A number for the next event that no other event of this transmitter has.
    var number: Int64 { round &* Int64(AdvertisingSchedule.events) &+ Int64(event) }

    /// Goes on to the event after the next.
    mutating func advance() {
        event += 1
        guard event == AdvertisingSchedule.events else { return }
        event = 0
        round += 1
        draw()
    }

    private static func length(_ interval: Int64) -> Int64 { Int64(events) * (interval + Int64(mostDelay) / 2) }

    /// Even delays, stretched from the end that is nearer so that they sum to what they must and none leaves its range.
    private mutating func draw() {
        var random = seed[round].generator
        let count = Double(delays.count)
        let shares = delays.indices.map { _ in random.uniform() }
        let sum = shares.reduce(0, +)
        var delay = 0.0
        for (index, share) in shares.enumerated() {
            delays[index] = Int64(delay)
            let stretched = sum > count / 2 ? share * (count / 2) / sum : 1 - (1 - share) * (count / 2) / (count - sum)
            delay += stretched * AdvertisingSchedule.mostDelay
        }
    }
}

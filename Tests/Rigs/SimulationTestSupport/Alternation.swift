import Beacons

/// One interruption after the other, from a generator of its own; at the beginning there is none.
struct Alternation: Sendable {
    private let interruption: TagChannel.Interruption
    private var generator: Xoshiro256
    private(set) var isOn = false
    /// When this changes.
    private(set) var end: Instant

    init(_ interruption: TagChannel.Interruption, seed: UInt64, from start: Instant) {
        self.interruption = interruption
        generator = Xoshiro256(seed: seed)
        end = start + generator.exponential(mean: interruption.pause)
    }

    mutating func advance() {
        isOn.toggle()
        let length = isOn ? generator.uniform(in: interruption.length) : generator.exponential(mean: interruption.pause)
        end = end + length
    }
}

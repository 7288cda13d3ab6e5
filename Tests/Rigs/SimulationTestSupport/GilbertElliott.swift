import Beacons
import Simulation

/// The states of `Bursts` one after the other, exactly, from a generator of its own; it begins in either with the share of time it deserves.
public struct GilbertElliott: Sendable {
    /// What it draws from.
    public let bursts: Bursts
    /// Whether the present state is the bad one.
    public private(set) var isBad: Bool
    /// When the present state ends; being exponential, it has no age at the beginning.
    public private(set) var end: Instant
    private var generator: Xoshiro256

    /// A sequence that begins at `start`.
    public init(_ bursts: Bursts, seed: UInt64, from start: Instant = .zero) {
        self.bursts = bursts
        generator = Xoshiro256(seed: seed)
        isBad = generator.chance(bursts.share)
        end = start
        end = start + length()
    }

    /// Goes on to the next state.
    public mutating func advance() {
        isBad.toggle()
        end = end + length()
    }

    /// Whether the state at `time` is bad; times may not go back.
    public mutating func isBad(at time: Instant) -> Bool {
        while end <= time { advance() }
        return isBad
    }

    /// At most a hundred years, so that what never ends does not overflow.
    private mutating func length() -> Interval {
        min(generator.exponential(mean: isBad ? bursts.meanLength : bursts.meanPause), .seconds(3.2e9))
    }
}

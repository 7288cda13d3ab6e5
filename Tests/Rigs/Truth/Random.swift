import Beacons
import Glibc
import Simulation

/// The seeded generator of the tables (xoshiro256++, Blackman and Vigna 2019): the same seed, the same figures.
///
/// `Xoshiro256` of SimulationTestSupport would serve as well. This one stays because the published figures of the decision ExitModel belong to its numbers.
struct Random {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    init(seed: UInt64) {
        var words = SplitMix64(seed: seed)
        state = (words.next(), words.next(), words.next(), words.next())
    }

    mutating func next() -> UInt64 {
        func rotated(_ x: UInt64, _ k: UInt64) -> UInt64 { x << k | x >> (64 - k) }
        let result = rotated(state.0 &+ state.3, 23) &+ state.0
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotated(state.3, 45)
        return result
    }

    /// Above 0, up to 1.
    mutating func unit() -> Double { Double((next() >> 11) &+ 1) * 0x1p-53 }

    mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + unit() * (range.upperBound - range.lowerBound)
    }

    mutating func exponential(mean: Double) -> Double { -mean * log(unit()) }

    mutating func gaussian() -> Double {
        Variates.normal(unit(), unit())
    }
}

import Beacons
import Glibc

/// The distributions that the simulation draws from, over any generator.
extension RandomNumberGenerator {
    /// 0 up to, but not, 1, in steps of 2^-53.
    @inlinable
    public mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Evenly from `range`.
    @inlinable
    public mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }

    /// Evenly from `range`, to the nanosecond.
    @inlinable
    public mutating func uniform(in range: ClosedRange<Interval>) -> Interval {
        Interval(nanoseconds: .random(in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds, using: &self))
    }

    /// True with `probability`: never at 0 or below, always at 1 or above.
    @inlinable
    public mutating func chance(_ probability: Double) -> Bool {
        uniform() < probability
    }

    /// Mean 0, variance 1 (Marsaglia's polar method; the second value is thrown away, so that the state is the generator's alone).
    @inlinable
    public mutating func gaussian() -> Double {
        while true {
            let x = 2 * uniform() - 1
            let y = 2 * uniform() - 1
            let square = x * x + y * y
            if square > 0, square < 1 { return x * (-2 * log(square) / square).squareRoot() }
        }
    }

    /// The time to the next event of a Poisson process whose events are `mean` apart on average.
    @inlinable
    public mutating func exponential(mean: Interval) -> Interval {
        .seconds(-log(1 - uniform()) * mean.seconds)
    }

    /// The number of attempts up to and including the first success, at `probability` each; at most 2^40, which is what 0 gives.
    @inlinable
    public mutating func geometric(_ probability: Double) -> Int64 {
        let limit = Int64(1) << 40
        guard probability > 0 else { return limit }
        guard probability < 1 else { return 1 }
        let trials = log(1 - uniform()) / log1p(-probability)
        return trials < Double(limit) ? 1 + Int64(trials) : limit
    }
}

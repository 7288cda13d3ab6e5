import Glibc

/// The distributions of the simulations, as functions of 64 random bits: from a generator, or from a hash of a place and a time.
public enum Variates {
    /// 0 up to, but not, 1, in steps of 2^-53.
    @inlinable
    public static func uniform(from bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

    /// Mean 0 and variance 1, nearly normal: the sum of the four quarters of the bits, bounded by 3.5 standard deviations.
    @inlinable
    public static func normal(from bits: UInt64) -> Double {
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
        return (Double(sum) - 131_070) / 37_837.2
    }

    /// Mean 0 and variance 1, exactly normal, from two uniform values of which the first is above 0 (Box and Muller).
    @inlinable
    public static func normal(_ first: Double, _ second: Double) -> Double {
        (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
    }
}

/// The distributions that the simulations draw from, over any generator.
extension RandomNumberGenerator {
    /// 0 up to, but not, 1, in steps of 2^-53.
    @inlinable
    public mutating func uniform() -> Double {
        Variates.uniform(from: next())
    }

    /// Evenly from `range`.
    @inlinable
    public mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
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
}

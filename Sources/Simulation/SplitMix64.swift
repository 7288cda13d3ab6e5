/// Steele, Lea and Flood's generator of 2014: one word of state, every 64-bit value once per period of 2^64.
///
/// Its scrambling of a counter also serves as the hash from which the shared world is drawn, and as the seed of `Xoshiro256`.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    /// The counter; equal states go on alike.
    public var state: UInt64

    /// The stream that belongs to `seed`; any value is good.
    @inlinable
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    @inlinable
    public mutating func next() -> UInt64 {
        state &+= SplitMix64.increment
        return SplitMix64.scrambled(state)
    }

    /// 2^64 divided by the golden ratio: the step of the counter.
    @usableFromInline
    static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// A bijection of 64 bits under which each bit of the argument moves half of the result's.
    @inlinable
    public static func scrambled(_ bits: UInt64) -> UInt64 {
        var z = bits
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

import Beacons

/// xoshiro256** of Blackman and Vigna (2018): four words of state, a period of 2^256 - 1, about a nanosecond a value.
///
/// The same seed gives the same stream on every machine; nothing here is fit for secrets.
public struct Xoshiro256: RandomNumberGenerator, Hashable, Sendable {
    @usableFromInline var a: UInt64
    @usableFromInline var b: UInt64
    @usableFromInline var c: UInt64
    @usableFromInline var d: UInt64

    /// The stream that belongs to `seed`; any value is good, as `SplitMix64` spreads it over the four words.
    @inlinable
    public init(seed: UInt64) {
        var words = SplitMix64(seed: seed)
        self.init(state: (words.next(), words.next(), words.next(), words.next()))
    }

    /// A stream from its four words, which may not all be zero: the generator would stay there.
    @inlinable
    public init(state: (UInt64, UInt64, UInt64, UInt64)) {
        precondition(state.0 | state.1 | state.2 | state.3 != 0, "all four words are zero")
        (a, b, c, d) = state
    }

    /// The next 64 bits.
    @inlinable
    public mutating func next() -> UInt64 {
        let result = Xoshiro256.rotated(b &* 5, by: 7) &* 9
        let shifted = b << 17
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = Xoshiro256.rotated(d, by: 45)
        return result
    }

    @inlinable
    static func rotated(_ word: UInt64, by count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
}

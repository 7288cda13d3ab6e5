/// A random generator whose numbers follow from its seed alone, on every machine: Steele, Lea and Flood's SplitMix64 of 2014.
///
/// Its state is one word, and each 64-bit value comes once in 2^64 numbers. It is fast, and unfit for secrets.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    /// The generator's counter. Generators with equal states return equal numbers.
    public var state: UInt64

    /// Creates the generator of a seed; any seed is good.
    @inlinable
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 random bits.
    @inlinable
    public mutating func next() -> UInt64 {
        state &+= SplitMix64.increment
        return SplitMix64.scrambled(state)
    }

    /// The step of the counter: 2^64 divided by the golden ratio.
    public static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Returns a hash of 64 bits. No two arguments have the same hash, and each bit of the argument changes half of the hash's bits.
    @inlinable
    public static func scrambled(_ bits: UInt64) -> UInt64 {
        var mixed = bits
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

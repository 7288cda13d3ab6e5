import Beacons

/// Smooth noise: independent values on a lattice, interpolated between its points, mean 0 and variance 1 everywhere.
///
/// The values are those of `Variates.normal(from:)`, bounded by 3.5 standard deviations, as shadowing is.
public enum Noise {
    /// Along time, decorrelated after `length` nanoseconds.
    package static func along(_ nanoseconds: Int64, length: Int64, seed: Seed) -> Double {
        let cell = nanoseconds.divided(by: length)
        let (_, share) = weights(Double(nanoseconds - cell * length) / Double(length))
        return between(value(seed, cell, 0, 0), value(seed, cell + 1, 0, 0), share: share)
    }

    /// A value between two independent ones, of the same variance as they have: `first` if `share` is 0, `second` if it is 1.
    @inlinable
    public static func between(_ first: Double, _ second: Double, share: Double) -> Double {
        ((1 - share) * first + share * second) / norm(1 - share, share)
    }

    /// In space, decorrelated after `size` metres.
    static func at(_ position: House.Position, size: Double, seed: Seed) -> Double {
        let (x, fractionX) = cell(position.x / size)
        let (y, fractionY) = cell(position.y / size)
        let (z, fractionZ) = cell(position.z / size)
        let (x0, x1) = weights(fractionX)
        let (y0, y1) = weights(fractionY)
        let (z0, z1) = weights(fractionZ)
        func row(_ y: Int64, _ z: Int64) -> Double { x0 * value(seed, x, y, z) + x1 * value(seed, x + 1, y, z) }
        let sum = z0 * (y0 * row(y, z) + y1 * row(y + 1, z)) + z1 * (y0 * row(y, z + 1) + y1 * row(y + 1, z + 1))
        return sum / (norm(x0, x1) * norm(y0, y1) * norm(z0, z1))
    }

    private static func cell(_ coordinate: Double) -> (Int64, Double) {
        let floor = coordinate.rounded(.down)
        return (Int64(floor), coordinate - floor)
    }

    private static func weights(_ fraction: Double) -> (Double, Double) {
        let smooth = fraction * fraction * (3 - 2 * fraction)
        return (1 - smooth, smooth)
    }

    /// A weighted sum of independent values has the variance of the squared weights: without this, noise is flat between the lattice's points.
    @usableFromInline
    static func norm(_ low: Double, _ high: Double) -> Double { (low * low + high * high).squareRoot() }

    private static func value(_ seed: Seed, _ x: Int64, _ y: Int64, _ z: Int64) -> Double {
        let key =
            seed.bits
            &+ UInt64(bitPattern: x) &* 0x9E37_79B9_7F4A_7C15
            &+ UInt64(bitPattern: y) &* 0xC2B2_AE3D_27D4_EB4F
            &+ UInt64(bitPattern: z) &* 0x1656_67B1_9E37_79F9
        return Variates.normal(from: SplitMix64.scrambled(key))
    }
}

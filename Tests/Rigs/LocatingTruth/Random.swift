import Glibc
import Simulation

/// The seeded generator of the generated houses, a linear congruential one.
///
/// `Xoshiro256` would serve as well. This one stays because all published accuracies and the floors of `houses check` belong to its numbers. The
/// distributions are those of `Simulation`.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }

    /// Mean 0 and variance 1, from two numbers.
    mutating func gaussian() -> Double { Variates.normal(max(uniform(), 1e-12), uniform()) }
}

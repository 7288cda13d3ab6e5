import Glibc

/// The formulas of the radio, each stated once. Every simulation uses them with parameters of its own.
///
/// | simulation | what it is for | what differs |
/// |---|---|---|
/// | `House.Channel` and `RadioLink` | the `simulation` radio, the load generator, the fleet simulator | the usual house; a function of seed and time |
/// | `TagChannel` | monitoring over days in the fleet simulator | no geometry: lost advertisements are skipped at once |
/// | `RadioField` in `Tests/Rigs/LocatingTruth` | the accuracy of rooms | harder than the usual house: waves, doors, passers, three channels |
/// | `SightingGaps` and `MonitoredHouse` in `Tests/Rigs/Truth` | the accuracy of exits over years | no geometry; independent of the gateway's code and of `TagChannel` |
///
/// The rigs keep their own sequences of random numbers, because the published accuracies belong to those sequences. Their formulas, the
/// geometry of `House`, and the distributions in `Variates` are shared.
public enum RadioModel {
    /// The loss in dB at a distance in metres, relative to the power at 1 m: ten times the exponent for each tenfold distance.
    @inlinable
    public static func distanceLoss(_ metres: Double, exponent: Double) -> Double { 10 * exponent * log10(metres) }

    /// The probability, 0 to 1, that a packet received with `level` dBm is decoded, if nothing else is on the air.
    ///
    /// - Parameters:
    ///   - sensitivity: The level in dBm at which half of the packets are decoded.
    ///   - softness: The dB that change the odds by a factor of e.
    @inlinable
    public static func decodingProbability(level: Double, sensitivity: Double, softness: Double) -> Double {
        1 / (1 + exp((sensitivity - level) / softness))
    }

    /// The fading of one packet in dB, from Rice's distribution with mean power 1.
    ///
    /// - Parameters:
    ///   - directness: Rice's K: the power of the direct path over that of all reflections.
    ///   - reflection: The reflections in phase and out of phase, each of mean 0 and variance 1.
    ///   - least: The least power that remains. It bounds how deep a packet fades.
    @inlinable
    public static func fading(
        directness: Double, reflection: (inPhase: Double, outOfPhase: Double), least: Double
    ) -> Double {
        let spread = (0.5 / (directness + 1)).squareRoot()
        let real = (directness / (directness + 1)).squareRoot() + spread * reflection.inPhase
        let imaginary = spread * reflection.outOfPhase
        return 10 * log10(max(real * real + imaginary * imaginary, least))
    }

    /// How far the carrier's body is turned: 1 if the carried tag faces the gateway, 0 if it is abreast, -1 if the body stands between.
    ///
    /// - Parameters:
    ///   - free: The unit vector in the plan from the body to the tag.
    ///   - nearest: Metres in the plan within which the direction counts less and less.
    public static func facing(
        _ free: (x: Double, y: Double), from tag: House.Position, to gateway: House.Position, nearest: Double = 1e-9
    ) -> Double {
        let (x, y) = (gateway.x - tag.x, gateway.y - tag.y)
        return (x * free.x + y * free.y) / max(nearest, (x * x + y * y).squareRoot())
    }
}

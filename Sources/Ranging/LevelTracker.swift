import Beacons

/// A Kalman filter on one level in dB that wanders: what ``Filter/kalman(drift:noise:)`` keeps.
struct LevelTracker: Sendable {
    private var level = 0.0
    private var variance = 0.0
    private var at: Instant?

    /// A value so many standard deviations off counts as one this far off.
    private static let clip = 2.5
    /// Sightings within a second share their multipath: more than these are not worth more.
    private static let most = 4

    /// Takes the median of `count` sightings, and returns the level.
    mutating func update(_ value: Double, count: Int, drift: Double, noise: Double, at now: Instant) -> Double {
        let noise = max(0.01, noise) / Double(max(1, min(count, Self.most)))
        guard let before = at else {
            (level, variance, at) = (value, noise, now)
            return value
        }
        variance += max(0, drift) * max(0, (now - before).seconds)
        let deviation = Self.clip * (variance + noise).squareRoot()
        let gain = variance / (variance + noise)
        level += gain * max(-deviation, min(deviation, value - level))
        variance *= 1 - gain
        at = now
        return level
    }

    mutating func reset() { at = nil }
}

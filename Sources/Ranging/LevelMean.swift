import Beacons

/// The mean level of a still beacon over some minutes, in dBm, and how far it may be from the true one.
///
/// A class that the first sample decided has to be revised soon where it was wrong, and a class that was right has to stand. So a mean counts for
/// what it is worth: by its standard error, which is some dB after seconds and falls below one dB within minutes.
struct LevelMean: Sendable {
    /// The variance of one window's mean about the level, in dB²: a window of a slow beacon has one sighting.
    private static let noise = Filter.standardNoise
    /// The variance of the level itself, in dB², which does not average out within its own time in seconds: people, doors, hands.
    private static let wander = 4.0
    private static let wanderTime = 60.0

    /// What was received so many seconds ago counts e times less.
    let memory: Double
    private(set) var level: Double
    /// What the last window counts for.
    private var weight = 1.0
    private var windows = 1.0
    private var seconds = 0.0

    /// The mean of one window.
    init(_ level: Double, memory: Double) {
        self.level = level
        self.memory = memory
    }

    /// Takes the mean level of a window that ended so many seconds after the last one with a sighting.
    mutating func take(_ window: Double, after pause: Double) {
        windows += 1
        seconds = min(memory, seconds + max(0, pause))
        weight = max(1 / windows, min(1, max(0, pause) / memory))
        level += weight * (window - level)
    }

    /// By so many dB it is off, in the root mean square.
    var standardError: Double {
        let share = seconds > Self.wanderTime ? Self.wanderTime / seconds : 1
        return (Self.noise * weight + Self.wander * share).squareRoot()
    }
}

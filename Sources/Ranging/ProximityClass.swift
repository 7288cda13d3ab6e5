import Beacons

/// Decides the proximity class of a distance, with hysteresis: a still beacon keeps its class although its RSSI varies.
///
/// The class changes in two cases:
/// - The beacon moved: for some windows in a row, the level is beyond the border by more than a margin in dB.
/// - The first class was wrong: the mean of some minutes is beyond the border by more than the error of that mean.
///
/// `Truth ranging` counts the changes of a still tag on a border, with people passing: less than one an hour.
struct ProximityClass: Sendable {
    private(set) var current = Proximity.unknown
    private var pending = Proximity.unknown
    private var pendingWindows = 0
    /// The mean levels of the last minutes since the beacon moved: one follows soon, one knows better.
    private var short = LevelMean(0, memory: shortMemory)
    private var long = LevelMean(0, memory: longMemory)
    private var at = Instant.zero

    /// The margin in dB: more than twice the standard deviation of a filtered level while people walk by.
    private static let margin = 6.0
    /// Windows before a nearer class: few, because hardly anything but coming nearer raises the level.
    private static let windowsNearer = 4
    /// Windows before a farther class: more, because a passing body lowers the level as well.
    private static let windowsFarther = 12
    /// In seconds; and how many standard errors a mean has to lie beyond a border. With less, a beacon on a border changes its class more than once
    /// an hour; the longer mean takes fewer, as it changes more slowly.
    private static let shortMemory = 120.0
    private static let shortCertainty = 2.0
    private static let longMemory = 900.0
    private static let longCertainty = 1.75

    /// The RSSI values in dBm at which the classes meet.
    struct Borders: Sendable {
        /// In metres, the distance at which immediate ends. `Proximity` and the page RulesOfTruth promise it.
        static let immediateMetres = 0.5
        /// In metres, the distance at which near ends. `Proximity` and the page RulesOfTruth promise it.
        static let nearMetres = 4.0

        var immediate: Double
        var near: Double

        init(_ model: PathLoss, power: MeasuredPower) {
            immediate = model.forClasses.level(at: Self.immediateMetres, power: power)
            near = model.forClasses.level(at: Self.nearMetres, power: power)
        }

        func plain(_ level: Double) -> Proximity { level > immediate ? .immediate : level > near ? .near : .far }
    }

    /// The class after one more window: `level` is the filtered level, `mean` that of the window's sightings alone.
    mutating func update(level: Double, mean: Double, borders: Borders, at now: Instant) -> Proximity {
        let pause = (now - at).seconds
        at = now
        guard current != .unknown else {
            become(borders.plain(level), from: mean)
            return current
        }
        short.take(mean, after: pause)
        long.take(mean, after: pause)
        if let other = other(level, Self.margin, borders) {
            pendingWindows = pending == other ? pendingWindows + 1 : 1
            pending = other
            if pendingWindows >= (other < current ? Self.windowsNearer : Self.windowsFarther) {
                become(other, from: mean)
            }
        } else {
            pendingWindows = 0
            let revised =
                other(short.level, Self.shortCertainty * short.standardError, borders)
                ?? other(long.level, Self.longCertainty * long.standardError, borders)
            // It has not moved: what is known of its level stays.
            if let revised { current = revised }
        }
        return current
    }

    /// It is somewhere else than before.
    private mutating func become(_ proximity: Proximity, from mean: Double) {
        current = proximity
        pendingWindows = 0
        short = LevelMean(mean, memory: Self.shortMemory)
        long = LevelMean(mean, memory: Self.longMemory)
    }

    /// The class beyond the margin; `nil` if it is the present one.
    private func other(_ level: Double, _ margin: Double, _ borders: Borders) -> Proximity? {
        let (nearest, farthest) = (borders.plain(level + margin), borders.plain(level - margin))
        return farthest < current ? farthest : nearest > current ? nearest : nil
    }

    /// Decides anew with the next level.
    mutating func reset() { self = ProximityClass() }
}

extension Proximity {
    /// The nearer is the smaller.
    fileprivate static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
    fileprivate static func > (left: Self, right: Self) -> Bool { right < left }

    private var rank: Int {
        switch self {
        case .immediate: 0
        case .near: 1
        case .far: 2
        case .unknown: 3
        }
    }
}

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

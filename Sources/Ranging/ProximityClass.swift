import Beacons

/// Decides the proximity class of a distance, with hysteresis: a still beacon keeps its class although its RSSI varies.
///
/// The class changes in two cases:
/// - The beacon moved: for some windows in a row, the filtered RSSI is beyond the border by more than a margin in dB.
/// - The first class was wrong: the mean of some minutes is beyond the border by more than the error of that mean.
///
/// `make truth` counts the changes of a still tag whose RSSI is on a border while people pass: fewer than one an hour.
struct ProximityClass: Sendable {
    /// The class of the last window; `unknown` before the first one.
    private(set) var current = Proximity.unknown
    /// The class that the last windows were in beyond the margin, and how many in a row.
    private var pending = Proximity.unknown
    private var pendingWindows = 0
    /// The mean RSSI of the last minutes since the beacon moved. The short mean follows sooner, the long mean is more precise.
    private var short = MeanRSSI(0, memory: shortMemory)
    private var long = MeanRSSI(0, memory: longMemory)
    private var lastWindow = Instant.zero

    /// The margin in dB: more than twice the standard deviation of a filtered RSSI while people walk by.
    private static let margin = 6.0
    /// Windows before a nearer class: few, because hardly anything but a nearer beacon raises the RSSI.
    private static let windowsNearer = 4
    /// Windows before a farther class: more, because a passing body lowers the RSSI as well.
    private static let windowsFarther = 12
    /// How long the two means remember, in seconds, and by how many standard errors each must be beyond a border. With lower values, a beacon
    /// on a border changes its class more than once an hour. The long mean changes more slowly, so fewer standard errors suffice for it.
    private static let shortMemory = 120.0
    private static let shortCertainty = 2.0
    private static let longMemory = 900.0
    private static let longCertainty = 1.75

    /// The RSSI values in dBm at which the classes meet.
    struct Borders: Sendable {
        /// The distance at which immediate ends, in metres. `Proximity` and the page RulesOfTruth promise it.
        static let immediateMetres = 0.5
        /// The distance at which near ends, in metres. `Proximity` and the page RulesOfTruth promise it.
        static let nearMetres = 4.0

        var immediate: Double
        var near: Double

        init(_ model: PathLoss, power: MeasuredPower) {
            immediate = model.forClasses.level(at: Self.immediateMetres, power: power)
            near = model.forClasses.level(at: Self.nearMetres, power: power)
        }

        /// The class of an RSSI in dBm, without hysteresis.
        func proximity(of rssi: Double) -> Proximity { rssi > immediate ? .immediate : rssi > near ? .near : .far }
    }

    /// Returns the class after one more window.
    ///
    /// - Parameters:
    ///   - level: the filtered RSSI, in dBm.
    ///   - mean: the mean RSSI of the window's own sightings, in dBm; `nil` without any.
    mutating func update(level: Double, mean: Double?, borders: Borders, at now: Instant) -> Proximity {
        if current == .unknown {
            become(borders.proximity(of: level), from: mean ?? level)
            lastWindow = now
            return current
        }
        guard let mean else { return current }
        let pause = (now - lastWindow).seconds
        lastWindow = now
        short.add(mean, after: pause)
        long.add(mean, after: pause)
        if let other = other(level, Self.margin, borders) {
            pendingWindows = pending == other ? pendingWindows + 1 : 1
            pending = other
            if pendingWindows >= (other < current ? Self.windowsNearer : Self.windowsFarther) {
                become(other, from: mean)
            }
        } else {
            pendingWindows = 0
            let revised =
                other(short.rssi, Self.shortCertainty * short.standardError, borders)
                ?? other(long.rssi, Self.longCertainty * long.standardError, borders)
            // The first class was wrong and the beacon has not moved, so the means go on.
            if let revised { current = revised }
        }
        return current
    }

    /// Changes the class of a beacon that has moved, and starts both means again from the present RSSI.
    private mutating func become(_ proximity: Proximity, from mean: Double) {
        current = proximity
        pendingWindows = 0
        short = MeanRSSI(mean, memory: Self.shortMemory)
        long = MeanRSSI(mean, memory: Self.longMemory)
    }

    /// The class of an RSSI that is wrong by up to the margin; `nil` if it may be the present class.
    private func other(_ level: Double, _ margin: Double, _ borders: Borders) -> Proximity? {
        let (nearest, farthest) = (borders.proximity(of: level + margin), borders.proximity(of: level - margin))
        return farthest < current ? farthest : nearest > current ? nearest : nil
    }
}

extension Proximity {
    /// Whether the left class is the nearer one.
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

/// The mean RSSI of a still beacon over some minutes, in dBm, with its standard error.
///
/// A class that the first window decided must be revised soon if it was wrong, and must stand if it was right. Therefore a mean counts by its
/// standard error, which is some dB after seconds and falls below one dB within minutes.
struct MeanRSSI: Sendable {
    /// The variance of one window's mean RSSI, in dB²; a window of a slow beacon has one sighting.
    private static let noise = Filter.standardNoise
    /// The variance of slow changes, in dB², by people, doors and hands. It does not average out within `wanderTime` seconds.
    private static let wander = 4.0
    private static let wanderTime = 60.0

    /// The time constant in seconds: an older window counts for less.
    let memory: Double
    /// The mean, in dBm.
    private(set) var rssi: Double
    /// The weight of the last window.
    private var weight = 1.0
    private var windows = 1.0
    private var seconds = 0.0

    /// The mean of one window, in dBm.
    init(_ rssi: Double, memory: Double) {
        self.rssi = rssi
        self.memory = memory
    }

    /// Adds the mean RSSI of a window that ended `pause` seconds after the last window with a sighting.
    mutating func add(_ window: Double, after pause: Double) {
        windows += 1
        seconds = min(memory, seconds + max(0, pause))
        weight = max(1 / windows, min(1, max(0, pause) / memory))
        rssi += weight * (window - rssi)
    }

    /// The standard error of the mean, in dB.
    var standardError: Double {
        let share = seconds > Self.wanderTime ? Self.wanderTime / seconds : 1
        return (Self.noise * weight + Self.wander * share).squareRoot()
    }
}

import Beacons

/// The class of a distance, with hysteresis: a still beacon keeps its class, though its level never stands still.
///
/// Another class is said where it would be the same with a level some dB nearer to that of the present one, and for some windows on end.
/// `Truth ranging` counts the changes of a tag that lies right on a border, with people passing: less than one an hour.
struct ProximityClass: Sendable {
    private(set) var current = Proximity.unknown
    private var pending = Proximity.unknown
    private var pendingWindows = 0
    /// The mean level of the last minutes, and of how many windows it is.
    private var slow = 0.0
    private var slowWindows = 0.0

    /// Twice the standard deviation of a filtered level with people about, and more, in dB.
    private static let margin = 6.0
    /// Nearer soon, as hardly anything makes a level rise but coming nearer,
    private static let windowsNearer = 4
    /// farther late, as a body that passes makes it fall, too.
    private static let windowsFarther = 12
    /// The mean of minutes may be believed sooner: a tag that was put down 3 m away is not `far` for ever.
    private static let slowMargin = 3.0
    private static let slowMemory = 120.0

    /// The levels in dBm at which the classes meet.
    struct Borders: Sendable {
        var immediate: Double
        var near: Double

        init(_ model: PathLoss, power: MeasuredPower) {
            immediate = model.level(at: 0.5, power: power)
            near = model.level(at: 4, power: power)
        }

        func plain(_ level: Double) -> Proximity { level > immediate ? .immediate : level > near ? .near : .far }
    }

    /// The class after one more window, whose level is this.
    mutating func update(level: Double, borders: Borders) -> Proximity {
        guard current != .unknown else {
            become(borders.plain(level))
            return current
        }
        slowWindows = min(slowWindows + 1, Self.slowMemory)
        slow += (level - slow) / slowWindows
        if let other = other(level, Self.margin, borders) {
            pendingWindows = pending == other ? pendingWindows + 1 : 1
            pending = other
            if pendingWindows >= (other < current ? Self.windowsNearer : Self.windowsFarther) { become(other) }
        } else {
            pendingWindows = 0
            if slowWindows == Self.slowMemory, let other = other(slow, Self.slowMargin, borders) { become(other) }
        }
        return current
    }

    private mutating func become(_ proximity: Proximity) {
        current = proximity
        (pendingWindows, slow, slowWindows) = (0, 0, 0)
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

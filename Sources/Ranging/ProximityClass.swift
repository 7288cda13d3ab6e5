import Beacons

/// The class of a distance, with hysteresis: a still beacon keeps its class, though its level never stands still.
struct ProximityClass: Sendable {
    private(set) var current = Proximity.unknown
    private var pending = Proximity.unknown
    private var pendingWindows = 0

    /// Another class is said only where it would be the same with a level so many dB nearer to the present one's,
    static let margin = 5.0
    /// and for so many windows on end. Together they keep a tag right on a border to less than one change an hour.
    static let patience = 3

    /// The class at `distance(level)`, given the one before. `distance` falls with the level.
    mutating func update(level: Double, distance: (Double) -> Double) -> Proximity {
        let plain = Self.plain(distance(level))
        guard current != .unknown else {
            current = plain
            return current
        }
        let nearer = Self.plain(distance(level - Self.margin))
        let farther = Self.plain(distance(level + Self.margin))
        let wanted =
            if Self.rank(nearer) < Self.rank(current) { nearer }
            else if Self.rank(farther) > Self.rank(current) { farther }
            else { current }
        pendingWindows = wanted == current ? 0 : wanted == pending ? pendingWindows + 1 : 1
        pending = wanted
        if pendingWindows >= Self.patience {
            current = wanted
            pendingWindows = 0
        }
        return current
    }

    /// Decides anew with the next level.
    mutating func reset() { self = ProximityClass() }

    private static func plain(_ metres: Double) -> Proximity { metres < 0.5 ? .immediate : metres < 4 ? .near : .far }

    private static func rank(_ proximity: Proximity) -> Int {
        switch proximity {
        case .immediate: 0
        case .near: 1
        case .far: 2
        case .unknown: 3
        }
    }
}

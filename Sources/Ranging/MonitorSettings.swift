import Beacons

/// After how long a silence a beacon counts as gone.
public enum ExitAfter: Hashable, Sendable {
    /// The default rate of false exits: one per beacon in 20 days.
    public static let standardFalseExitsPerDay = 0.05

    /// The silence that is implausible for this beacon, as its past has shown it, at this rate of false exits per beacon and day.
    case auto(falseExitsPerDay: Double)
    /// The same silence for every beacon.
    case fixed(Interval)
}

extension Monitor {
    /// How a monitor decides.
    public struct Settings: Hashable, Sendable {
        /// The silence after which a beacon counts as gone; a fixed one is 100 ms at least and 30 days at most.
        public var exitAfter: ExitAfter
        /// A beacon enters only with sightings at least as strong; one whose RSSI is not available counts as -100 dBm. Once inside, any will do.
        public var enterRSSI: RSSI
        /// So many such sightings confirm an enter, none of them a minute or more after the one before; at least 1.
        public var enterSightings: Int
        /// How many beacons are remembered that only a wildcard region names. Of more, the longest silent that is outside is forgotten. Where all
        /// are inside, the one with the fewest sightings makes room, some ten times a second at most; beyond that the newcomer is refused.
        /// Both are counted.
        public var memberLimit: Int

        /// Settings, each with the default of the configuration.
        public init(
            exitAfter: ExitAfter = .auto(falseExitsPerDay: ExitAfter.standardFalseExitsPerDay),
            enterRSSI: RSSI = RSSI(dBm: -100)!,
            enterSightings: Int = 1,
            memberLimit: Int = 1000
        ) {
            self.exitAfter = exitAfter.clamped
            self.enterRSSI = enterRSSI
            self.enterSightings = max(1, enterSightings)
            self.memberLimit = max(0, memberLimit)
        }
    }
}

extension ExitAfter {
    /// A fixed time of 100 ms at least and 30 days at most.
    fileprivate var clamped: ExitAfter {
        guard case .fixed(let silence) = self else { return self }
        return .fixed(max(.milliseconds(100), min(.seconds(30 * 86_400), silence)))
    }

    /// What is required of a beacon of which nothing is known.
    var initialSilence: Interval {
        switch self {
        case .auto: SilenceModel.initialSilence
        case .fixed(let silence): silence
        }
    }
}

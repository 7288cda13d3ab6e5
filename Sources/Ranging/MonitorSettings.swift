import Beacons

/// The silence after which a beacon counts as gone.
package enum ExitAfter: Hashable, Sendable {
    /// The default rate of false exits: one per beacon in 20 days.
    package static let standardFalseExitsPerDay = 0.05

    /// The silence that is implausible for this beacon, as its past has shown it, at this rate of false exits per beacon and day.
    case auto(falseExitsPerDay: Double)
    /// The same silence for every beacon; longer by up to one interval of the beacon, so that no advertisement is due right after the silence.
    case fixed(Interval)

    /// A fixed time of 100 ms at least and 30 days at most.
    fileprivate var clamped: ExitAfter {
        guard case .fixed(let silence) = self else { return self }
        return .fixed(max(.milliseconds(100), min(.seconds(30 * 86_400), silence)))
    }

    /// The rate of false exits that a model tolerates; with a fixed time, the model decides nothing.
    var falseExitsPerDay: Double {
        if case .auto(let rate) = self { rate } else { Self.standardFalseExitsPerDay }
    }

    /// The required silence of a beacon of which nothing is known.
    var initialSilence: Interval {
        switch self {
        case .auto: SilenceModel.initialSilence
        case .fixed(let silence): silence
        }
    }
}

extension Monitor {
    /// The limits and times of a monitor's decisions.
    package struct Settings: Hashable, Sendable {
        /// The silence after which a beacon counts as gone; a fixed one is 100 ms at least and 30 days at most.
        package var exitAfter: ExitAfter
        /// The least RSSI of sightings that let a beacon enter. A sighting without an RSSI counts as -100 dBm. Once a beacon is inside, any
        /// sighting counts.
        package var enterRSSI: RSSI
        /// How many sightings of at least `enterRSSI` confirm an enter, each less than a minute after the one before; at least 1.
        package var enterSightings: Int
        /// How many beacons are remembered that only a wildcard region names.
        ///
        /// If there are more, the longest silent one that is outside is forgotten. If all are inside, the one with the fewest sightings
        /// makes room, about ten times a second at most. Beyond that rate, the new beacon is refused. Both are counted.
        package var memberLimit: Int

        /// Creates settings, each with the default of the configuration.
        package init(
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

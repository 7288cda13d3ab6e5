import Beacons

/// Decides when the ranged state of each beacon is published, from the last published state and the sightings since.
///
/// A state is published if its class changed, if the mean RSSI moved by 3 dB or more since the last published state, if the beacon's silence became
/// long, ten times rarer or ended, and at each heartbeat.
/// The decision is made at the end of a beacon's window, so at most once a second.
///
/// Three means are compared with the published one:
/// - the mean of all sightings since the last state: it shows small moves, but it shows large ones late. After eight seconds of rest, a jump
///   by 12 dB moves it by little more than 1 dB;
/// - the mean of the last window, for jumps;
/// - the mean of the last few windows: while a person walks, the RSSI changes less in a second than one window can distinguish from chance.
///
/// A mean of few sightings moves by chance: with the usual scatter of 5 dB indoors, by 3 dB in every other second. A move counts only if this
/// beacon's own scatter does not explain it. Otherwise a house full of still items would publish all the time. A beacon that
/// is received no more often than each four tenths of a heartbeat is so rare that a move of its next window counts whatever the scatter.
package struct ProximityBoard: Sendable {
    /// The ranged state of one beacon that is to be published.
    package struct Posting: Sendable {
        /// The window that has just ended, with the class and the distance.
        package var ranged: RangedBeacon
        /// The mean RSSI of the sightings since the last posting, as received; `nil` where there was none.
        package var rssi: Double?
        /// The number of sightings since the last posting.
        package var sightings: Int
        /// The silence of the beacon, if it is unusually long.
        package var silence: LongSilence?
    }

    private struct Entry: Sendable {
        var posted: (proximity: Proximity, rssi: Double?, windows: Int, at: Instant)?
        /// The level of the silence that was posted last; `nil` if none was, or if it has ended.
        var postedLevel: Int?
        /// Whether the broker may have a state of the beacon.
        var wasPosted = false
        var latest: RangedBeacon?
        var sum = 0.0
        var measured = 0
        var sightings = 0
        /// Windows with a sighting since the last posting.
        var windows = 0
        /// The end of the last window with a sighting.
        var received: Instant?
        /// How many pauses of `pause` or more it had in a row, up to `pausesOfRare`.
        var pauses = 0
        var scatter = Scatter()
        var recent = Recent()

        /// Whether a mean over so many windows differs from the published mean by more than so many standard errors.
        func hasMoved(_ mean: Double, over windows: Double, certainty: Double) -> Bool {
            guard let posted, let rssi = posted.rssi else { return true }
            let chance = (scatter.variance * (1 / windows + 1 / Double(max(1, posted.windows)))).squareRoot()
            return abs(mean - rssi) >= max(ProximityBoard.smallestMove, certainty * chance)
        }
    }

    /// How much the mean of one window differs from that of the next, whatever the level does over longer times.
    private struct Scatter: Sendable {
        /// Of one window's mean, in dB².
        private(set) var variance = 0.0
        private var last: Double?
        private var count = 0

        mutating func add(_ mean: Double) {
            defer { last = mean }
            guard let last else { return }
            count += 1
            // Two that scatter alike differ by twice the variance. The last five or so count.
            variance += ((mean - last) * (mean - last) / 2 - variance) / Double(min(count, 5))
        }
    }

    /// The mean of the last windows, each counting for less than the one after it.
    private struct Recent: Sendable {
        /// What a new window counts for: two seconds ago is a third.
        private static let weight = 0.4

        private(set) var mean: Double?
        /// Of how many windows a plain mean would scatter alike.
        private(set) var windows = 1.0

        mutating func add(_ window: Double) {
            guard let before = mean else { return mean = window }
            let rest = 1 - Self.weight
            mean = before + Self.weight * (window - before)
            windows = 1 / (rest * rest / windows + Self.weight * Self.weight)
        }
    }

    /// The least move in dB that is published.
    private static let smallestMove = 3.0
    /// A move of the mean since the last posting, or of the last few windows, is none until it is so many standard errors.
    private static let certainty = 2.0
    /// Likewise one of the last window alone, of which there are many more that could move by chance.
    private static let certaintyOfJump = 3.0
    /// Heartbeats without a sighting after which the next window needs no certainty. A change of room of a beacon that sends every 5 s is
    /// published 2 s earlier, with a tenth more messages.
    private static let pause = 0.4
    /// So many such pauses in a row have beacons that send so rarely, and hardly those of which much is lost.
    private static let pausesOfRare = 3

    private let heartbeat: Interval
    private var entries: [BeaconIdentity: Entry] = [:]

    /// Creates an empty board that publishes each beacon at least once per `heartbeat`.
    package init(heartbeat: Interval) {
        self.heartbeat = heartbeat
    }

    /// The beacons of which the broker may hold a state.
    package var posted: [BeaconIdentity] { entries.filter(\.value.wasPosted).keys.sorted() }

    package var count: Int { entries.count }

    /// The last window of a beacon; `nil` if it is not ranged.
    package func latest(of beacon: BeaconIdentity) -> RangedBeacon? { entries[beacon]?.latest }

    /// Records the end of a beacon's window. Returns the state to publish; `nil` if none is due.
    ///
    /// - Parameter silence: the beacon's silence, if it is unusually long.
    package mutating func update(with ranged: RangedBeacon, silence: LongSilence? = nil) -> Posting? {
        var entry = entries[ranged.identity] ?? Entry()
        if let mean = ranged.rssiMean {
            entry.sum += mean * Double(ranged.sightings)
            entry.measured += ranged.sightings
            entry.windows += 1
            entry.recent.add(mean)
        }
        entry.sightings += ranged.sightings
        entry.latest = ranged
        defer { entries[ranged.identity] = entry }
        if ranged.rssiMean != nil, let received = entry.received {
            let isPause = ranged.at - received >= heartbeat * Self.pause
            entry.pauses = isPause ? min(entry.pauses + 1, Self.pausesOfRare) : 0
        }
        let mean = entry.measured > 0 ? entry.sum / Double(entry.measured) : nil
        let isDue = isDue(entry, ranged, mean) || isNews(silence, of: entry)
        // Only now: a jump that counted as scatter would hide itself.
        if let window = ranged.rssiMean {
            entry.scatter.add(window)
            entry.received = ranged.at
        }
        guard isDue else { return nil }
        let posting = Posting(ranged: ranged, rssi: mean, sightings: entry.sightings, silence: silence)
        let windows = mean == nil ? entry.posted?.windows ?? 0 : entry.windows
        entry = Entry(
            posted: (ranged.proximity, mean ?? entry.posted?.rssi, windows, ranged.at),
            postedLevel: silence?.level, wasPosted: true, latest: ranged, received: entry.received,
            pauses: entry.pauses, scatter: entry.scatter, recent: entry.recent)
        return posting
    }

    /// Whether a silence is rarer by a power of ten than what was posted, or a posted silence has ended.
    private func isNews(_ silence: LongSilence?, of entry: Entry) -> Bool {
        guard let silence else { return entry.postedLevel != nil && entry.sightings > 0 }
        return silence.level > entry.postedLevel ?? -1
    }

    private func isDue(_ entry: Entry, _ ranged: RangedBeacon, _ mean: Double?) -> Bool {
        guard let posted = entry.posted else { return true }
        if posted.proximity != ranged.proximity { return true }
        if let mean, entry.hasMoved(mean, over: Double(entry.windows), certainty: Self.certainty) { return true }
        if let window = ranged.rssiMean, let recent = entry.recent.mean {
            let isRare = entry.pauses == Self.pausesOfRare
            if entry.hasMoved(window, over: 1, certainty: isRare ? 0 : Self.certaintyOfJump) { return true }
            if entry.hasMoved(recent, over: entry.recent.windows, certainty: Self.certainty) { return true }
        }
        return ranged.at - posted.at >= heartbeat
    }

    /// Whether the broker may have a state of a beacon.
    package func hasPosted(_ beacon: BeaconIdentity) -> Bool { entries[beacon]?.wasPosted ?? false }

    /// Forgets a beacon; returns whether the broker may have a state of it.
    package mutating func remove(_ beacon: BeaconIdentity) -> Bool {
        entries.removeValue(forKey: beacon)?.wasPosted ?? false
    }

    /// Publishes each beacon again at the end of its window, because the broker may have lost everything.
    package mutating func postAnew() {
        for beacon in entries.keys { entries[beacon]?.posted = nil }
    }
}

import Beacons

/// Decides when the ranged state of each beacon is published, at the end of the beacon's window: if its class changed, if its current RSSI differs by
/// 3 dB or more from the published one, if its silence became long, ten times rarer or ended, and at each heartbeat.
///
/// The current RSSI is the mean of the windows since the beacon last moved. It has moved if the mean of the last window (a jump), or of the last few (a
/// walk), differs from the published RSSI by more than the beacon's own scatter explains: else a house full of still items would publish all the time.
/// A beacon that is received no more often than each four tenths of a heartbeat is so rare that each difference of its next window counts. After three
/// heartbeats without a sighting the means begin anew: nobody knows where it was.
package struct ProximityBoard: Sendable {
    /// The ranged state of one beacon that is to be published.
    package struct Posting: Sendable {
        /// The window that has just ended, with the class and the distance.
        package var ranged: RangedBeacon
        /// The mean RSSI of the sightings since the last posting, as received; `nil` where there was none.
        package var rssi: Double?
        /// The mean RSSI of the windows since the beacon last moved, in dBm as received; `nil` where `rssi` is.
        package var currentRSSI: Double?
        /// The number of sightings since both the last posting and the last move.
        package var currentSightings: Int
        /// The number of sightings since the last posting.
        package var sightings: Int
        /// The silence of the beacon, if it is unusually long.
        package var silence: LongSilence?
    }

    private struct Entry: Sendable {
        var posted: (proximity: Proximity, rssi: MeanRSSI?, at: Instant)?
        /// The level of the silence that was posted last; `nil` if none was, or if it has ended.
        var postedLevel: Int?
        /// Whether the broker may have a state of the beacon.
        var wasPosted = false
        var latest: RangedBeacon?
        var (sum, measured, sightings, currentSightings) = (0.0, 0, 0, 0)
        /// The end of the last window with a sighting.
        var received: Instant?
        /// How many pauses of `pause` or more it had in a row, up to `pausesOfRare`.
        var pauses = 0
        var scatter = Scatter()
        /// Of the windows since the beacon last moved, and of the last few.
        var (current, recent): (MeanRSSI?, MeanRSSI?)

        /// Adds the mean RSSI of the sightings of a window, and begins the current RSSI anew if the beacon has moved.
        mutating func add(_ window: Double, of count: Int) {
            (sum, measured, currentSightings) = (
                sum + window * Double(count), measured + count, currentSightings + count
            )
            recent = recent?.adding(window, share: ProximityBoard.shareOfRecent) ?? MeanRSSI(window)
            current = current?.adding(window, share: ProximityBoard.shareOfCurrent) ?? MeanRSSI(window)
            guard let published = posted?.rssi, let recent else { return }
            let (jump, move) = (errors(MeanRSSI(window), from: published), errors(recent, from: published))
            let needed = pauses == ProximityBoard.pausesOfRare && jump > 0 ? 0 : ProximityBoard.certainty
            guard max(jump, move) >= needed else { return }
            let moved = jump >= move || move < ProximityBoard.certainty ? MeanRSSI(window) : recent
            (current, currentSightings) = (moved, min(sightings + count, Int(moved.windows * Double(count))))
        }

        /// By how many standard errors two means differ; 0 if by less than `smallestMove`.
        private func errors(_ mean: MeanRSSI, from published: MeanRSSI) -> Double {
            let difference = abs(mean.rssi - published.rssi)
            guard difference >= ProximityBoard.smallestMove else { return 0 }
            return difference / (scatter.variance * (1 / mean.windows + 1 / published.windows)).squareRoot()
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

    /// A mean of windows, of which each counts for less than the one after it once there are many.
    private struct MeanRSSI: Sendable {
        private(set) var rssi: Double
        /// Of how many windows a plain mean would scatter alike.
        private(set) var windows = 1.0
        init(_ window: Double) { rssi = window }

        /// The mean with another window, which counts for at least `share`.
        func adding(_ window: Double, share: Double) -> MeanRSSI {
            let share = max(share, 1 / (windows + 1))
            var mean = MeanRSSI(rssi + share * (window - rssi))
            mean.windows = 1 / ((1 - share) * (1 - share) / windows + share * share)
            return mean
        }
    }

    /// The least share of a new window in the mean of the last few (two seconds ago is a third), and in the current RSSI.
    private static let shareOfRecent = 0.4
    private static let shareOfCurrent = 1.0 / 9
    /// The least move in dB, and the least difference of the current RSSI that is published.
    private static let smallestMove = 3.0
    /// A move is none until it is so many standard errors. At 2.2, beacons are published 3 % more often.
    private static let certainty = 2.4
    /// Heartbeats without a sighting after which the next window needs no certainty: 2 s earlier at a tag of 5 s, with a tenth more messages.
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
        entry.latest = ranged
        defer { entries[ranged.identity] = entry }
        if ranged.rssiMean != nil, let received = entry.received {
            let isPause = ranged.at - received >= heartbeat * Self.pause
            entry.pauses = isPause ? min(entry.pauses + 1, Self.pausesOfRare) : 0
            if ranged.at - received >= heartbeat * 3 { (entry.current, entry.recent) = (nil, nil) }
        }
        if let window = ranged.rssiMean { entry.add(window, of: ranged.sightings) }
        entry.sightings += ranged.sightings
        let mean = entry.measured > 0 ? entry.sum / Double(entry.measured) : nil
        let isDue = isDue(entry, ranged) || isNews(silence, of: entry)
        // Only now: a jump that counted as scatter would hide itself.
        if let window = ranged.rssiMean {
            entry.scatter.add(window)
            entry.received = ranged.at
        }
        guard isDue else { return nil }
        let posting = Posting(
            ranged: ranged, rssi: mean, currentRSSI: mean == nil ? nil : entry.current?.rssi,
            currentSightings: entry.currentSightings, sightings: entry.sightings, silence: silence)
        entry.posted = (ranged.proximity, mean == nil ? entry.posted?.rssi : entry.current, ranged.at)
        (entry.postedLevel, entry.wasPosted) = (silence?.level, true)
        (entry.sum, entry.measured, entry.sightings, entry.currentSightings) = (0, 0, 0, 0)
        return posting
    }

    /// Whether a silence is rarer by a power of ten than what was posted, or a posted silence has ended.
    private func isNews(_ silence: LongSilence?, of entry: Entry) -> Bool {
        guard let silence else { return entry.postedLevel != nil && entry.sightings > 0 }
        return silence.level > entry.postedLevel ?? -1
    }

    private func isDue(_ entry: Entry, _ ranged: RangedBeacon) -> Bool {
        guard let posted = entry.posted, posted.proximity == ranged.proximity else { return true }
        if ranged.rssiMean != nil, let current = entry.current {
            guard let published = posted.rssi else { return true }
            if abs(current.rssi - published.rssi) >= Self.smallestMove { return true }
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

import Beacons
import Ranging

/// What was last published of each ranged beacon, and what has come in since: decides when to say something again.
///
/// A state is said when its class changed, when the mean RSSI moved by 3 dB or more since the last one said, and else at each heartbeat;
/// it is asked at most once a second, at the end of a beacon's window, and so says it at most that often.
struct ProximityBoard: Sendable {
    /// What is to be published of one beacon.
    struct Posting: Sendable {
        var ranged: RangedBeacon
        /// The mean RSSI of the sightings since the last posting, as received; `nil` where there was none.
        var rssi: Double?
        /// How many there were.
        var sightings: Int
    }

    private struct Entry: Sendable {
        var posted: (proximity: Proximity, rssi: Double?, at: Instant)?
        /// Whether the broker may hold something of it.
        var wasPosted = false
        var latest: RangedBeacon?
        var sum = 0.0
        var measured = 0
        var sightings = 0
    }

    static let smallestMove = 3.0

    private let heartbeat: Interval
    private var entries: [BeaconIdentity: Entry] = [:]

    init(heartbeat: Interval) {
        self.heartbeat = heartbeat
    }

    /// The beacons of which the broker may hold a state.
    var posted: [BeaconIdentity] { entries.filter(\.value.wasPosted).keys.sorted() }

    /// How many beacons are ranged.
    var count: Int { entries.count }

    /// What was ranged last of a beacon.
    func latest(of beacon: BeaconIdentity) -> RangedBeacon? { entries[beacon]?.latest }

    /// Takes the end of one beacon's window; what is to be published of it, if anything is.
    mutating func take(_ ranged: RangedBeacon) -> Posting? {
        var entry = entries[ranged.identity] ?? Entry()
        if let mean = ranged.rssiMean {
            entry.sum += mean * Double(ranged.sightings)
            entry.measured += ranged.sightings
        }
        entry.sightings += ranged.sightings
        entry.latest = ranged
        defer { entries[ranged.identity] = entry }
        let mean = entry.measured > 0 ? entry.sum / Double(entry.measured) : nil
        guard isDue(entry, ranged, mean) else { return nil }
        let posting = Posting(ranged: ranged, rssi: mean, sightings: entry.sightings)
        entry = Entry(
            posted: (ranged.proximity, mean ?? entry.posted?.rssi, ranged.at), wasPosted: true, latest: ranged)
        return posting
    }

    private func isDue(_ entry: Entry, _ ranged: RangedBeacon, _ mean: Double?) -> Bool {
        guard let posted = entry.posted else { return true }
        if posted.proximity != ranged.proximity { return true }
        if let mean, abs(mean - (posted.rssi ?? -.infinity)) >= Self.smallestMove { return true }
        return ranged.at - posted.at >= heartbeat
    }

    /// Whether the broker may hold something of a beacon.
    func hasPosted(_ beacon: BeaconIdentity) -> Bool { entries[beacon]?.wasPosted ?? false }

    /// Forgets a beacon; whether the broker may hold something of it.
    mutating func remove(_ beacon: BeaconIdentity) -> Bool {
        entries.removeValue(forKey: beacon)?.wasPosted ?? false
    }

    /// The broker may have forgotten everything: each beacon is said anew at the end of its window.
    mutating func postAnew() {
        for beacon in entries.keys { entries[beacon]?.posted = nil }
    }
}

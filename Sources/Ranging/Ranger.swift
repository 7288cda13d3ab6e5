import Beacons

/// Ranging at one gateway: how far each beacon in range is, about once a second.
///
/// It knows no clock: sightings carry their instant, and `advance(to:)` says how far time has come. All sightings up to a moment are to be
/// heard before time is advanced to it.
public struct Ranger: Sendable {
    /// How it reckons.
    public let settings: Settings
    /// How long a window is.
    public static let window = Interval.seconds(1)
    /// When `advance(to:)` is wanted next; `nil`: never, as nothing is in range.
    public private(set) var nextDeadline: Instant?

    private var index = RegionIndex()
    private var regions: [Region] = []
    private var tracks: [BeaconIdentity: RangingTrack] = [:]

    /// A ranger of no region.
    public init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Ranges the beacons of these regions from now on, and no others.
    public mutating func setRegions(_ wanted: [Region]) {
        regions = wanted
        index = RegionIndex(wanted)
        for beacon in tracks.keys { if index.regions(of: beacon).isEmpty { tracks[beacon] = nil } }
        if tracks.isEmpty { nextDeadline = nil }
    }

    /// Hears one sighting; of no effect if its beacon belongs to no region.
    public mutating func hear(_ sighting: Sighting) {
        if tracks[sighting.beacon] == nil {
            guard !index.regions(of: sighting.beacon).isEmpty else { return }
            tracks[sighting.beacon] = RangingTrack(sighting)
        }
        tracks[sighting.beacon]!.note(sighting)
        if nextDeadline == nil { nextDeadline = sighting.at + Self.window }
    }

    /// Ends the window, if its second is over: one value for each beacon in range, sorted by identity; empty if it is not.
    public mutating func advance(to now: Instant) -> [RangedBeacon] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        nextDeadline = deadline + Self.window <= now ? now + Self.window : deadline + Self.window
        let beacons = tracks.keys.sorted()
        return beacons.map { tracks[$0]!.range($0, settings, overridden: overridden($0), at: now) }
    }

    /// Forgets a beacon that has left: it is said no more until it is heard again.
    public mutating func forget(_ beacon: BeaconIdentity) {
        tracks[beacon] = nil
        if tracks.isEmpty { nextDeadline = nil }
    }

    private func overridden(_ beacon: BeaconIdentity) -> MeasuredPower? {
        index.regions(of: beacon).lazy.compactMap { regions[$0].measuredPower }.first
    }
}

import Beacons

/// Ranging at one gateway: how far each beacon in range is, about once a second.
///
/// The ranger reads no clock: sightings carry their instant, and the caller passes the time to `advance(to:)`. Pass all sightings up to a
/// moment before that moment, and call `advance(to:)` at each `nextDeadline`: a window lasts from one due call to the next.
package struct Ranger: Sendable {
    /// The filter, the path loss model, the receiver offset and the limit.
    package private(set) var settings: Settings
    package static let window = Interval.seconds(1)
    /// When to call `advance(to:)` next; `nil` if no beacon is in range.
    package private(set) var nextDeadline: Instant?
    /// How many sightings were refused because the table was full.
    package private(set) var refusedMembers: UInt64 = 0

    private var index = RegionIndex()
    private var regions: [Region] = []
    private var tracks: [RangingTrack] = []
    private var places: [BeaconIdentity: Int] = [:]
    private var members = 0
    private var windowStart = Instant.zero

    /// In a full table, a member makes room if it was not received for this long.
    private static let memory = Interval.seconds(900)

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// The receiver offset of this gateway, in dB: it is added to each RSSI from now on.
    package var rssiOffset: Double {
        get { settings.rssiOffset }
        set {
            if newValue != settings.rssiOffset { for place in tracks.indices { tracks[place].forgetClass() } }
            settings.rssiOffset = newValue
        }
    }

    /// Ranges the beacons of these regions from now on, and forgets all others.
    package mutating func setRegions(_ requested: [Region]) {
        regions = requested
        index = RegionIndex(requested)
        for beacon in tracks.map(\.identity) {
            let numbers = index.regions(of: beacon)
            guard !numbers.isEmpty, let place = places[beacon] else {
                forget(beacon)
                continue
            }
            tracks[place].overridden = overridden(numbers)
            let isConfigured = index.isConfigured(beacon)
            if tracks[place].isConfigured != isConfigured { members += isConfigured ? -1 : 1 }
            tracks[place].isConfigured = isConfigured
        }
    }

    /// Receives one sighting; drops it if its beacon belongs to no region or has no place.
    package mutating func receive(_ sighting: Sighting) {
        guard let place = places[sighting.beacon] ?? settle(sighting) else { return }
        tracks[place].note(sighting)
        if nextDeadline == nil {
            windowStart = sighting.at
            nextDeadline = sighting.at + Self.window
        }
    }

    /// Ends the window if its second is over, and returns one value for each beacon in range, in no particular order.
    ///
    /// Returns an empty array if the window is not over.
    package mutating func advance(to now: Instant) -> [RangedBeacon] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        nextDeadline = now + Self.window
        var ranged: [RangedBeacon] = []
        ranged.reserveCapacity(tracks.count)
        for place in tracks.indices { ranged.append(tracks[place].range(settings, from: windowStart, at: now)) }
        windowStart = now
        if members >= settings.memberLimit { makeRoom(at: now) }
        return ranged
    }

    /// Forgets a beacon that has left: its state is not reported until it is received again.
    package mutating func forget(_ beacon: BeaconIdentity) {
        guard let place = places.removeValue(forKey: beacon) else { return }
        if !tracks[place].isConfigured { members -= 1 }
        tracks.swapAt(place, tracks.count - 1)
        tracks.removeLast()
        if place < tracks.count { places[tracks[place].identity] = place }
        if tracks.isEmpty { nextDeadline = nil }
    }

    /// The address of a beacon's sender: the one whose sightings are ranged, or else the one received last.
    package func address(of beacon: BeaconIdentity) -> DeviceAddress? { places[beacon].flatMap { tracks[$0].address } }

    /// Makes a track for the beacon of a sighting; `nil` if the beacon belongs to no region or the table is full.
    private mutating func settle(_ sighting: Sighting) -> Int? {
        let numbers = index.regions(of: sighting.beacon)
        guard !numbers.isEmpty else { return nil }
        let isConfigured = index.isConfigured(sighting.beacon)
        if !isConfigured {
            guard members < settings.memberLimit else {
                refusedMembers += 1
                return nil
            }
            members += 1
        }
        places[sighting.beacon] = tracks.count
        tracks.append(RangingTrack(sighting, overridden: overridden(numbers), isConfigured: isConfigured))
        return tracks.count - 1
    }

    /// Forgets the members that were not received for a while.
    private mutating func makeRoom(at now: Instant) {
        for track in tracks where !track.isConfigured && now - track.lastSeen > Self.memory { forget(track.identity) }
    }

    /// The measured power that the first of these regions with one sets; `nil` if none does.
    private func overridden(_ numbers: [Int]) -> MeasuredPower? {
        numbers.lazy.compactMap { regions[$0].measuredPower }.first
    }

    /// How a ranger estimates distances, and how many beacons it remembers.
    package struct Settings: Hashable, Sendable {
        /// How the RSSI values of the last seconds become one.
        package var filter: Filter
        /// How a filtered RSSI becomes a distance.
        package var pathLoss: PathLoss
        /// The receiver offset in dB, which is added to each RSSI before a distance is estimated: what this gateway's antenna lacks.
        package var rssiOffset: Double
        /// How many beacons are remembered that only a wildcard region names; at least 1. Further beacons are refused and counted.
        package var memberLimit: Int

        /// Creates settings, each with the default of the configuration.
        package init(
            filter: Filter = .standard, pathLoss: PathLoss = .standard, rssiOffset: Double = 0, memberLimit: Int = 1000
        ) {
            self.filter = filter
            self.pathLoss = pathLoss
            self.rssiOffset = rssiOffset
            self.memberLimit = max(1, memberLimit)
        }
    }
}

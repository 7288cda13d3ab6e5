import Beacons

/// The result of ranging one beacon at the end of a window, about once a second.
public struct RangedBeacon: Hashable, Sendable {
    /// Whose.
    public var identity: BeaconIdentity
    /// The class of its distance; `unknown` where a whole window passed without a sighting, or nothing can be reckoned.
    public var proximity: Proximity
    /// The estimated distance in metres; `nil` where it is not known.
    public var accuracyMetres: Double?
    /// The mean RSSI in dBm of the window's sightings, raw: no filter, no offset; `nil` without any.
    public var rssiMean: Double?
    /// How many sightings the window had.
    public var sightings: Int
    /// What the beacon claims to give at 1 m, overridden or not.
    public var measuredPower: MeasuredPower
    /// How many addresses send this identity at the same time, at most 16. Of several, all else here is the strongest one's.
    public var addresses: Int
    /// The end of the window.
    public var at: Instant

    /// A ranged beacon with all its properties.
    public init(
        identity: BeaconIdentity, proximity: Proximity, accuracyMetres: Double?, rssiMean: Double?, sightings: Int,
        measuredPower: MeasuredPower, addresses: Int, at: Instant
    ) {
        self.identity = identity
        self.proximity = proximity
        self.accuracyMetres = accuracyMetres
        self.rssiMean = rssiMean
        self.sightings = sightings
        self.measuredPower = measuredPower
        self.addresses = addresses
        self.at = at
    }

    /// This window and `earlier` ones of the same beacon as one: sightings and mean over all of them, the rest as it is now.
    public func joined(to earlier: RangedBeacon) -> RangedBeacon {
        var all = self
        all.sightings += earlier.sightings
        switch (rssiMean, earlier.rssiMean) {
        case (let now?, let before?):
            let share = Double(sightings) / Double(max(1, all.sightings))
            all.rssiMean = now * share + before * (1 - share)
        case (nil, let before): all.rssiMean = before
        default: break
        }
        return all
    }
}

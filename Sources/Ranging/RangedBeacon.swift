import Beacons

/// The result of ranging one beacon at the end of a window, about once a second.
package struct RangedBeacon: Hashable, Sendable {
    package var identity: BeaconIdentity
    /// The class of the beacon's distance; `unknown` if a whole window passed without a sighting, or if no distance can be computed.
    package var proximity: Proximity
    /// The estimated distance in metres; `nil` if unknown.
    package var accuracyMetres: Double?
    /// The mean RSSI in dBm of the window's sightings, without filter and receiver offset; `nil` without sightings.
    package var rssiMean: Double?
    package var sightings: Int
    /// The measured power that the beacon claims, or that its region overrides.
    package var measuredPower: MeasuredPower
    /// How many addresses send this identity at the same time, at most 16. If there are several, all other values are those of the
    /// strongest one.
    package var addresses: Int
    /// The end of the window.
    package var at: Instant

    package init(
        identity: BeaconIdentity, proximity: Proximity, accuracyMetres: Double?, rssiMean: Double?, sightings: Int,
        measuredPower: MeasuredPower, addresses: Int, at: Instant
    ) {
        (self.identity, self.proximity, self.accuracyMetres) = (identity, proximity, accuracyMetres)
        (self.rssiMean, self.sightings, self.measuredPower) = (rssiMean, sightings, measuredPower)
        (self.addresses, self.at) = (addresses, at)
    }
}

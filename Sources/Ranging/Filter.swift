import Beacons

/// How the RSSI values of the last seconds become one, before a distance is estimated from it.
public enum Filter: Hashable, Sendable {
    /// The mean of the sightings since the last time.
    case none
    /// The median of the sightings within the window: a single absurd value changes nothing.
    case median(window: Interval)
    /// A Kalman filter on a level that drifts: `drift` in dB²/s, `noise` in dB².
    case kalman(drift: Double, noise: Double)
}

extension Filter {
    /// What is used where nothing is configured.
    public static let standard = Filter.median(window: .seconds(5))
}

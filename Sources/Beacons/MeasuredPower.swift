/// The RSSI in dBm that a beacon claims to give at 1 m. This value comes from the beacon and is not verified.
public struct MeasuredPower: Hashable, Sendable {
    /// The value in dBm as the frame carries it, plausible or not.
    public var dBm: Int8

    /// Creates a measured power from the value of a frame.
    @inlinable
    public init(dBm: Int8) {
        self.dBm = dBm
    }

    /// Whether the value is plausible enough to estimate a distance: from -100 to -10 dBm. Some real beacons send 0.
    @inlinable
    public var isPlausible: Bool { (-100 ... -10).contains(dBm) }
}

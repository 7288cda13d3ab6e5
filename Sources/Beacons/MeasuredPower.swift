/// The RSSI in dBm that a beacon claims to give at 1 m: a claim, not a measurement of ours.
public struct MeasuredPower: Hashable, Sendable {
    /// dBm, as the frame says it, absurd or not.
    public var dBm: Int8

    /// The claim as it stands in the frame.
    @inlinable
    public init(dBm: Int8) {
        self.dBm = dBm
    }

    /// Whether a distance may be estimated from it: from -100 to -10 dBm. Real fleets send 0, and worse.
    @inlinable
    public var isPlausible: Bool { (-100 ... -10).contains(dBm) }
}

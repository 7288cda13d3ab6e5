/// The strength in dBm with which one advertisement was received here: -127 to 20.
public struct RSSI: Hashable, Sendable {
    /// dBm.
    public var dBm: Int8

    /// A strength in dBm; `nil` for 127, by which a controller says «not available» (Core 5.4, Vol 4, E 7.7.65.2),
    /// and for everything else outside -127 to 20.
    @inlinable
    public init?(dBm: Int8) {
        guard dBm >= -127, dBm <= 20 else { return nil }
        self.dBm = dBm
    }
}

extension RSSI: Comparable {
    /// The weaker is the smaller.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.dBm < right.dBm }
}

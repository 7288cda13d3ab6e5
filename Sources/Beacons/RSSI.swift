/// The received power of one advertisement in dBm, from -127 to 20.
public struct RSSI: Hashable, Sendable, Comparable {
    /// The received power in dBm.
    public var dBm: Int8

    /// Creates an RSSI; `nil` for every value outside -127 to 20. A controller reports 127 for "not available" (Core
    /// 5.4, Vol 4, E 7.7.65.2).
    @inlinable
    public init?(dBm: Int8) {
        guard dBm >= -127, dBm <= 20 else { return nil }
        self.dBm = dBm
    }

    /// Orders RSSIs from weaker to stronger.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.dBm < right.dBm }
}

import Beacons

/// One advertisement that came through to a gateway.
public struct Reception: Hashable, Sendable {
    /// Whose it was.
    public enum Source: Hashable, Sendable {
        /// A beacon of the house, by index.
        case tag(Int)
        /// Something else, by index.
        case bystander(Int)
    }

    /// Whose it was.
    public var source: Source
    /// How strongly it was received.
    public var rssi: RSSI
    /// When.
    public var at: HouseTime
}

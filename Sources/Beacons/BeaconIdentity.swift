/// The identity of a beacon: uuid, major and minor, independent of the frame's format.
public struct BeaconIdentity: Hashable, Sendable, CustomStringConvertible, Comparable {
    /// The UUID that the owner chose; for Eddystone-UID, the namespace followed by the instance.
    public var uuid: BeaconUUID
    /// 0 to 65535; 0 for Eddystone-UID.
    public var major: UInt16
    /// 0 to 65535; 0 for Eddystone-UID.
    public var minor: UInt16

    /// Creates an identity from its three parts.
    @inlinable
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Hashes the twenty bytes as three words, because an identity is hashed once per sighting.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid.high)
        hasher.combine(uuid.low)
        hasher.combine(UInt32(major) << 16 | UInt32(minor))
    }

    /// `uuid/major/minor`: the form of topics, and the text that an id is hashed from.
    public var description: String { "\(uuid)/\(major)/\(minor)" }

    /// Orders identities by uuid, then major, then minor.
    public static func < (left: Self, right: Self) -> Bool {
        (left.uuid, left.major, left.minor) < (right.uuid, right.major, right.minor)
    }
}

/// What tells one beacon from another: uuid, major and minor, whatever frame carried them.
public struct BeaconIdentity: Hashable, Sendable {
    /// The owner's UUID; Eddystone-UID's namespace and instance together.
    public var uuid: BeaconUUID
    /// 0 to 65535; 0 for Eddystone-UID.
    public var major: UInt16
    /// 0 to 65535; 0 for Eddystone-UID.
    public var minor: UInt16

    /// The identity made of its three parts.
    @inlinable
    public init(uuid: BeaconUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Mixes the twenty bytes as three words: this is hashed once per sighting.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid.high)
        hasher.combine(uuid.low)
        hasher.combine(UInt32(major) << 16 | UInt32(minor))
    }
}

extension BeaconIdentity: CustomStringConvertible {
    /// `uuid/major/minor`: the levels of a topic, and what an id is hashed from.
    public var description: String { "\(uuid)/\(major)/\(minor)" }
}

extension BeaconIdentity: Comparable {
    /// By uuid, then major, then minor.
    public static func < (left: Self, right: Self) -> Bool {
        (left.uuid, left.major, left.minor) < (right.uuid, right.major, right.minor)
    }
}

/// A set of beacons: all beacons of a uuid, all beacons of a uuid and major, or exactly one beacon.
public struct Region: Hashable, Sendable {
    /// The rule that selects a region's beacons.
    public enum Scope: Hashable, Sendable {
        /// Every beacon with this uuid.
        case uuid(BeaconUUID)
        /// Every beacon with this uuid and major.
        case major(BeaconUUID, UInt16)
        /// Exactly this beacon.
        case beacon(BeaconIdentity)

        /// Whether `beacon` matches the scope.
        @inlinable
        public func contains(_ beacon: BeaconIdentity) -> Bool {
            switch self {
            case .uuid(let uuid): beacon.uuid == uuid
            case .major(let uuid, let major): beacon.uuid == uuid && beacon.major == major
            case .beacon(let identity): beacon == identity
            }
        }
    }

    /// The region's id, as in topics. The implicit region of an item has the item's id.
    public var id: String
    /// The name that the user gave the region, in any script.
    public var identifier: String
    /// The beacons of the region.
    public var scope: Scope
    /// Whether the region's `enter` is published.
    public var notifyOnEntry: Bool
    /// Whether the region's `exit` is published.
    public var notifyOnExit: Bool
    /// The text to show to people when the region is entered; `nil`: none.
    public var entryText: String?
    /// The text to show to people when the region is left; `nil`: none.
    public var exitText: String?
    /// The measured power that replaces the claims of the region's beacons; `nil`: the claims apply.
    public var measuredPower: MeasuredPower?
    /// Whether this is the implicit region of an item, which has no topics of its own.
    public var isImplicit: Bool

    /// Creates a region from its properties.
    public init(
        id: String, identifier: String, scope: Scope, notifyOnEntry: Bool = true, notifyOnExit: Bool = true,
        measuredPower: MeasuredPower? = nil, isImplicit: Bool = false, entryText: String? = nil, exitText: String? = nil
    ) {
        self.id = id
        self.identifier = identifier
        self.scope = scope
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.measuredPower = measuredPower
        self.isImplicit = isImplicit
        self.entryText = entryText
        self.exitText = exitText
    }
}

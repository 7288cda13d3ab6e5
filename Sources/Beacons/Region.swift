/// A set of beacons: all of one uuid, or of one uuid and major, or exactly one.
public struct Region: Hashable, Sendable {
    /// Who matches.
    public enum Scope: Hashable, Sendable {
        /// Every beacon of this uuid.
        case uuid(BeaconUUID)
        /// Every beacon of this uuid and major.
        case major(BeaconUUID, UInt16)
        /// This beacon.
        case beacon(BeaconIdentity)

        /// Whether `beacon` belongs to it.
        @inlinable
        public func contains(_ beacon: BeaconIdentity) -> Bool {
            switch self {
            case .uuid(let uuid): beacon.uuid == uuid
            case .major(let uuid, let major): beacon.uuid == uuid && beacon.major == major
            case .beacon(let identity): beacon == identity
            }
        }
    }

    /// The region's id, as it stands in topics; an item's implicit region has the item's id.
    public var id: String
    /// The name that people gave it, in any script.
    public var identifier: String
    /// Who matches.
    public var scope: Scope
    /// Whether the region's `enter` is published.
    public var notifyOnEntry: Bool
    /// Whether the region's `exit` is published.
    public var notifyOnExit: Bool
    /// What is said to people with the region's `enter`; `nil`: nothing.
    public var entryText: String?
    /// What is said to people with the region's `exit`; `nil`: nothing.
    public var exitText: String?
    /// What its beacons are taken to give at 1 m, whatever they claim.
    public var measuredPower: MeasuredPower?
    /// Whether it is an item's implicit region, which has no topics of its own.
    public var isImplicit: Bool

    /// A region with all its properties.
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

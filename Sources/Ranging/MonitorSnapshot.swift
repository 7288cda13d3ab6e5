import Beacons

/// The state that a ``Monitor`` needs after a restart, in ages instead of instants, because the next process has another clock.
///
/// Save one whenever a beacon entered or exited, together with that event: a restart must not publish an event twice.
public struct MonitorSnapshot: Hashable, Sendable {
    /// A beacon that is inside, or left and is remembered.
    public struct Beacon: Hashable, Sendable {
        /// The beacon.
        public var identity: BeaconIdentity
        /// Whether it is inside: whether an exit is the next event to come.
        public var isInside: Bool
        /// The time since it entered.
        public var enteredAge: Interval
        /// The time since the beacon was last received; `nil` if unknown.
        public var lastSeenAge: Interval?
        /// The time from the enter to the last sighting; `nil` if unknown.
        public var insideFor: Interval?
        /// The RSSI of the last sighting.
        public var lastRSSI: RSSI?
        /// The memory of ``SilenceModel``, which only that type can read; empty if nothing was learned.
        public var learned: [Double]

        /// Creates a beacon with all its properties.
        public init(
            identity: BeaconIdentity, isInside: Bool, enteredAge: Interval, lastSeenAge: Interval?,
            insideFor: Interval?,
            lastRSSI: RSSI?, learned: [Double]
        ) {
            self.identity = identity
            self.isInside = isInside
            self.enteredAge = enteredAge
            self.lastSeenAge = lastSeenAge
            self.insideFor = insideFor
            self.lastRSSI = lastRSSI
            self.learned = learned
        }
    }

    /// A region whose state has been known.
    public struct Region: Hashable, Sendable {
        /// The id of the region.
        public var id: String
        /// Whether the region is an item's implicit one. The ids of implicit regions are separate from those of other regions.
        public var isImplicit: Bool
        /// Whether the last known state was `inside`, and not `outside`.
        public var isInside: Bool
        /// The time since the last known state began; `nil` if unknown.
        public var age: Interval?

        /// Creates a region with all its properties.
        public init(id: String, isImplicit: Bool, isInside: Bool, age: Interval?) {
            self.id = id
            self.isImplicit = isImplicit
            self.isInside = isInside
            self.age = age
        }
    }

    /// All beacons that are inside, or are remembered; sorted by identity.
    public var beacons: [Beacon]
    /// All regions whose state has been known, in the order in which they were set.
    public var regions: [Region]

    /// Creates a snapshot of these beacons and regions.
    public init(beacons: [Beacon], regions: [Region]) {
        self.beacons = beacons
        self.regions = regions
    }
}

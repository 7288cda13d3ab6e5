import Beacons

/// The state that a ``Monitor`` needs after a restart, in ages instead of instants, because the next process has another clock.
///
/// Save one whenever a beacon entered or exited, together with that event: a restart must not publish an event twice.
public struct MonitorSnapshot: Hashable, Sendable {
    /// One beacon that is inside, or has been and is remembered.
    public struct Beacon: Hashable, Sendable {
        /// Whose.
        public var identity: BeaconIdentity
        /// Whether it is inside: whether an exit is the next event to come.
        public var isInside: Bool
        /// The time since it entered.
        public var enteredAge: Interval
        /// The time since the beacon was last received; `nil` if unknown.
        public var lastSeenAge: Interval?
        /// From the enter to the last sighting; `nil` where it was not known any more.
        public var insideFor: Interval?
        /// The RSSI of the last sighting.
        public var lastRSSI: RSSI?
        /// What ``SilenceModel`` has learned, as numbers that only it understands; empty: nothing.
        public var learned: [Double]

        /// A beacon with all its properties.
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

    /// One region whose state has been known.
    public struct Region: Hashable, Sendable {
        /// Its id.
        public var id: String
        /// Whether it is an item's implicit region: ids of those are a space of their own.
        public var isImplicit: Bool
        /// Whether it was inside when that was last known, and not outside.
        public var isInside: Bool
        /// The time since that began; `nil` where it was not known any more.
        public var age: Interval?

        /// A region with all its properties.
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

    /// A snapshot of these.
    public init(beacons: [Beacon], regions: [Region]) {
        self.beacons = beacons
        self.regions = regions
    }
}

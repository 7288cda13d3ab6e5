import Beacons

/// The state that a ``Monitor`` needs after a restart, in ages instead of instants, because the next process has another clock.
///
/// Save one whenever a beacon entered or exited, together with that event: a restart must not publish an event twice.
package struct MonitorSnapshot: Hashable, Sendable {
    /// A beacon that is inside, or left and is remembered.
    package struct Beacon: Hashable, Sendable {
        package var identity: BeaconIdentity
        /// Whether it is inside: whether an exit is the next event to come.
        package var isInside: Bool
        /// The time since it entered.
        package var enteredAge: Interval
        /// The time since the beacon was last received; `nil` if unknown.
        package var lastSeenAge: Interval?
        /// The time from the enter to the last sighting; `nil` if unknown.
        package var insideFor: Interval?
        package var lastRSSI: RSSI?
        /// The memory of ``SilenceModel``, which only that type can read; empty if nothing was learned.
        package var learned: [Double]
        /// Whether the gateway cannot receive the beacon now: if it is inside, it becomes `unknown`, and does not exit before it is received.
        package var isHeld = false

        package init(
            identity: BeaconIdentity, isInside: Bool, enteredAge: Interval, lastSeenAge: Interval?,
            insideFor: Interval?,
            lastRSSI: RSSI?, learned: [Double]
        ) {
            (self.identity, self.isInside, self.enteredAge) = (identity, isInside, enteredAge)
            (self.lastSeenAge, self.insideFor, self.lastRSSI) = (lastSeenAge, insideFor, lastRSSI)
            self.learned = learned
        }
    }

    /// A region whose state has been known.
    package struct Region: Hashable, Sendable {
        package var id: String
        /// Whether the region is an item's implicit one. The ids of implicit regions are separate from those of other regions.
        package var isImplicit: Bool
        /// The rule that selects the region's beacons: a region that has another one in the next process is new. `nil` if unknown, as in a
        /// file of an earlier version, and for implicit regions, which make no events.
        package var scope: Beacons.Region.Scope?
        /// Whether the last known state was `inside`, and not `outside`.
        package var isInside: Bool
        /// The time since the last known state began; `nil` if unknown.
        package var age: Interval?

        package init(
            id: String, isImplicit: Bool, scope: Beacons.Region.Scope? = nil, isInside: Bool, age: Interval?
        ) {
            self.id = id
            self.isImplicit = isImplicit
            self.scope = scope
            self.isInside = isInside
            self.age = age
        }

        package init(_ region: Beacons.Region, isInside: Bool, age: Interval?) {
            self.init(
                id: region.id, isImplicit: region.isImplicit, scope: region.isImplicit ? nil : region.scope,
                isInside: isInside, age: age)
        }

        package func isState(of region: Beacons.Region) -> Bool {
            region.id == id && region.isImplicit == isImplicit && region.scope == scope ?? region.scope
        }
    }

    /// All beacons that are inside, or are remembered; sorted by identity.
    package var beacons: [Beacon]
    /// All regions whose state has been known, in the order in which they were set.
    package var regions: [Region]

    package init(beacons: [Beacon], regions: [Region]) {
        self.beacons = beacons
        self.regions = regions
    }
}

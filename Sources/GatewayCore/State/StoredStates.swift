import Beacons
import Messages
import Ranging

/// The states of beacons and regions on a gateway's disk: `states.0` and `states.1`, in turns.
///
/// The file is written rarely. It names its place in the event log, and the events after that place complete it. So a restart produces no
/// events.
package struct StoredStates: Payload {
    /// The states include the events of run `boot` up to `seq`.
    var boot: Boot
    var seq: UInt64
    /// The time since the start of the gateway when the states were written.
    var uptime: Instant
    /// The id of the machine's start, and the machine's clock, which continues over restarts of the gateway.
    var machine: String
    var machineTime: Instant
    var at: WallTime
    var isClockSynchronised: Bool
    /// Whether the gateway wrote the states when it stopped. Otherwise it may have received a beacon later than they have.
    var isComplete: Bool
    /// The monitor's snapshot without learned silences, which change slowly and take the most space.
    var snapshot: MonitorSnapshot
    /// The ids of the regions whose state was never known, which the broker may have as `unknown`; empty in a file of an earlier version.
    var unknownRegions: [String] = []

    /// The limits of the program's own files: everything that was written can be read.
    package static var limits: JSONLimits { .ownFile }

    /// Returns the age of the states; `nil` if it is unknown, because a clock was wrong or was set back since.
    func age(at now: Moment, machine: String) -> Interval? {
        if machine == self.machine, !machine.isEmpty {
            return now.instant >= machineTime ? now.instant - machineTime : nil
        }
        guard isClockSynchronised, now.isSynchronised, now.wall >= at else { return nil }
        // The machine has run for longer than that, so one of the two clocks was wrong.
        return now.wall - at >= now.instant - .zero ? now.wall - at : nil
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("boot", boot.description)
        json.field("seq", seq)
        json.field("uptime_ms", uptime.milliseconds)
        json.field("machine", machine)
        json.field("machine_ms", machineTime.milliseconds)
        json.field("at", at)
        json.field("clock_synchronised", isClockSynchronised)
        json.field("complete", isComplete ? true : nil)
        json.array("beacons", snapshot.beacons)
        json.array("regions", snapshot.regions)
        if !unknownRegions.isEmpty { json.field("unknown_regions", unknownRegions) }
    }
}

extension StoredStates {
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        boot = try fields.boot("boot")
        seq = try fields.count("seq", in: 0...1 << 53)
        uptime = .zero + (try fields.age("uptime_ms") ?? .zero)
        machine = try fields.text("machine")
        machineTime = .zero + (try fields.age("machine_ms") ?? .zero)
        at = try fields.time("at")
        isClockSynchronised = try fields.optionalBool("clock_synchronised") ?? false
        isComplete = try fields.optionalBool("complete") ?? false
        snapshot = MonitorSnapshot(
            beacons: try fields.entries("beacons", limit: .max), regions: try fields.entries("regions", limit: .max))
        unknownRegions = try fields.optionalTexts("unknown_regions", limit: .max) ?? []
    }
}

extension MonitorSnapshot.Beacon: Members {
    package func writeFields(to json: inout JSONWriter) {
        json.fields(of: identity)
        json.field("inside", isInside)
        json.field("entered_ms", enteredAge.milliseconds)
        json.field("seen_ms", lastSeenAge?.milliseconds)
        json.field("inside_ms", insideFor?.milliseconds)
        json.field("rssi_dbm", lastRSSI?.dBm)
        json.field("by_alias", isHeld ? true : nil)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(
            identity: try fields.beacon(), isInside: try fields.optionalBool("inside") ?? false,
            enteredAge: try fields.age("entered_ms") ?? .zero, lastSeenAge: try fields.age("seen_ms"),
            insideFor: try fields.age("inside_ms"),
            lastRSSI: try fields.optionalCount("rssi_dbm", in: -127...20).flatMap { RSSI(dBm: $0) }, learned: [])
        isHeld = try fields.optionalBool("by_alias") ?? false
    }
}

extension MonitorSnapshot.Region: Members {
    package func writeFields(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("item", isImplicit ? true : nil)
        if let scope { json.object("scope") { scope.writeFields(to: &$0) } }
        json.field("inside", isInside)
        json.field("since_ms", age?.milliseconds)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(
            id: try fields.id("id"), isImplicit: try fields.optionalBool("item") ?? false,
            scope: try fields.optionalScope("scope"), isInside: try fields.optionalBool("inside") ?? false,
            age: try fields.age("since_ms"))
    }
}

extension Fields {
    fileprivate mutating func optionalScope(_ key: String) throws(PayloadRefusal) -> Region.Scope? {
        guard let object = try optionalObject(key) else { return nil }
        var fields = Fields(object)
        return try fields.scope()
    }

    /// Reads an age in milliseconds, limited to a century.
    fileprivate mutating func age(_ key: String) throws(PayloadRefusal) -> Interval? {
        try optionalCount(key, in: Int64.min...Int64.max).map { .milliseconds(max(0, min($0, 3_155_760_000_000))) }
    }
}

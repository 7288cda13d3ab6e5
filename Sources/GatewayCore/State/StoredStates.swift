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
    /// The monitor's snapshot without learned silences, which change slowly and take the most space.
    var snapshot: MonitorSnapshot

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

    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("v", 1)
            json.field("boot", boot.description)
            json.field("seq", seq)
            json.field("uptime_ms", uptime.milliseconds)
            json.field("machine", machine)
            json.field("machine_ms", machineTime.milliseconds)
            json.field("at", at)
            json.field("clock_synchronised", isClockSynchronised)
            json.array("beacons") { json in for beacon in snapshot.beacons { beacon.write(to: &json) } }
            json.array("regions") { json in for region in snapshot.regions { region.write(to: &json) } }
        }
    }

    init(
        boot: Boot, seq: UInt64, uptime: Instant, machine: String, machineTime: Instant, at: WallTime,
        isClockSynchronised: Bool, snapshot: MonitorSnapshot
    ) {
        self.boot = boot
        self.seq = seq
        self.uptime = uptime
        self.machine = machine
        self.machineTime = machineTime
        self.at = at
        self.isClockSynchronised = isClockSynchronised
        self.snapshot = snapshot
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        boot = try fields.boot("boot")
        seq = try fields.count("seq", in: 0...1 << 53)
        uptime = .zero + (try fields.age("uptime_ms") ?? .zero)
        machine = try fields.text("machine")
        machineTime = .zero + (try fields.age("machine_ms") ?? .zero)
        at = try fields.time("at")
        isClockSynchronised = try fields.optionalBool("clock_synchronised") ?? false
        snapshot = MonitorSnapshot(
            beacons: try fields.array("beacons", limit: .max) { (value) throws(PayloadRefusal) in
                var fields = try Fields(entry: value, of: "beacons")
                return try MonitorSnapshot.Beacon(reading: &fields)
            },
            regions: try fields.array("regions", limit: .max) { (value) throws(PayloadRefusal) in
                var fields = try Fields(entry: value, of: "regions")
                return try MonitorSnapshot.Region(reading: &fields)
            })
    }
}

extension MonitorSnapshot.Beacon {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.write(identity)
            json.field("inside", isInside)
            json.field("entered_ms", enteredAge.milliseconds)
            json.field("seen_ms", lastSeenAge?.milliseconds)
            json.field("inside_ms", insideFor?.milliseconds)
            json.field("rssi_dbm", lastRSSI?.dBm)
        }
    }

    fileprivate init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(
            identity: try fields.identity(), isInside: try fields.optionalBool("inside") ?? false,
            enteredAge: try fields.age("entered_ms") ?? .zero, lastSeenAge: try fields.age("seen_ms"),
            insideFor: try fields.age("inside_ms"),
            lastRSSI: try fields.optionalCount("rssi_dbm", in: -127...20).flatMap { RSSI(dBm: $0) }, learned: [])
    }
}

extension MonitorSnapshot.Region {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("id", id)
            json.field("item", isImplicit ? true : nil)
            json.field("inside", isInside)
            json.field("since_ms", age?.milliseconds)
        }
    }

    fileprivate init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(
            id: try fields.id("id"), isImplicit: try fields.optionalBool("item") ?? false,
            isInside: try fields.optionalBool("inside") ?? false, age: try fields.age("since_ms"))
    }
}

extension JSONWriter {
    /// The three keys of a beacon.
    mutating func write(_ beacon: BeaconIdentity) {
        field("uuid", beacon.uuid)
        field("major", beacon.major)
        field("minor", beacon.minor)
    }
}

extension Fields {
    /// The object that is an element of the array `key`.
    init(entry value: JSONValue, of key: String) throws(PayloadRefusal) {
        guard let object = value.object else { throw .wrongType(key) }
        self.init(object)
    }

    /// The three keys of a beacon.
    mutating func identity() throws(PayloadRefusal) -> BeaconIdentity {
        BeaconIdentity(
            uuid: try uuid("uuid"), major: try count("major", in: 0...UInt16.max),
            minor: try count("minor", in: 0...UInt16.max))
    }

    /// Reads an age in milliseconds, limited to a century.
    fileprivate mutating func age(_ key: String) throws(PayloadRefusal) -> Interval? {
        try optionalCount(key, in: Int64.min...Int64.max).map { .milliseconds(max(0, min($0, 3_155_760_000_000))) }
    }
}

import Beacons

/// A gateway's heartbeat: who it is, how its radio is, what its event log holds, what is wrong.
public struct GatewayInfo: Payload {
    /// What a gateway hears with.
    public struct Radio: Hashable, Sendable {
        /// As configured: `bluez:hci0`, `capture:FILE`, `simulation`.
        public var source: String
        /// By which of the kernel's interfaces: `monitor`, `raw`, `user`; `nil` where there is no kernel between.
        public var interface: String?
        /// The adapter's; its kind is not sent, and read as public.
        public var address: DeviceAddress?
        /// Whether it can hear.
        public var state: RadioState
        /// Why this state, or this interface: a sentence.
        public var reason: String?

        /// A radio with all its properties.
        public init(
            source: String, interface: String? = nil, address: DeviceAddress? = nil, state: RadioState,
            reason: String? = nil
        ) {
            self.source = source
            self.interface = interface
            self.address = address
            self.state = state
            self.reason = reason
        }
    }

    /// The beacon that a gateway sends.
    public struct Beacon: Hashable, Sendable {
        /// Who it is.
        public var identity: BeaconIdentity
        /// What it claims to give at 1 m.
        public var measuredPower: MeasuredPower

        /// A beacon with all its properties.
        public init(identity: BeaconIdentity, measuredPower: MeasuredPower) {
            self.identity = identity
            self.measuredPower = measuredPower
        }
    }

    /// The gateway's id.
    public var gateway: String
    /// The room that it serves, if it was told.
    public var room: String?
    /// The program's version.
    public var version: String
    /// The instant of its sending: from it readers learn how the boot's clock lies to theirs.
    public var stamp: Stamp
    /// See `Validity.heartbeatSeconds`.
    public var validFor: UInt32
    /// What it hears with.
    public var radio: Radio
    /// What it sends itself, by its configuration; `nil`: nothing.
    public var beacon: Beacon?
    /// What its event log holds, oldest boot first; only the newest `longestList` are sent.
    public var log: [LogRange]
    /// What is wrong, each in a sentence; only the first `longestList` are sent.
    public var problems: [String]
    /// How many regions it monitors, those of items with them.
    public var regions: Int
    /// The registry's revision that it has; `nil` if none.
    public var revision: UInt64?

    /// The most ranges of the log, and the most problems, that are read.
    public static let longestList = 256

    /// An info with all its properties.
    public init(
        gateway: String, room: String? = nil, version: String, stamp: Stamp,
        validFor: UInt32 = Validity.heartbeatSeconds, radio: Radio, beacon: Beacon? = nil, log: [LogRange] = [],
        problems: [String] = [],
        regions: Int, revision: UInt64? = nil
    ) {
        self.gateway = gateway
        self.room = room
        self.version = version
        self.stamp = stamp
        self.validFor = validFor
        self.radio = radio
        self.beacon = beacon
        self.log = log
        self.problems = problems
        self.regions = regions
        self.revision = revision
    }

    /// As `valid_for_s` says.
    public var validForSeconds: UInt32? { validFor }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("gateway", gateway)
            json.field("room", room)
            json.field("version", version)
            stamp.writeBootFirst(to: &json, alwaysSynchronised: true)
            json.field("valid_for_s", validFor)
            json.object("radio") { json in
                json.field("source", radio.source)
                json.field("interface", radio.interface)
                json.field("address", radio.address?.description)
                json.field("state", radio.state.rawValue)
                json.field("reason", radio.reason)
            }
            if let beacon { json.object("beacon") { json in beacon.writeFields(to: &json) } }
            json.array("log") { json in for range in log.suffix(Self.longestList) { range.write(to: &json) } }
            json.field("problems", Array(problems.prefix(Self.longestList)))
            json.field("regions", regions)
            json.field("revision", revision)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        version = try fields.text("version")
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
        guard let radio = try fields.optionalObject("radio") else { throw .missing("radio") }
        self.radio = try Radio(reading: radio)
        beacon = try fields.optionalObject("beacon").map { (object) throws(PayloadRefusal) in
            try Beacon(reading: object)
        }
        log = try fields.logRanges("log")
        problems = try fields.texts("problems", limit: Self.longestList)
        regions = try fields.count("regions", in: Fields.gauges)
        revision = try fields.optionalCount("revision", in: Fields.counts)
    }

    /// The gateway: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .gatewayInfo(let gateway) = topic, gateway != self.gateway { "gateway" } else { nil }
    }
}

extension GatewayInfo.Radio {
    fileprivate init(reading object: JSONObject) throws(PayloadRefusal) {
        var fields = Fields(object)
        source = try fields.text("source")
        interface = try fields.optionalText("interface")
        address = try fields.optionalParsed("address") { DeviceAddress($0, kind: .public) }
        state = try fields.word("state")
        reason = try fields.optionalText("reason")
    }
}

extension GatewayInfo.Beacon {
    fileprivate func writeFields(to json: inout JSONWriter) {
        json.field("uuid", identity.uuid)
        json.field("major", identity.major)
        json.field("minor", identity.minor)
        json.field("measured_power_dbm", measuredPower.dBm)
    }

    fileprivate init(reading object: JSONObject) throws(PayloadRefusal) {
        var fields = Fields(object)
        identity = try fields.beacon()
        guard let power = try fields.overridingPower() else { throw .missing("measured_power_dbm") }
        measuredPower = power
    }
}

extension Fields {
    /// What an event log holds, of the gateway's or of the aggregator's info.
    mutating func logRanges(_ key: String) throws(PayloadRefusal) -> [LogRange] {
        try array(key, limit: GatewayInfo.longestList) { (element) throws(PayloadRefusal) in
            var fields = try Fields(element, of: key)
            return try LogRange(reading: &fields)
        }
    }
}

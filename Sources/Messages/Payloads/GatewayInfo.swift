import Beacons

/// A gateway's heartbeat: its identity, the state of its radio, the contents of its event log, and its problems.
public struct GatewayInfo: Payload {
    /// The adapter or other source that a gateway receives from.
    public struct Radio: Hashable, Sendable {
        /// The configured source: `bluez:hci0`, `capture:FILE` or `simulation`.
        public var source: String
        /// The kernel interface in use: `monitor`, `raw` or `user`; `nil` if the source is not an adapter.
        public var interface: String?
        /// The adapter's address. The kind of the address is not sent; a reader assumes a public address.
        public var address: DeviceAddress?
        /// Whether the radio can receive.
        public var state: RadioState
        /// The reason for this state or this interface, in a sentence.
        public var reason: String?

        /// Creates a radio from all its properties.
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

    /// The beacon that a gateway transmits.
    public struct Beacon: Hashable, Sendable {
        /// The identity of the beacon.
        public var identity: BeaconIdentity
        /// The RSSI that the beacon claims to give at 1 m.
        public var measuredPower: MeasuredPower

        /// Creates a beacon from all its properties.
        public init(identity: BeaconIdentity, measuredPower: MeasuredPower) {
            self.identity = identity
            self.measuredPower = measuredPower
        }
    }

    /// The gateway's id.
    public var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    public var room: String?
    /// The receiver offset, in dB, of the gateway's own configuration; `nil` if the configuration adds nothing.
    ///
    /// The RSSI values that the gateway publishes do not contain the offset: a reader adds it.
    public var rssiOffset: Double?
    /// The version of the program.
    public var version: String
    /// When the message was sent. Readers derive the offset between the sender's clock and their own.
    public var stamp: Stamp
    /// See `Validity.heartbeatSeconds`.
    public var validFor: UInt32
    /// The gateway's radio.
    public var radio: Radio
    /// The beacon that the gateway's configuration transmits; `nil`: none.
    public var beacon: Beacon?
    /// The contents of the event log, oldest run id first; only the newest `longestList` ranges are sent.
    public var log: [LogRange]
    /// The current problems, each in a sentence; only the first `longestList` that fit are sent.
    public var problems: [String]
    /// The number of monitored regions, including the implicit regions of items.
    public var regions: Int
    /// The revision of the gateway's registry; `nil` if it has none.
    public var revision: UInt64?

    /// The limit of `log` and `problems` when a payload is read.
    public static let longestList = 256

    /// Creates an info from all its properties.
    public init(
        gateway: String, room: String? = nil, rssiOffset: Double? = nil, version: String, stamp: Stamp,
        validFor: UInt32 = Validity.heartbeatSeconds, radio: Radio, beacon: Beacon? = nil, log: [LogRange] = [],
        problems: [String] = [],
        regions: Int, revision: UInt64? = nil
    ) {
        self.gateway = gateway
        self.room = room
        self.rssiOffset = rssiOffset
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

    /// The value of `valid_for_s`.
    public var validForSeconds: UInt32? { validFor }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("gateway", gateway)
            json.field("room", room)
            json.field("rssi_offset_db", rssiOffset, decimals: 2)
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
            json.field("problems", problems.fitting(count: Self.longestList))
            json.field("regions", regions)
            json.field("revision", revision)
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        rssiOffset = try fields.optionalNumber("rssi_offset_db", in: Fields.offsets)
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

    /// Checks the gateway against the topic's.
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
    /// The receiver offsets, in dB, that a configuration may have.
    static let offsets: ClosedRange<Double> = -50...50

    /// Reads the contents of an event log from the info of a gateway or of the aggregator.
    mutating func logRanges(_ key: String) throws(PayloadRefusal) -> [LogRange] {
        try array(key, limit: GatewayInfo.longestList) { (element) throws(PayloadRefusal) in
            var fields = try Fields(element, of: key)
            return try LogRange(reading: &fields)
        }
    }
}

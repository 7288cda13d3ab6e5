/// The aggregator's heartbeat: the number of its items and gateways, the contents of its event log, and its problems.
public struct AggregatorInfo: Payload {
    /// The version of the program.
    public var version: String
    /// When the message was sent. Readers derive the offset between the sender's clock and their own.
    public var stamp: Stamp
    /// See `Validity.heartbeatSeconds`.
    public var validFor: UInt32
    /// The number of items.
    public var items: Int
    /// The number of gateways that are alive.
    public var gatewaysAlive: Int
    /// The number of known gateways that are not alive.
    public var gatewaysGone: Int
    /// The contents of the event log, oldest run id first; only the newest `GatewayInfo.longestList` ranges are sent.
    public var log: [LogRange]
    /// The registry's revision.
    public var revision: UInt64
    /// The current problems, each in a sentence; only the first `GatewayInfo.longestList` are sent.
    public var problems: [String]
    /// The name of the active aggregator, if there are several.
    public var active: String?
    /// The names of the aggregators on standby that are connected, if there are several.
    public var standby: [String]?
    /// The most names that are sent.
    public static let longestStandby = 16

    /// Creates an info from all its properties.
    public init(
        version: String, stamp: Stamp, validFor: UInt32 = Validity.heartbeatSeconds, items: Int, gatewaysAlive: Int,
        gatewaysGone: Int, log: [LogRange] = [], revision: UInt64, problems: [String] = [], active: String? = nil,
        standby: [String]? = nil
    ) {
        self.version = version
        self.stamp = stamp
        self.validFor = validFor
        self.items = items
        self.gatewaysAlive = gatewaysAlive
        self.gatewaysGone = gatewaysGone
        self.log = log
        self.revision = revision
        self.problems = problems
        self.active = active
        self.standby = standby
    }

    /// The value of `valid_for_s`.
    public var validForSeconds: UInt32? { validFor }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("version", version)
            stamp.writeBootFirst(to: &json)
            json.field("valid_for_s", validFor)
            json.field("items", items)
            json.object("gateways") { json in
                json.field("alive", gatewaysAlive)
                json.field("gone", gatewaysGone)
            }
            json.array("log") { json in for range in log.suffix(GatewayInfo.longestList) { range.write(to: &json) } }
            json.field("revision", revision)
            json.field("problems", problems.fitting(count: GatewayInfo.longestList))
            json.field("active", active)
            if let standby { json.field("standby", Array(standby.prefix(Self.longestStandby))) }
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        version = try fields.text("version")
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
        items = try fields.count("items", in: Fields.gauges)
        guard let object = try fields.optionalObject("gateways") else { throw .missing("gateways") }
        var gateways = Fields(object)
        gatewaysAlive = try gateways.count("alive", in: Fields.gauges)
        gatewaysGone = try gateways.count("gone", in: Fields.gauges)
        log = try fields.logRanges("log")
        revision = try fields.count("revision", in: Fields.counts)
        problems = try fields.texts("problems", limit: GatewayInfo.longestList)
        active = try fields.optionalText("active")
        standby = try fields.optionalTexts("standby", limit: Self.longestStandby)
    }
}

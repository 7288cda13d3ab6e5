/// The aggregator's heartbeat: what it looks after, what its event log holds, what is wrong.
public struct AggregatorInfo: Payload {
    /// The program's version.
    public var version: String
    /// The instant of its sending: from it readers learn how the boot's clock lies to theirs.
    public var stamp: Stamp
    /// See `Validity.heartbeatSeconds`.
    public var validFor: UInt32
    /// How many items it knows.
    public var items: Int
    /// How many gateways are alive.
    public var gatewaysAlive: Int
    /// How many gateways it knows that are not.
    public var gatewaysGone: Int
    /// What its event log holds, oldest boot first; only the newest `GatewayInfo.longestList` are sent.
    public var log: [LogRange]
    /// The registry's revision.
    public var revision: UInt64
    /// What is wrong, each in a sentence; only the first `GatewayInfo.longestList` are sent.
    public var problems: [String]

    /// An info with all its properties.
    public init(
        version: String, stamp: Stamp, validFor: UInt32 = Validity.heartbeatSeconds, items: Int, gatewaysAlive: Int,
        gatewaysGone: Int, log: [LogRange] = [], revision: UInt64, problems: [String] = []
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
    }

    /// As `valid_for_s` says.
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
            json.field("problems", Array(problems.prefix(GatewayInfo.longestList)))
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
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
    }
}

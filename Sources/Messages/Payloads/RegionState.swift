import Beacons

/// Whether a region is in range of one gateway; sent again with each `info`.
public struct RegionState: Payload {
    /// Whether.
    public var state: MonitoringState
    /// Since when it is so; `nil` where that is not known.
    public var since: WallTime?
    /// How many of its beacons are inside; `nil` where that is not known.
    public var beacons: Int?
    /// The gateway that says it.
    public var gateway: String
    /// When it was so.
    public var stamp: Stamp
    /// See `Validity.heartbeatSeconds`.
    public var validFor: UInt32
    /// Why the region cannot be monitored, in a sentence; its state is `unknown` then.
    public var error: String?

    /// A state with all its properties.
    public init(
        _ state: MonitoringState, since: WallTime? = nil, beacons: Int? = nil, gateway: String, stamp: Stamp,
        validFor: UInt32 = Validity.heartbeatSeconds, error: String? = nil
    ) {
        self.state = state
        self.since = since
        self.beacons = beacons
        self.gateway = gateway
        self.stamp = stamp
        self.validFor = validFor
        self.error = error
    }

    /// As `valid_for_s` says.
    public var validForSeconds: UInt32? { validFor }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("state", state.rawValue)
            json.field("since", since)
            json.field("beacons", beacons)
            json.field("gateway", gateway)
            stamp.writeTimeFirst(to: &json)
            json.field("valid_for_s", validFor)
            json.field("error", error)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        state = try fields.word("state")
        since = try fields.optionalTime("since")
        beacons = try fields.optionalCount("beacons", in: Fields.gauges)
        gateway = try fields.id("gateway")
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
        error = try fields.optionalText("error")
    }

    /// The gateway: a topic says it, too.
    public func contradiction(with topic: Topic) -> String? {
        if case .regionState(_, let gateway) = topic, gateway != self.gateway { "gateway" } else { nil }
    }
}

import Beacons

/// Whether a region is in range of one gateway; published with each `info`.
public struct RegionState: Payload {
    /// The monitoring state.
    public var state: MonitoringState
    /// When the state began; `nil` if unknown.
    public var since: WallTime?
    /// The number of the region's beacons in range; `nil` if unknown.
    public var beacons: Int?
    /// The gateway that publishes the state.
    public var gateway: String
    /// The time of the state.
    public var stamp: Stamp
    /// See `Validity.heartbeatSeconds`.
    public var validFor: UInt32
    /// Why the region cannot be monitored, in a sentence; the state is then `unknown`.
    public var error: String?

    /// Creates a state from all its properties.
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

    /// The value of `valid_for_s`.
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

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        state = try fields.word("state")
        since = try fields.optionalTime("since")
        beacons = try fields.optionalCount("beacons", in: Fields.gauges)
        gateway = try fields.id("gateway")
        stamp = try Stamp(reading: &fields)
        validFor = try fields.validity()
        error = try fields.optionalText("error")
    }

    /// Checks the gateway against the topic's.
    public func contradiction(with topic: Topic) -> String? {
        if case .regionState(_, let gateway) = topic, gateway != self.gateway { "gateway" } else { nil }
    }
}

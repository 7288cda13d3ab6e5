import Beacons

/// `enter` or `exit` of one beacon at one gateway.
public struct BeaconEvent: Payload {
    /// Whether the event is an `enter` or an `exit`.
    public var transition: Transition
    /// The event's number in the gateway's log, counted per run id.
    public var seq: UInt64
    /// When the event happened. The time of an exit is the last sighting plus the silence that was required at that
    /// time.
    public var stamp: Stamp
    /// The gateway that observed the event.
    public var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    public var room: String?
    /// The beacon.
    public var beacon: BeaconIdentity
    /// The ids of the regions that the beacon matches; an implicit region has its item's id. Only the first
    /// `longestList` are sent.
    public var regions: [String]
    /// Whether the gateway recognised the beacon by an alias of its item; `false` on exit.
    public var isByAlias: Bool
    /// The seconds from the enter to the last sighting; `nil` on enter, or if the time of the enter is not known.
    public var insideForSeconds: Double?
    /// When the beacon was last received; `nil` on enter.
    public var lastSeenAt: WallTime?
    /// The last RSSI of the beacon, in dBm.
    public var lastRSSI: Double?

    /// The limit of `regions` when a payload is read.
    public static let longestList = 256

    /// The event's unique id, by which readers drop duplicates.
    public var id: EventID { EventID(boot: stamp.boot, seq: seq) }

    /// Creates an event from all its properties.
    public init(
        _ transition: Transition, seq: UInt64, stamp: Stamp, gateway: String, room: String? = nil,
        beacon: BeaconIdentity, regions: [String], isByAlias: Bool = false, insideForSeconds: Double? = nil,
        lastSeenAt: WallTime? = nil, lastRSSI: Double? = nil
    ) {
        self.transition = transition
        self.seq = seq
        self.stamp = stamp
        self.gateway = gateway
        self.room = room
        self.beacon = beacon
        self.regions = regions
        self.isByAlias = isByAlias
        self.insideForSeconds = insideForSeconds
        self.lastSeenAt = lastSeenAt
        self.lastRSSI = lastRSSI
    }

    /// Writes the keys in the order of the reference's page for this payload.
    public func writeFields(to json: inout JSONWriter) {
        json.field("event_type", transition.rawValue)
        json.field("id", id.description)
        json.field("seq", seq)
        stamp.writeBootFirst(to: &json)
        json.field("gateway", gateway)
        json.field("room", room)
        json.fields(of: beacon)
        json.field("regions", Array(regions.prefix(Self.longestList)))
        json.field("by_alias", isByAlias ? true : nil)
        json.field("inside_for_s", insideForSeconds, decimals: 1)
        json.field("last_seen_at", lastSeenAt)
        json.field("last_rssi_dbm", lastRSSI, decimals: 1)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        transition = try fields.word("event_type")
        (seq, stamp) = try fields.event()
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        beacon = try fields.beacon()
        regions = try fields.ids("regions", limit: Self.longestList)
        isByAlias = try fields.optionalBool("by_alias") ?? false
        insideForSeconds = try fields.optionalNumber("inside_for_s", in: Fields.amounts)
        lastSeenAt = try fields.optionalTime("last_seen_at")
        lastRSSI = try fields.optionalNumber("last_rssi_dbm", in: Fields.strengths)
    }
}

extension Fields {
    /// Reads `id` and `seq` of an event and its stamp, which must agree.
    mutating func event() throws(PayloadRefusal) -> (seq: UInt64, stamp: Stamp) {
        let id = try parsed("id") { EventID($0) }
        guard try count("seq", in: EventID.numbers) == id.seq else { throw .contradiction("seq") }
        let stamp = try Stamp(reading: &self)
        guard stamp.boot == id.boot else { throw .contradiction("boot") }
        return (id.seq, stamp)
    }

    /// Reads `uuid`, `major` and `minor`.
    package mutating func beacon() throws(PayloadRefusal) -> BeaconIdentity {
        BeaconIdentity(
            uuid: try uuid("uuid"), major: try count("major", in: 0...UInt16.max),
            minor: try count("minor", in: 0...UInt16.max))
    }
}

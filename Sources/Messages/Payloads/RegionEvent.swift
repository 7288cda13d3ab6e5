/// `enter` or `exit` of a whole region at one gateway: its first beacon came into range, or its last beacon left.
public struct RegionEvent: Payload {
    /// Whether the event is an `enter` or an `exit`.
    public var transition: Transition
    /// The event's number in the gateway's log, counted per run id.
    public var seq: UInt64
    /// When the event happened.
    public var stamp: Stamp
    /// The region's id.
    public var region: String
    /// The gateway that observed the event.
    public var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    public var room: String?
    /// The text to show to people, if the region has one for this event.
    public var message: String?

    /// The event's unique id, by which readers drop duplicates.
    public var id: EventID { EventID(boot: stamp.boot, seq: seq) }

    /// Creates an event from all its properties.
    public init(
        _ transition: Transition, seq: UInt64, stamp: Stamp, region: String, gateway: String, room: String? = nil,
        message: String? = nil
    ) {
        self.transition = transition
        self.seq = seq
        self.stamp = stamp
        self.region = region
        self.gateway = gateway
        self.room = room
        self.message = message
    }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("event_type", transition.rawValue)
            json.field("id", id.description)
            json.field("seq", seq)
            stamp.writeBootFirst(to: &json)
            json.field("region", region)
            json.field("gateway", gateway)
            json.field("room", room)
            json.field("message", message)
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        transition = try fields.word("event_type")
        let id = try fields.eventID()
        seq = id.seq
        stamp = try Stamp(reading: &fields)
        guard stamp.boot == id.boot else { throw .contradiction("boot") }
        region = try fields.id("region")
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        message = try fields.optionalText("message")
    }

    /// Checks the region and the gateway against the topic's.
    public func contradiction(with topic: Topic) -> String? {
        guard case .regionEvent(let region, let gateway) = topic else { return nil }
        if region != self.region { return "region" }
        return gateway != self.gateway ? "gateway" : nil
    }
}

/// `enter` or `exit` of a whole region at one gateway: its first beacon came, or its last one went.
public struct RegionEvent: Payload {
    /// Which of the two.
    public var transition: Transition
    /// Its number in the gateway's log of the stamp's boot.
    public var seq: UInt64
    /// When it happened.
    public var stamp: Stamp
    /// The region's id.
    public var region: String
    /// The gateway where it happened.
    public var gateway: String
    /// The room that the gateway serves, if it was told.
    public var room: String?
    /// What is said to people with it, where the region has a text for it.
    public var message: String?

    /// By which readers drop doubles.
    public var id: EventID { EventID(boot: stamp.boot, seq: seq) }

    /// An event with all its properties.
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

    /// Takes it from its members; one that is not as agreed refuses it.
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

    /// The region and the gateway: a topic says them, too.
    public func contradiction(with topic: Topic) -> String? {
        guard case .regionEvent(let region, let gateway) = topic else { return nil }
        if region != self.region { return "region" }
        return gateway != self.gateway ? "gateway" : nil
    }
}

/// `enter` or `exit` of a whole region at one gateway: its first beacon came into range, or its last beacon left.
package struct RegionEvent: Payload {
    /// Whether the event is an `enter` or an `exit`.
    package var transition: Transition
    /// The event's number in the gateway's log, counted per run id.
    package var seq: UInt64
    package var stamp: Stamp
    package var region: String
    package var gateway: String
    /// The room that the gateway serves; `nil` if its configuration names none.
    package var room: String?
    /// The text to show to people, if the region has one for this event.
    package var message: String?

    /// The event's unique id, by which readers drop duplicates.
    package var id: EventID { EventID(boot: stamp.boot, seq: seq) }

    package init(
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

    package func writeFields(to json: inout JSONWriter) {
        json.field("event_type", transition.rawValue)
        json.field("id", id.description)
        json.field("seq", seq)
        stamp.writeBootFirst(to: &json)
        json.field("region", region)
        json.field("gateway", gateway)
        json.field("room", room)
        json.field("message", message)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        transition = try fields.word("event_type")
        (seq, stamp) = try fields.event()
        region = try fields.id("region")
        gateway = try fields.id("gateway")
        room = try fields.optionalText("room")
        message = try fields.optionalText("message")
    }
}

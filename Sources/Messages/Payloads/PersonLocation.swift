import Beacons

/// The location and presence of a person, as far as what the person carries shows them.
package struct PersonLocation: Payload {
    package var person: Person
    package var presence: Presence
    /// The person's room; not sent unless the person is at home.
    package var room: String?
    /// How likely the presence is, 0 to 1; `nil` if it is unknown.
    package var confidence: Double?
    /// The id of the item that shows the room.
    package var item: String?
    /// When the person came into the room, or departed.
    package var since: WallTime?
    /// When the location was determined.
    package var stamp: Stamp

    package init(
        person: Person, presence: Presence, room: String? = nil, confidence: Double? = nil, item: String? = nil,
        since: WallTime? = nil, stamp: Stamp
    ) {
        self.person = person
        self.presence = presence
        self.room = room
        self.confidence = confidence
        self.item = item
        self.since = since
        self.stamp = stamp
    }

    package func writeFields(to json: inout JSONWriter) {
        person.writeFields(to: &json)
        json.field("presence", presence.rawValue)
        if presence == .home {
            json.field("room", room)
            json.field("item", item)
        }
        json.field("confidence", confidence, decimals: 2)
        json.field("since", since)
        stamp.writeTimeFirst(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        person = try Person(reading: &fields)
        guard !person.id.isEmpty else { throw .missing("id") }
        presence = try fields.word("presence")
        room = try fields.optionalText("room")
        item = try fields.optionalParsed("item") { isValidID($0) ? $0 : nil }
        confidence = try fields.optionalNumber("confidence", in: 0...1)
        since = try fields.optionalTime("since")
        stamp = try Stamp(reading: &fields)
    }
}

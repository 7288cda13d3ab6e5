import Messages

/// The room of an item in the format of ESPresense and room-assistant, which Home Assistant's `mqtt_room` reads.
package struct RoomMessage: Hashable, Sendable {
    package var id: String
    package var name: String
    /// The room, which is the last level of the topic.
    package var room: String
    /// The distance to the gateway that receives the item best, in metres; the format requires one.
    package var distance: Double

    /// Creates a message from a location; `nil` if the item is not home or its distance is unknown.
    package init?(_ location: ItemLocation) {
        guard location.presence == .home, let room = location.room, let distance = location.accuracy else { return nil }
        id = location.item
        name = location.name
        self.room = room
        self.distance = distance
    }

    /// The message under a prefix. Characters of the room's name that topics cannot contain become hyphens.
    package func message(under prefix: String) -> ForeignMessage {
        var json = JSONWriter(reserving: 128)
        json.object { json in
            json.field("id", id)
            json.field("name", name)
            json.field("distance", distance, decimals: 2)
        }
        let level = String(
            String.UnicodeScalarView(
                room.unicodeScalars.map { scalar in
                    "/+#".unicodeScalars.contains(scalar) || scalar.properties.generalCategory == .control
                        ? "-" : scalar
                }))
        return ForeignMessage(topic: "\(prefix)/\(level)", payload: json.bytes, isRetained: false)
    }
}

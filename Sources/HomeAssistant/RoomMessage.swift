import Messages

/// In which room an item is, as ESPresense and room-assistant say it and Home Assistant's `mqtt_room` reads it.
public struct RoomMessage: Hashable, Sendable {
    /// The item's id.
    public var id: String
    /// The item's name.
    public var name: String
    /// The room: the topic's last level.
    public var room: String
    /// How far from the gateway that hears it best, in metres. Its readers want one.
    public var distance: Double

    /// What can be said of a location: nothing of what is not home, and nothing where no distance is known.
    public init?(_ location: ItemLocation) {
        guard location.presence == .home, let room = location.room, let distance = location.accuracy else { return nil }
        id = location.item
        name = location.name
        self.room = room
        self.distance = distance
    }

    /// It under a prefix. What a topic cannot have of a room's name becomes a hyphen.
    public func message(under prefix: String) -> ForeignMessage {
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

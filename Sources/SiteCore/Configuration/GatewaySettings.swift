import Locating
import Settings

/// A `[[gateway]]`: the site's settings for one gateway.
package struct GatewaySettings: Hashable, Sendable {
    package var id: String
    /// The room that it serves; `nil`: the room that the gateway publishes.
    package var room: String?
    /// The other rooms that it serves, if it is between rooms.
    package var otherRooms: [String]
    /// Its position on the plan, in metres.
    package var position: Polygon.Point?
    /// Its height above its floor, in metres.
    package var height: Double?
    /// Its floor; `nil`: the floor of its room.
    package var floor: Int?
    /// The receiver offset, in dB, added to every RSSI from the gateway; `nil`: the learned offset.
    package var rssiOffset: Double?
    package var line: Int

    /// Reads a `[[gateway]]`; `nil` if it has no id.
    init?(_ table: SettingsTable) {
        let id = table.required.id("id")
        let rooms = table.texts("rooms", count: 1...4)
        if rooms != nil, table.has("room") { table.note("rooms", "stands beside room: write only one of the two") }
        let room = table.text("room")
        self.room = rooms?.first ?? room
        otherRooms = Array(rooms?.dropFirst() ?? [])
        let position = table.numbers("position_m", count: 2...3, in: planRange)
        self.position = position.map { Polygon.Point(x: $0[0], y: $0[1]) }
        height = position.flatMap { $0.count == 3 ? $0[2] : nil }
        floor = table.floor("floor")
        rssiOffset = table.number("rssi_offset_db", in: -50...50)
        line = table.line ?? 0
        guard let id else { return nil }
        self.id = id
    }
}

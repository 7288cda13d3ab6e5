import Beacons

/// Who or what is in a room: the payload of `rooms/{room}/people` and of `rooms/{room}/items`.
package struct RoomContents: Payload {
    package var room: String
    /// The number of persons or items.
    package var count: Int
    /// Their ids; only the first `longestList` are sent.
    package var ids: [String]
    /// Their names, in the order of `ids`; none in payloads of versions that did not know them.
    package var names: [String]
    /// Since when the room has none, as far as is known; `nil` if it has some.
    package var emptySince: WallTime?
    /// When the contents were determined.
    package var stamp: Stamp

    /// The limit of `ids` and `names`.
    package static let longestList = 256

    package init(room: String, ids: [String], names: [String], emptySince: WallTime? = nil, stamp: Stamp) {
        self.room = room
        count = ids.count
        self.ids = ids
        self.names = names
        self.emptySince = emptySince
        self.stamp = stamp
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("room", room)
        json.field("count", count)
        json.field("ids", Array(ids.prefix(Self.longestList)))
        json.field("names", Array(names.prefix(Self.longestList)))
        json.field("empty_since", emptySince)
        stamp.writeTimeFirst(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        room = try fields.text("room")
        count = try fields.count("count", in: Fields.gauges)
        ids = try fields.ids("ids", limit: Self.longestList)
        names = try fields.optionalTexts("names", limit: Self.longestList) ?? []
        emptySince = try fields.optionalTime("empty_since")
        stamp = try Stamp(reading: &fields)
    }
}

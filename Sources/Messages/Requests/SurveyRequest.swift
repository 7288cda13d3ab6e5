/// The request `request/survey/start`: records the fingerprint of a room.
package struct SurveyRequest: Body {
    package var room: String
    /// The item in that room: its id or its exact name.
    package var item: String
    /// The length in seconds, 10 to 600.
    package var seconds: Int

    /// The allowed lengths in seconds.
    package static let lengths = 10...600
    /// The default length in seconds: people are willing to stay in one position for a minute.
    package static let usual = 60

    package init(room: String, item: String, seconds: Int = SurveyRequest.usual) {
        self.room = room
        self.item = item
        self.seconds = seconds
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("room", room)
        json.field("item", item)
        json.field("for_s", seconds)
    }

    /// Reads the value from its members; throws at the first invalid member. `for_s` defaults to a minute.
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        room = try fields.text("room")
        item = try fields.text("item")
        seconds = try fields.optionalCount("for_s", in: Self.lengths) ?? Self.usual
    }
}

/// Asks the aggregator to note how a room sounds: `request/survey/start`.
public struct SurveyRequest: Body {
    /// The room's name.
    public var room: String
    /// The item that is there: its id, or its exact name.
    public var item: String
    /// How long: 10 to 600 s.
    public var seconds: Int

    /// What is allowed.
    public static let lengths = 10...600
    /// A minute is what people are willing to stand somewhere.
    public static let usual = 60

    /// A wish with all its properties.
    public init(room: String, item: String, seconds: Int = SurveyRequest.usual) {
        self.room = room
        self.item = item
        self.seconds = seconds
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("room", room)
        json.field("item", item)
        json.field("for_s", seconds)
    }

    /// Takes it from its members; one that is not as agreed refuses it. Without `for_s` it is a minute.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        room = try fields.text("room")
        item = try fields.text("item")
        seconds = try fields.optionalCount("for_s", in: Self.lengths) ?? Self.usual
    }
}

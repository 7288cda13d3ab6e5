/// Asks the aggregator to end a survey and to say what it is worth: `request/survey/stop`.
public struct SurveyEnd: Body {
    /// The item that it is made with: its id, or its exact name.
    public var item: String
    /// Whether it is to be kept.
    public var isKept: Bool

    /// A wish with all its properties.
    public init(item: String, isKept: Bool = true) {
        self.item = item
        self.isKept = isKept
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("item", item)
        if !isKept { json.field("discard", true) }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.text("item")
        isKept = try fields.optionalBool("discard") != true
    }
}

/// The request `request/survey/stop`: ends a survey and requests its result.
public struct SurveyEnd: Body {
    /// The surveying item: its id or its exact name.
    public var item: String
    /// Whether to store the survey.
    public var isStored: Bool

    /// Creates a request from all its properties.
    public init(item: String, isStored: Bool = true) {
        self.item = item
        self.isStored = isStored
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.field("item", item)
        if !isStored { json.field("discard", true) }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.text("item")
        isStored = try fields.optionalBool("discard") != true
    }
}

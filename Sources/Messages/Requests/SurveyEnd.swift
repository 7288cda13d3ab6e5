/// The request `request/survey/stop`: ends a survey and requests its result.
package struct SurveyEnd: Body {
    /// The surveying item: its id or its exact name.
    package var item: String
    /// Whether to store the survey.
    package var isStored: Bool

    package init(item: String, isStored: Bool = true) {
        self.item = item
        self.isStored = isStored
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("item", item)
        if !isStored { json.field("discard", true) }
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.text("item")
        isStored = try fields.optionalBool("discard") != true
    }
}

/// The request `request/survey/stop`: ends a survey and requests its result.
package struct SurveyEnd: Body {
    /// The surveying item: its id or its exact name.
    package var item: String
    /// The room of the survey that is meant: another one with the item is not stopped. `nil`: any.
    package var room: String?
    package var isStored: Bool

    package init(item: String, room: String? = nil, isStored: Bool = true) {
        self.item = item
        self.room = room
        self.isStored = isStored
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("item", item)
        json.field("room", room)
        if !isStored { json.field("discard", true) }
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.text("item")
        room = try fields.optionalText("room")
        isStored = try fields.optionalBool("discard") != true
    }
}

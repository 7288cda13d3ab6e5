/// The body of `…/remove` requests: an item, region or gateway, named by its id or its exact name.
package struct NameOrID: Body {
    package var name: String

    package init(name: String) {
        self.name = name
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("name", name)
    }

    /// Reads `id` or else `name`; throws if it is absent or invalid.
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let id = try fields.optionalText("id") else {
            name = try fields.text("name")
            return
        }
        // A name beside the id is known, and does not count.
        _ = fields.value("name")
        name = id
    }
}

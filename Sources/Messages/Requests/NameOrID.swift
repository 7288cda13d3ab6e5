/// The body of `…/remove` requests: an item, region or gateway, named by its id or its exact name.
public struct NameOrID: Body {
    /// The id or name.
    public var name: String

    /// Creates a body from an id or a name.
    public init(name: String) {
        self.name = name
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.field("name", name)
    }

    /// Reads `id` or else `name`; throws if it is absent or invalid.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let id = try fields.optionalText("id") else {
            name = try fields.text("name")
            return
        }
        // A name beside the id is known, and does not count.
        _ = fields.value("name")
        name = id
    }
}

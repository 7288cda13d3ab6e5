/// Names an item, region or gateway, by its id or its exact name: what `…/remove` asks with.
public struct NamedThing: Body {
    /// The id or name.
    public var name: String

    /// Names something.
    public init(name: String) {
        self.name = name
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("name", name)
    }

    /// Takes it from its members, `name` or `id`; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        if let id = try fields.optionalText("id") { name = id } else { name = try fields.text("name") }
    }
}

/// The response to `request/items/add` and `request/items/remove`: the item that was added or removed.
public struct ItemResponse: Body {
    /// The item.
    public var item: RegistryItem

    /// Creates a response with `item`.
    public init(item: RegistryItem) {
        self.item = item
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.key(named: "item")
        item.write(to: &json)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let object = try fields.optionalObject("item") else { throw .missing("item") }
        var fields = Fields(object)
        item = try RegistryItem(reading: &fields)
    }
}

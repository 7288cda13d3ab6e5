/// Asks the aggregator to call an item something else: `request/items/rename`. Its id stays, and with it its topics and its history.
public struct RenamedItem: Body {
    /// Which item, by its id or exact name.
    public var item: NamedThing
    /// What people call it from now on.
    public var newName: String

    /// Asks to call `item` by `newName`.
    public init(_ item: NamedThing, newName: String) {
        self.item = item
        self.newName = newName
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        item.writeFields(to: &json)
        json.field("new_name", newName)
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try NamedThing(reading: &fields)
        newName = try fields.text("new_name")
    }
}

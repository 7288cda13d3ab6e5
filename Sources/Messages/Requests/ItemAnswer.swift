/// Answers `request/items/add` and `request/items/remove`: the item as it is, or was.
public struct ItemAnswer: Body {
    /// The item.
    public var item: RegistryItem

    /// An answer about `item`.
    public init(item: RegistryItem) {
        self.item = item
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.key(named: "item")
        item.write(to: &json)
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let object = try fields.optionalObject("item") else { throw .missing("item") }
        var fields = Fields(object)
        item = try RegistryItem(reading: &fields)
    }
}

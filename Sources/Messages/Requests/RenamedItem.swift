/// The request `request/items/rename`: changes the name of an item. The item keeps its id, its topics and its history.
public struct RenamedItem: Body {
    /// The item, by its id or exact name.
    public var item: NameOrID
    /// The new name.
    public var newName: String

    /// Creates a request to rename `item` to `newName`.
    public init(_ item: NameOrID, newName: String) {
        self.item = item
        self.newName = newName
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        item.writeFields(to: &json)
        json.field("new_name", newName)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try NameOrID(reading: &fields)
        newName = try fields.text("new_name")
    }
}

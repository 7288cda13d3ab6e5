/// The request `request/items/rename`: changes the name of an item. The item keeps its id, its topics and its history.
package struct RenamedItem: Body {
    package var item: NameOrID
    package var newName: String

    package init(_ item: NameOrID, newName: String) {
        self.item = item
        self.newName = newName
    }

    package func writeFields(to json: inout JSONWriter) {
        item.writeFields(to: &json)
        json.field("new_name", newName)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try NameOrID(reading: &fields)
        newName = try fields.text("new_name")
    }
}

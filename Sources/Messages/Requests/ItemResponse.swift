/// The response to `request/items/add` and `request/items/remove`: the item that was added or removed.
package struct ItemResponse: Body {
    package var item: RegistryItem

    package init(item: RegistryItem) {
        self.item = item
    }

    package func writeFields(to json: inout JSONWriter) {
        json.object("item", item)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try fields.entry("item")
    }
}

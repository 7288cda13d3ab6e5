/// The request `request/items/add`: adds an item to the registry.
package struct NewItem: Body {
    /// The item. Without notification settings, it gets those of a configured item without `notify`.
    package var item: RegistryItem

    package init(_ item: RegistryItem) { self.item = item }

    package func writeFields(to json: inout JSONWriter) { item.writeFields(to: &json) }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try RegistryItem(id: try fields.requestedID(), others: &fields)
        try item.notify?.checkHours()
    }
}

extension RegistryItem {
    /// Whether the item already is as requested.
    package func matches(_ requested: NewItem) -> Bool {
        var other = requested.item
        other.id = id
        if other.notify == nil { other.notify = notify }
        return self == other
    }
}

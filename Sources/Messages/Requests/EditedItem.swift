/// The request `request/items/edit`: changes the name, the notification settings, the owners or the measured power of an item, or whether
/// it sleeps.
///
/// An absent member stays unchanged, also within `notify`. A `null` removes the member (merge patch, RFC 7396).
package struct EditedItem: Body {
    package var item: NameOrID
    /// The changes: `measured_power_dbm`, `sleeps`, `owners`, `needed`, `not_alone_in`, `notify` and the members of `notify`.
    package private(set) var changes: JSONObject
    /// The new name; `nil` if the name stays.
    package var newName: String?

    package init(_ item: NameOrID, changes: JSONObject = JSONObject(), newName: String? = nil) {
        self.item = item
        self.newName = newName
        self.changes = JSONObject()
        for key in Self.keys { self.changes.set(key, to: changes[key]) }
    }

    private static let keys = ["measured_power_dbm", "sleeps", "notify", "owners", "needed", "not_alone_in"]

    /// Refuses a member of `notify` that no item has.
    package func refuseUnknown() throws(PayloadRefusal) {
        guard let notify = changes["notify"]?.object else { return }
        var fields = Fields(notify, isStrict: true)
        _ = try Notify(reading: &fields)
    }

    /// Returns the changed item; throws if a change is invalid.
    package func applied(to item: RegistryItem) throws(PayloadRefusal) -> RegistryItem {
        guard let object = (try? JSONValue(parsing: item.bytes))?.object else {
            preconditionFailure("the writer's output is not JSON")
        }
        var fields = Fields(object.merged(with: changes))
        var changed = try RegistryItem(reading: &fields)
        if let newName { changed.name = newName }
        // An item that has had half a window since before this was refused can still be changed otherwise.
        if let notify = changes["notify"]?.object, notify["from"] != nil || notify["to"] != nil {
            try changed.notify?.checkHours()
        }
        return changed
    }

    package func writeFields(to json: inout JSONWriter) {
        item.writeFields(to: &json)
        json.field("new_name", newName)
        for key in Self.keys {
            guard let value = changes[key] else { continue }
            json.key(named: key)
            json.element(value)
        }
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(
            try NameOrID(reading: &fields), changes: fields.object, newName: try fields.optionalText("new_name"))
        for key in Self.keys { _ = fields.value(key) }
        if fields.isStrict {
            // A misspelt key is named, instead of a refusal because nothing changes.
            try fields.refuseOthers()
            try refuseUnknown()
        }
        guard newName != nil || !changes.members.isEmpty else { throw .senseless("The request changes nothing.") }
    }
}

/// The request `request/items/edit`: changes the notification settings or the measured power of an item, or whether it sleeps.
///
/// An absent member stays unchanged, also within `notify`. A `null` removes the member (merge patch, RFC 7396).
public struct EditedItem: Body {
    /// The item, by its id or exact name.
    public var item: NameOrID
    /// The changes: `measured_power_dbm`, `sleeps`, `notify` and the members of `notify`.
    public private(set) var changes: JSONObject

    /// Creates a request to change `item`. Members that the request cannot change are dropped.
    public init(_ item: NameOrID, changes: JSONObject) {
        self.item = item
        self.changes = JSONObject()
        for key in Self.keys { self.changes.set(key, to: changes[key]) }
    }

    private static let keys = ["measured_power_dbm", "sleeps", "notify"]

    /// Returns the changed item; throws if a change is invalid.
    public func applied(to item: RegistryItem) throws(PayloadRefusal) -> RegistryItem {
        guard let object = (try? JSONValue(parsing: item.bytes))?.object else {
            preconditionFailure("the writer's output is not JSON")
        }
        var fields = Fields(object.merged(with: changes))
        return try RegistryItem(reading: &fields)
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        item.writeFields(to: &json)
        for key in Self.keys {
            guard let value = changes[key] else { continue }
            json.key(named: key)
            json.element(value)
        }
    }

    /// Reads the value from its members; throws if the request changes nothing.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(try NameOrID(reading: &fields), changes: fields.object)
        guard !changes.members.isEmpty else { throw .missing("notify") }
    }
}

/// Asks the aggregator to change of what an item's owner is told, or what its beacon is taken to give at 1 m: `request/items/edit`.
///
/// What is absent stays as it is, within `notify` as well; what is `null` is taken away (a merge patch, RFC 7396).
public struct EditedItem: Body {
    /// Which item, by its id or exact name.
    public var item: NamedThing
    /// What is to be changed: `measured_power_dbm`, `notify` and its members.
    public private(set) var changes: JSONObject

    /// Asks to change `item`; of the changes, what this cannot change is left out.
    public init(_ item: NamedThing, changes: JSONObject) {
        self.item = item
        self.changes = JSONObject()
        for key in Self.keys { self.changes.set(key, to: changes[key]) }
    }

    private static let keys = ["measured_power_dbm", "notify"]

    /// The item as it will be; what it cannot be refuses it.
    public func applied(to item: RegistryItem) throws(PayloadRefusal) -> RegistryItem {
        guard let object = (try? JSONValue(parsing: item.bytes))?.object else {
            preconditionFailure("what was written is not JSON")
        }
        var fields = Fields(object.merged(with: changes))
        return try RegistryItem(reading: &fields)
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        item.writeFields(to: &json)
        for key in Self.keys {
            guard let value = changes[key] else { continue }
            json.key(named: key)
            json.element(value)
        }
    }

    /// Takes it from its members; one that changes nothing is refused.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(try NamedThing(reading: &fields), changes: fields.object)
        guard !changes.members.isEmpty else { throw .missing("notify") }
    }
}

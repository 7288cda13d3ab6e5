import Beacons

/// The request `request/stays` to the aggregator for the past of one item.
public struct StaysRequest: Body {
    /// The item, by its id or exact name.
    public var item: NameOrID
    /// The time at which the past begins; `nil`: everything that is stored.
    public var since: WallTime?
    /// The beginning of the last stay of the previous response, behind which the response begins.
    public var after: WallTime?

    /// Creates a request from all its properties.
    public init(item: NameOrID, since: WallTime? = nil, after: WallTime? = nil) {
        self.item = item
        self.since = since
        self.after = after
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        item.writeFields(to: &json)
        json.field("since", since)
        json.field("after", after)
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try NameOrID(reading: &fields)
        since = try fields.optionalTime("since")
        after = try fields.optionalTime("after")
    }
}

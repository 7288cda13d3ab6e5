import Beacons

/// The request `request/stays` to the aggregator for the past of one item.
package struct StaysRequest: Body {
    package var item: NameOrID
    /// The time at which the past begins; `nil`: everything that is stored.
    package var since: WallTime?
    /// The beginning of the last stay of the previous response, behind which the response begins.
    package var after: WallTime?

    package init(item: NameOrID, since: WallTime? = nil, after: WallTime? = nil) {
        self.item = item
        self.since = since
        self.after = after
    }

    package func writeFields(to json: inout JSONWriter) {
        item.writeFields(to: &json)
        json.field("since", since)
        json.field("after", after)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        item = try NameOrID(reading: &fields)
        since = try fields.optionalTime("since")
        after = try fields.optionalTime("after")
    }
}

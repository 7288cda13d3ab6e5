import Beacons

/// The request `request/forgotten` to one of several aggregators for the items whose past was deleted.
package struct ForgottenRequest: Body {
    /// The name of the aggregator that responds.
    package var aggregator: String

    package init(aggregator: String) { self.aggregator = aggregator }

    package func writeFields(to json: inout JSONWriter) { json.field("aggregator", aggregator) }

    package init(reading fields: inout Fields) throws(PayloadRefusal) { aggregator = try fields.id("aggregator") }
}

/// The response to `request/forgotten`: the items whose past was deleted, the latest first.
package struct ForgottenResponse: Body {
    /// An item whose past was deleted.
    package struct Past: Members {
        package var item: String
        /// The time up to which its past was deleted.
        package var before: WallTime

        package init(item: String, before: WallTime) {
            self.item = item
            self.before = before
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("item", item)
            json.field("before", before)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            item = try fields.id("item")
            before = try fields.time("before")
        }
    }

    /// The items; at most `most`.
    package var pasts: [Past]

    /// The limit of items in one response.
    package static let most = 200

    package init(pasts: [Past]) {
        self.pasts = Array(pasts.sorted { ($0.before, $1.item) > ($1.before, $0.item) }.prefix(Self.most))
    }

    package func writeFields(to json: inout JSONWriter) {
        json.array("forgotten", pasts)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        pasts = try fields.entries("forgotten", limit: Self.most)
    }
}

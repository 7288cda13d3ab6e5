import Beacons

/// The request `request/forgotten` to one of several aggregators for the items whose past was deleted.
public struct ForgottenRequest: Body {
    /// The name of the aggregator that responds.
    public var aggregator: String

    /// Creates a request to the aggregator of that name.
    public init(aggregator: String) { self.aggregator = aggregator }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) { json.field("aggregator", aggregator) }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) { aggregator = try fields.id("aggregator") }
}

/// The response to `request/forgotten`: the items whose past was deleted, the latest first.
public struct ForgottenResponse: Body {
    /// An item whose past was deleted.
    public struct Past: Hashable, Sendable {
        /// The item's id.
        public var item: String
        /// The time up to which its past was deleted.
        public var before: WallTime

        /// A deletion from all its properties.
        public init(item: String, before: WallTime) {
            self.item = item
            self.before = before
        }
    }

    /// The items; at most `most`.
    public var pasts: [Past]

    /// The limit of items in one response.
    public static let most = 200

    /// Creates a response of the latest deletions.
    public init(pasts: [Past]) {
        self.pasts = Array(pasts.sorted { ($0.before, $1.item) > ($1.before, $0.item) }.prefix(Self.most))
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.array("forgotten") { json in
            for past in pasts {
                json.object { json in
                    json.field("item", past.item)
                    json.field("before", past.before)
                }
            }
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        pasts = try fields.array("forgotten", limit: Self.most) { (element) throws(PayloadRefusal) in
            var past = try Fields(element, of: "forgotten")
            return Past(item: try past.id("item"), before: try past.time("before"))
        }
    }
}

/// Asks the aggregator to add many items in one change: `request/items/import`.
public struct ImportedItems: Body {
    /// The items, at most `most`.
    public var items: [WantedItem]

    /// So many items fit into one request.
    public static let most = 200

    /// A request with its items.
    public init(items: [WantedItem]) {
        self.items = items
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.array("items") { json in
            for item in items { json.object { item.writeFields(to: &$0) } }
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        items = try fields.array("items", limit: Self.most) { (value) throws(PayloadRefusal) in
            var fields = try Fields(value, of: "items")
            return try WantedItem(reading: &fields)
        }
    }
}

/// Answers `request/items/import`: how many items were added, and why each of the others was not.
public struct ImportAnswer: Body {
    /// An item that was not added.
    public struct Refusal: Hashable, Sendable {
        /// Which item of the request, from 0.
        public var index: Int
        /// Why, in a sentence.
        public var error: String

        /// A refusal with all its properties.
        public init(index: Int, error: String) {
            self.index = index
            self.error = error
        }
    }

    /// How many were added.
    public var added: Int
    /// The others, in the order of the request.
    public var refused: [Refusal]

    /// An answer with all its properties.
    public init(added: Int, refused: [Refusal]) {
        self.added = added
        self.refused = refused
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.field("added", added)
        json.array("refused") { json in
            for refusal in refused {
                json.object { json in
                    json.field("index", refusal.index)
                    json.field("error", refusal.error)
                }
            }
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        added = try fields.count("added", in: 0...ImportedItems.most)
        refused = try fields.array("refused", limit: ImportedItems.most) { (value) throws(PayloadRefusal) in
            var fields = try Fields(value, of: "refused")
            return Refusal(
                index: try fields.count("index", in: 0...ImportedItems.most), error: try fields.text("error"))
        }
    }
}

/// The request `request/items/import`: adds many items in one change.
public struct ImportedItems: Body {
    /// The items, at most `most`.
    public var items: [NewItem]

    /// The limit of items in one request.
    public static let most = 200

    /// Creates a request from its items.
    public init(items: [NewItem]) {
        self.items = items
    }

    /// The items in groups that fit into one request each, as ranges of `items`.
    public static func batches(of items: [NewItem]) -> [Range<Int>] {
        // Half of a request's limit: the rest is for the JSON around the items.
        let mostBytes = JSONLimits.payload.bytes / 2
        // An item with its notify has about 20 values.
        let most = min(Self.most, JSONLimits.payload.elements / 24)
        var batches: [Range<Int>] = []
        var bytes = 0
        for (index, item) in items.enumerated() {
            let size = Request.bytes(of: item).count
            if let last = batches.last, last.count < most, bytes + size <= mostBytes {
                batches[batches.count - 1] = last.lowerBound..<index + 1
            } else {
                batches.append(index..<index + 1)
                bytes = 0
            }
            bytes += size
        }
        return batches
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        json.array("items") { json in
            for item in items { json.object { item.writeFields(to: &$0) } }
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        let isStrict = fields.isStrict
        items = try fields.array("items", limit: Self.most) { (value) throws(PayloadRefusal) in
            guard let object = value.object else { throw .wrongType("items") }
            guard !isStrict else { return try NewItem(requestedBy: object) }
            var fields = Fields(object)
            return try NewItem(reading: &fields)
        }
    }
}

/// The response to `request/items/import`: the number of added items, and the reason for each item that was not added.
public struct ImportResponse: Body {
    /// An item that was not added.
    public struct Refusal: Hashable, Sendable {
        /// The index of the item in the request, from 0.
        public var index: Int
        /// The reason, in a sentence.
        public var error: String

        /// Creates a refusal from all its properties.
        public init(index: Int, error: String) {
            self.index = index
            self.error = error
        }
    }

    /// The number of added items.
    public var added: Int
    /// The items that were not added, in the order of the request.
    public var refused: [Refusal]

    /// Creates a response from all its properties.
    public init(added: Int, refused: [Refusal]) {
        self.added = added
        self.refused = refused
    }

    /// Writes the members in the order of the reference.
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

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        added = try fields.count("added", in: 0...ImportedItems.most)
        refused = try fields.array("refused", limit: ImportedItems.most) { (value) throws(PayloadRefusal) in
            var fields = try Fields(value, of: "refused")
            return Refusal(
                index: try fields.count("index", in: 0...ImportedItems.most), error: try fields.text("error"))
        }
    }
}

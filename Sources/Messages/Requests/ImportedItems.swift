/// The request `request/items/import`: adds many items in one change.
package struct ImportedItems: Body {
    /// The items, at most `most`.
    package var items: [NewItem]

    /// The limit of items in one request.
    package static let most = 200

    package init(items: [NewItem]) {
        self.items = items
    }

    /// The items in groups that fit into one request each, as ranges of `items`.
    package static func batches(of items: [NewItem]) -> [Range<Int>] {
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

    package func writeFields(to json: inout JSONWriter) {
        json.array("items", items)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard fields.isStrict else {
            items = try fields.entries("items", limit: Self.most)
            return
        }
        items = try fields.array("items", limit: Self.most) { (value) throws(PayloadRefusal) in
            guard let object = value.object else { throw .wrongType("items") }
            return try NewItem(requestedBy: object)
        }
    }
}

/// What becomes of the entries of a file of items, beside the items that exist. The indices are those of the entries.
package struct ImportPlan {
    /// The entries to request.
    package private(set) var new: [Int] = []
    /// The number of entries that exist as items already.
    package private(set) var known = 0
    /// The number of entries that the file has before.
    package private(set) var repeated = 0
    /// The entries whose items have other settings.
    package private(set) var refused: [ImportResponse.Refusal] = []

    /// - Parameters:
    ///   - items: returns the item of an id.
    ///   - named: returns the item of a name, with which an entry without an id is compared if it has the same beacon.
    package init(
        _ entries: [NewItem], items: (String) -> RegistryItem?, named: (String) -> RegistryItem?
    ) {
        var seen: Set<NewItem> = []
        for (index, entry) in entries.enumerated() {
            guard seen.insert(entry).inserted else {
                repeated += 1
                continue
            }
            let (id, name, beacon) = (entry.item.id, entry.item.name, entry.item.beacon)
            guard let item = id.isEmpty ? named(name).flatMap({ $0.beacon == beacon ? $0 : nil }) : items(id) else {
                new.append(index)
                continue
            }
            let keys = item.keys(differingFrom: entry)
            if keys.isEmpty {
                known += 1
            } else {
                refused.append(
                    ImportResponse.Refusal(
                        index: index,
                        error:
                            "The item \"\(item.name)\" exists with other settings (\(keys.joined(separator: ", "))): "
                            + "an import changes no item."))
            }
        }
    }
}

/// The response to `request/items/import`: the number of added items, and the reason for each item that was not added.
package struct ImportResponse: Body {
    package struct Refusal: Members {
        /// The index of the item in the request, from 0.
        package var index: Int
        /// The reason, in a sentence.
        package var error: String

        package init(index: Int, error: String) {
            self.index = index
            self.error = error
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("index", index)
            json.field("error", error)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            index = try fields.count("index", in: 0...ImportedItems.most)
            error = try fields.text("error")
        }
    }

    package var added: Int
    /// The items that were not added, in the order of the request.
    package var refused: [Refusal]

    package init(added: Int, refused: [Refusal]) {
        self.added = added
        self.refused = refused
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("added", added)
        json.array("refused", refused)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        added = try fields.count("added", in: 0...ImportedItems.most)
        refused = try fields.entries("refused", limit: ImportedItems.most)
    }
}

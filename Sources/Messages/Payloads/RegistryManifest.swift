/// The contents of the registry, published after all entries and parts.
///
/// A gateway replaces its registry when all entries of a newer manifest have arrived. A manifest is newer if its
/// revision is higher or its origin differs. An aggregator that lost its disk starts at revision 1 with a new origin.
package struct RegistryManifest: Payload {
    /// The revision, which increases with each change.
    package var revision: UInt64
    /// The run id of the aggregator process that began to count the revisions; `nil` from an aggregator that does not name one.
    package var origin: Boot?
    /// The ids of the items; at most `longestList`. Empty if there are `parts`.
    package var items: [String]
    /// The ids of the regions; at most `longestList`. Empty if there are `parts`.
    package var regions: [String]
    /// The digests of the parts that name the items and regions; `nil` if the manifest names them itself.
    package var parts: [String]?

    /// The limit of items and regions together, which bounds what a gateway monitors.
    package static let mostEntries = 100_000
    /// The ids in one list; a longer list is refused. A registry with more items and regions has parts.
    package static let longestList = 10_000

    /// The highest revision that is accepted. Counting changes never reaches it, and a forged revision cannot exceed
    /// it.
    package static let highestRevision: UInt64 = 1 << 52

    package init(
        revision: UInt64, origin: Boot? = nil, items: [String] = [], regions: [String] = [], parts: [String]? = nil
    ) {
        self.parts = parts
        self.revision = revision
        self.origin = origin
        self.items = items
        self.regions = regions
    }

    package func replaces(_ revision: UInt64, of origin: Boot?) -> Bool {
        self.revision > revision || self.origin != nil && self.origin != origin
    }

    /// The size of two full lists of the longest ids.
    package static var limits: JSONLimits { JSONLimits(bytes: 2 << 20, elements: 1 << 16) }

    package func writeFields(to json: inout JSONWriter) {
        json.field("revision", revision)
        if let parts {
            json.field("parts", parts)
        } else {
            json.field("items", items)
            json.field("regions", regions)
        }
        json.field("origin", origin?.description)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        revision = try fields.count("revision", in: 0...Self.highestRevision)
        if fields.value("parts") != nil {
            (items, regions) = ([], [])
            parts = try fields.texts("parts", limit: RegistryPart.count)
        } else {
            items = try fields.ids("items", limit: Self.longestList)
            regions = try fields.ids("regions", limit: Self.longestList)
        }
        origin = try fields.optionalParsed("origin") { Boot($0) }
    }
}

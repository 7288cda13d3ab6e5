/// What the registry holds, written after all of it: gateways replace theirs by one of a higher revision, once all its entries are there.
public struct RegistryManifest: Payload {
    /// One more with each change.
    public var revision: UInt64
    /// The items' ids; at most `longestList`.
    public var items: [String]
    /// The regions' ids; at most `longestList`.
    public var regions: [String]

    /// The most items, and the most regions, of a registry: what a gateway has to monitor is bounded. One with more is refused.
    public static let longestList = 4096

    /// The highest revision that is read: one that counts changes never gets there, and whoever followed a higher one could not be overtaken.
    public static let highestRevision: UInt64 = 1 << 52

    /// A manifest with all its properties.
    public init(revision: UInt64, items: [String], regions: [String]) {
        self.revision = revision
        self.items = items
        self.regions = regions
    }

    /// It lists things: `JSONLimits.list`.
    public static var limits: JSONLimits { .list }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("revision", revision)
            json.field("items", items)
            json.field("regions", regions)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        revision = try fields.count("revision", in: 0...Self.highestRevision)
        items = try fields.ids("items", limit: Self.longestList)
        regions = try fields.ids("regions", limit: Self.longestList)
    }
}

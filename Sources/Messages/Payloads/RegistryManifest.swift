/// What the registry holds, written after all of it.
///
/// A gateway replaces its registry once all entries that a newer manifest names have arrived. Newer is a higher revision, or any revision of
/// another origin: an aggregator that lost its disk counts from 1 again, under an origin of its own.
public struct RegistryManifest: Payload {
    /// One more with each change.
    public var revision: UInt64
    /// The run id of the aggregator process that began to count the revisions; `nil` from an aggregator that does not name one.
    public var origin: Boot?
    /// The items' ids; at most `longestList`.
    public var items: [String]
    /// The regions' ids; at most `longestList`.
    public var regions: [String]

    /// The most items and regions of a registry together: what a gateway has to monitor is bounded. A longer list is refused.
    public static let longestList = 10_000

    /// The highest revision that is read. Counting changes never gets there, and no reader can be led beyond.
    public static let highestRevision: UInt64 = 1 << 52

    /// A manifest with all its properties.
    public init(revision: UInt64, origin: Boot? = nil, items: [String], regions: [String]) {
        self.revision = revision
        self.origin = origin
        self.items = items
        self.regions = regions
    }

    /// Whether a follower of `revision` of `origin` replaces its registry by this one.
    public func replaces(_ revision: UInt64, of origin: Boot?) -> Bool {
        self.revision > revision || self.origin != nil && self.origin != origin
    }

    /// As much as two full lists of the longest ids are.
    public static var limits: JSONLimits { JSONLimits(bytes: 2 << 20, elements: 1 << 16) }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("revision", revision)
            json.field("items", items)
            json.field("regions", regions)
            json.field("origin", origin?.description)
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        revision = try fields.count("revision", in: 0...Self.highestRevision)
        items = try fields.ids("items", limit: Self.longestList)
        regions = try fields.ids("regions", limit: Self.longestList)
        origin = try fields.optionalParsed("origin") { Boot($0) }
    }
}

/// A part of the registry's contents, where one manifest would be too long.
///
/// An id stands in the part that its text determines, so that a change writes one part and the manifest. The manifest has the
/// digest of each part: a reader that has these parts has the contents.
public struct RegistryPart: Payload {
    /// The ids of the part's items.
    public var items: [String]
    /// The ids of the part's regions.
    public var regions: [String]

    /// The parts of a manifest.
    public static let count = 64

    /// Creates a part from all its properties.
    public init(items: [String], regions: [String]) {
        self.items = items
        self.regions = regions
    }

    /// The number of the part that contains an id, from 0.
    public static func number(of id: String) -> Int { Int(hash(id.utf8) % UInt64(count)) }

    /// 16 hexadecimal digits that name the bytes of a part: FNV-1a with 64 bits.
    public static func digest(of payload: [UInt8]) -> String {
        let digits = String(hash(payload), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The size of two full lists of the longest ids.
    public static var limits: JSONLimits { RegistryManifest.limits }

    /// Writes the keys in the order of the reference's page for this payload.
    public func write(to json: inout JSONWriter) {
        json.payload { json in
            json.field("items", items)
            json.field("regions", regions)
        }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        items = try fields.ids("items", limit: RegistryManifest.longestList)
        regions = try fields.ids("regions", limit: RegistryManifest.longestList)
    }
}

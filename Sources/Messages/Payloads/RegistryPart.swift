/// A part of the registry's contents, where one manifest would be too long.
///
/// An id stands in the part that its text determines, so that a change writes one part and the manifest. The manifest has the
/// digest of each part: a reader that has these parts has the contents.
package struct RegistryPart: Payload {
    package var items: [String]
    package var regions: [String]

    /// The parts of a manifest.
    package static let count = 64

    package init(items: [String], regions: [String]) {
        self.items = items
        self.regions = regions
    }

    /// The number of the part that contains an id, from 0.
    package static func number(of id: String) -> Int { Int(fnv1a(id.utf8) % UInt64(count)) }

    /// 16 hexadecimal digits that name the bytes of a part: FNV-1a with 64 bits.
    package static func digest(of payload: [UInt8]) -> String {
        let digits = String(fnv1a(payload), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The size of two full lists of the longest ids.
    package static var limits: JSONLimits { RegistryManifest.limits }

    package func writeFields(to json: inout JSONWriter) {
        json.field("items", items)
        json.field("regions", regions)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        items = try fields.ids("items", limit: RegistryManifest.longestList)
        regions = try fields.ids("regions", limit: RegistryManifest.longestList)
    }
}

/// The hash FNV-1a with 64 bits: equal on all machines and in all versions.
package func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}

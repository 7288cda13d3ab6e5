import Beacons
import Delivery
import Messages

/// The registry on a gateway's disk: `registry.json`, the manifest's revision and every entry.
package struct StoredRegistry: Payload {
    var revision: UInt64
    /// The origin that the manifest named.
    var origin: Boot?
    var items: [RegistryItem]
    var regions: [Region]

    /// The limits of the program's own files: everything that was written can be read.
    package static var limits: JSONLimits { .ownFile }

    package func writeFields(to json: inout JSONWriter) {
        json.field("revision", revision)
        json.field("origin", origin?.description)
        json.array("items", items)
        json.array("regions", regions)
    }
}

extension StoredRegistry {
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        // Earlier versions followed revisions above the highest one, and stored them. As 0 every valid revision is newer.
        let revision: UInt64 = try fields.count("revision", in: Fields.counts)
        self.revision = revision <= RegistryManifest.highestRevision ? revision : 0
        origin = try fields.optionalParsed("origin") { Boot($0) }
        items = try fields.entries("items", limit: .max)
        regions = try fields.entries("regions", limit: .max)
    }
}

extension RegistryReplica {
    mutating func restore(_ stored: StoredRegistry) {
        restore(revision: stored.revision, origin: stored.origin, items: stored.items, regions: stored.regions)
    }

    package var stored: StoredRegistry {
        StoredRegistry(
            revision: revision, origin: origin, items: items.values.sorted { $0.id < $1.id },
            regions: regions.values.sorted { $0.id < $1.id })
    }
}

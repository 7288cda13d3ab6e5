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

    /// The regions that a gateway monitors: those of its configuration and those of the registry, items included.
    func regions(with configuration: GatewayConfiguration) -> [Region] {
        // Of two regions with one id the configuration's own counts: it was written for this gateway.
        var taken: Set<String> = []
        var regions = configuration.regions + self.regions.values.sorted { $0.id < $1.id }
        regions = regions.filter { taken.insert($0.id).inserted }
        regions += items.values.sorted { $0.id < $1.id }.map(\.region)
        // Gateways whose beacons have one UUID receive each other through this region.
        if let uuid = configuration.beacon?.identity.uuid {
            regions.append(Region(id: "gateways", identifier: "Gateways", scope: .uuid(uuid), isImplicit: true))
        }
        return regions
    }

    /// One sentence for each region of the gateway that has the id of an item, which events name by the same id, or of another region of the site,
    /// which is not monitored then.
    func idClashes(with configuration: GatewayConfiguration) -> [String] {
        configuration.regions.compactMap { region in
            let site = regions[region.id].flatMap { $0.scope == region.scope ? nil : "site's region \($0.identifier)" }
            guard let other = items[region.id].map({ "item \($0.name)" }) ?? site else { return nil }
            return
                "The region \(region.identifier) of this gateway has the id of the \(other) (\(region.id)): give the region another id"
        }
    }
}

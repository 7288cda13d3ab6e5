import Messages

/// This gateway's copy of the site's registry: what the aggregator wants monitored, kept until a newer one is there whole.
///
/// Entries arrive one by one and in any order, the manifest last; a registry counts only once every entry that its manifest
/// names is there. A broker that lost its memory sends nothing, and so deletes nothing.
package struct RegistryReplica: Sendable {
    /// As many as a manifest can name; what a hostile broker sends beyond is ignored.
    static let mostEntries = RegistryManifest.longestList

    /// The revision in force; 0 before the first.
    private(set) var revision: UInt64 = 0
    private(set) var items: [String: RegistryItem] = [:]
    private(set) var regions: [String: RegistryRegion] = [:]

    private var arrivedItems: [String: RegistryItem] = [:]
    private var arrivedRegions: [String: RegistryRegion] = [:]
    private var manifest: RegistryManifest?

    /// Takes one retained message of the registry; returns whether another registry is in force now.
    mutating func take(item: RegistryItem) -> Bool {
        guard arrivedItems.count < Self.mostEntries || arrivedItems[item.id] != nil else { return false }
        arrivedItems[item.id] = item
        return adopt()
    }

    mutating func take(region: RegistryRegion) -> Bool {
        guard arrivedRegions.count < Self.mostEntries || arrivedRegions[region.id] != nil else { return false }
        arrivedRegions[region.id] = region
        return adopt()
    }

    mutating func take(manifest: RegistryManifest) -> Bool {
        self.manifest = manifest
        return adopt()
    }

    /// What was in force before a restart, from this gateway's disk.
    mutating func restore(_ kept: KeptRegistry) {
        (revision, items, regions) = (kept.revision, [:], [:])
        for item in kept.items { items[item.id] = item }
        for region in kept.regions { regions[region.id] = region }
    }

    /// What is in force now, for this gateway's disk.
    package var kept: KeptRegistry {
        KeptRegistry(
            revision: revision, items: items.values.sorted { $0.id < $1.id },
            regions: regions.values.sorted { $0.id < $1.id })
    }

    /// What arrived on another connection may be of another broker: nothing of it counts for the next registry.
    mutating func connectionLost() {
        arrivedItems = [:]
        arrivedRegions = [:]
        manifest = nil
    }

    /// An entry's topic was cleared.
    mutating func cleared(item id: String) { arrivedItems[id] = nil }
    mutating func cleared(region id: String) { arrivedRegions[id] = nil }

    private mutating func adopt() -> Bool {
        guard let manifest, manifest.revision > revision else { return false }
        var newItems: [String: RegistryItem] = [:]
        for id in manifest.items {
            guard let item = arrivedItems[id] else { return false }
            newItems[id] = item
        }
        var newRegions: [String: RegistryRegion] = [:]
        for id in manifest.regions {
            guard let region = arrivedRegions[id] else { return false }
            newRegions[id] = region
        }
        (revision, items, regions) = (manifest.revision, newItems, newRegions)
        return true
    }
}

import Beacons
import Messages

/// A copy of the site's registry at a gateway, or at an aggregator with a name, in force until a newer one is complete.
///
/// Entries arrive one by one and in any order, the manifest last; a registry counts only once every entry that its manifest
/// names is there. A broker that lost its memory sends nothing, and so deletes nothing.
package struct RegistryReplica: Sendable {
    /// As many as a site has; what a hostile broker sends beyond is ignored.
    package static let mostEntries = RegistryManifest.mostEntries

    /// The revision in force; 0 before the first.
    package private(set) var revision: UInt64 = 0
    /// The origin of the revision in force, where its manifest named one.
    package private(set) var origin: Boot?
    package private(set) var items: [String: RegistryItem] = [:]
    package private(set) var regions: [String: RegistryRegion] = [:]

    private var arrivedItems: [String: RegistryItem] = [:]
    private var arrivedRegions: [String: RegistryRegion] = [:]
    /// The newest manifest of this connection, and the entries that it names; none before all its parts have arrived.
    private var manifest: RegistryManifest?
    private var named: Set<Topic> = []
    /// The parts of this connection, each with its digest.
    private var parts: [Int: (digest: String, part: RegistryPart)] = [:]
    /// The entries that a newer manifest names and that have not arrived; before all its parts have arrived, those parts.
    package private(set) var missing: Set<Topic> = []
    private var fetch = RegistryFetch()

    /// Takes one retained message of the registry; returns whether another registry is in force now.
    package mutating func take(item: RegistryItem, at now: Instant) -> Bool {
        let topic = Topic.registryItem(item.id)
        if arrivedItems.count >= Self.mostEntries, arrivedItems[item.id] == nil {
            guard named.contains(topic) else { return false }
            arrivedItems = arrivedItems.filter { named.contains(.registryItem($0.key)) }
        }
        arrivedItems[item.id] = item
        return arrived(topic, at: now)
    }

    package mutating func take(region: RegistryRegion, at now: Instant) -> Bool {
        let topic = Topic.registryRegion(region.id)
        if arrivedRegions.count >= Self.mostEntries, arrivedRegions[region.id] == nil {
            guard named.contains(topic) else { return false }
            arrivedRegions = arrivedRegions.filter { named.contains(.registryRegion($0.key)) }
        }
        arrivedRegions[region.id] = region
        return arrived(topic, at: now)
    }

    package mutating func take(manifest: RegistryManifest, at now: Instant) -> Bool {
        fetch.entryArrived(at: now)
        self.manifest = manifest
        return assemble()
    }

    /// Takes a part of a manifest, and its digest; the part counts once a manifest has this digest.
    package mutating func take(part: RegistryPart, _ number: Int, digest: String, at now: Instant) -> Bool {
        fetch.entryArrived(at: now)
        parts[number] = (digest, part)
        return manifest?.parts == nil ? false : assemble()
    }

    /// Finds out what the manifest names, and what of it has not arrived.
    private mutating func assemble() -> Bool {
        guard let manifest else { return false }
        var (items, regions) = (manifest.items, manifest.regions)
        for (number, digest) in (manifest.parts ?? []).enumerated() {
            guard let part = parts[number], part.digest == digest else { continue }
            items += part.part.items
            regions += part.part.regions
        }
        let absent = (manifest.parts ?? []).indices.filter { parts[$0]?.digest != manifest.parts?[$0] }
        guard absent.isEmpty, items.count + regions.count <= Self.mostEntries else {
            // What names more than a site has is no manifest.
            if absent.isEmpty { self.manifest = nil }
            (named, missing) = ([], Set(absent.map { .registryPart($0) }))
            return false
        }
        named = Set(items.map { .registryItem($0) } + regions.map { .registryRegion($0) })
        missing = named.filter { !hasArrived($0) }
        return adopt()
    }

    /// No registry is in force.
    package init() {}

    /// Puts a registry in force that was in force before a restart.
    package mutating func restore(
        revision: UInt64, origin: Boot?, items: some Sequence<RegistryItem>, regions: some Sequence<RegistryRegion>
    ) {
        (self.revision, self.origin, self.items, self.regions) = (revision, origin, [:], [:])
        for item in items { self.items[item.id] = item }
        for region in regions { self.regions[region.id] = region }
    }

    /// What arrived on another connection may be of another broker: nothing of it counts for the next registry.
    package mutating func connectionLost() {
        (arrivedItems, arrivedRegions, manifest, parts, named, missing) = ([:], [:], nil, [:], [], [])
        fetch = RegistryFetch()
    }

    /// An entry's topic was cleared.
    package mutating func cleared(_ topic: Topic) {
        switch topic {
        case .registryItem(let id): arrivedItems[id] = nil
        case .registryRegion(let id): arrivedRegions[id] = nil
        default: return
        }
        if named.contains(topic) { missing.insert(topic) }
    }

    /// What to do about entries that the broker did not deliver.
    package mutating func fetchMissing(at now: Instant) -> [RegistryFetch.Step] {
        fetch.advance(missing: isNews ? missing : [], at: now)
    }

    /// That entries of a newer registry do not come, as a sentence for `info` of this reader: "this gateway".
    package func problem(of reader: String) -> String? {
        guard isNews, let manifest, !missing.isEmpty, fetch.hasGivenUp(on: missing) else { return nil }
        let count = missing.count == 1 ? "an entry" : "\(missing.count) entries"
        return "the broker does not deliver \(count) of the registry's revision \(manifest.revision): "
            + "\(reader) goes on with revision \(revision)"
    }

    private var isNews: Bool { manifest?.replaces(revision, of: origin) == true }

    private func hasArrived(_ topic: Topic) -> Bool {
        switch topic {
        case .registryItem(let id): arrivedItems[id] != nil
        case .registryRegion(let id): arrivedRegions[id] != nil
        default: false
        }
    }

    private mutating func arrived(_ topic: Topic, at now: Instant) -> Bool {
        fetch.entryArrived(at: now)
        missing.remove(topic)
        return adopt()
    }

    private mutating func adopt() -> Bool {
        guard isNews, missing.isEmpty, let manifest else { return false }
        (revision, origin) = (manifest.revision, manifest.origin)
        items = arrivedItems.filter { named.contains(.registryItem($0.key)) }
        regions = arrivedRegions.filter { named.contains(.registryRegion($0.key)) }
        return true
    }
}

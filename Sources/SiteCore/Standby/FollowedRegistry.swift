import Beacons
import Messages

/// The registry that the active aggregator publishes, as one on standby receives it.
struct FollowedRegistry: Sendable {
    /// The last manifest, and the parts that it may name.
    var manifest: RegistryManifest?
    var parts: [Int: [UInt8]] = [:]
    /// Entries that the manifest does not name yet, or of which it is too old.
    var items: [String: RegistryItem] = [:]
    var regions: [String: RegistryRegion] = [:]
}

extension SitePipeline {
    /// Takes a part of the registry that the active aggregator publishes. Entries count once a manifest names them that is not older than
    /// this aggregator's registry: a broker that lost its memory removes nothing.
    mutating func follow(registry topic: Topic, _ payload: [UInt8]) throws(PayloadRefusal) {
        switch topic {
        case .registryManifest:
            standby?.followed.manifest = payload.isEmpty ? nil : try RegistryManifest(parsing: payload)
        case .registryPart(let number): standby?.followed.parts[number] = payload.isEmpty ? nil : payload
        case .registryItem(let id):
            guard (standby?.followed.items.count ?? 0) < RegistryManifest.mostEntries else { return }
            standby?.followed.items[id] = payload.isEmpty ? nil : try RegistryItem(parsing: payload, on: topic)
        case .registryRegion(let id):
            guard (standby?.followed.regions.count ?? 0) < RegistryManifest.mostEntries else { return }
            standby?.followed.regions[id] = payload.isEmpty ? nil : try RegistryRegion(parsing: payload, on: topic)
        default: return
        }
        guard let followed = standby?.followed, let named = followed.manifest,
            named.revision >= registry.revision || registry.isNew
        else { return }
        let isManifest: Bool
        if case .registryPart = topic { isManifest = true } else { isManifest = topic == .registryManifest }
        if !isManifest, followed.items.isEmpty, followed.regions.isEmpty { return }
        let (manifest, missingParts) = named.whole(parts: followed.parts)
        guard missingParts.isEmpty else { return }
        let names = (items: Set(manifest.items), regions: Set(manifest.regions))
        let former = registry
        for (id, item) in followed.items where names.items.contains(id) {
            if registry.configured[id] == nil { registry.items[id] = item }
            standby?.followed.items[id] = nil
        }
        for (id, region) in followed.regions where names.regions.contains(id) {
            if registry.configured["region " + id] == nil { registry.regions[id] = region }
            standby?.followed.regions[id] = nil
        }
        if isManifest {
            for id in registry.items.keys where !names.items.contains(id) && registry.configured[id] == nil {
                registry.items[id] = nil
            }
            for id in registry.regions.keys
            where !names.regions.contains(id) && registry.configured["region " + id] == nil {
                registry.regions[id] = nil
            }
        }
        (registry.revision, registry.origin) = (manifest.revision, manifest.origin)
        guard registry.items != former.items || registry.regions != former.regions else { return }
        registry.judge()
        registry.forgetParts()
        items.match(registry, at: effects.now.instant)
        let present = registry.items
        items.events.unpublished?.forget { present[$0] != nil }
        effects.unwritten.isEverything = true
        effects.add(.storeSite)
    }
}

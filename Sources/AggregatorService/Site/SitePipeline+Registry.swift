import Messages

/// The registry as the broker has it.
extension SitePipeline {
    /// Writes every entry, then the manifest.
    mutating func publishRegistry() {
        for (id, item) in registry.items.sorted(by: { $0.key < $1.key }) { publish(.registryItem(id), item) }
        for (id, region) in registry.regions.sorted(by: { $0.key < $1.key }) { publish(.registryRegion(id), region) }
        publish(.registryManifest, registry.manifest)
    }

    /// Takes what the broker holds of the registry, our own echo included: an entry that is none of ours goes, and an older manifest is
    /// replaced, as is a newer one, since nobody else writes it.
    mutating func take(registry topic: Topic, _ payload: [UInt8]) throws(PayloadRefusal) {
        switch topic {
        case .registryItem(let id): takeBack(topic, unless: registry.items[id] != nil, payload)
        case .registryRegion(let id): takeBack(topic, unless: registry.regions[id] != nil, payload)
        case .registryManifest:
            let manifest = payload.isEmpty ? nil : try RegistryManifest(parsing: payload)
            guard manifest != registry.manifest else { return }
            if let theirs = manifest?.revision, theirs >= registry.revision {
                registry.surpass(theirs)
                outputs.append(.keep)
                publishRegistry()
            }
        default: break
        }
    }

    /// Clears what the broker keeps on one of our topics, unless it belongs there.
    mutating func takeBack(_ topic: Topic, unless belongs: Bool, _ payload: [UInt8]) {
        if !belongs, !payload.isEmpty { publish(.clearing(topic)) }
    }

    /// Says that the registry has changed: the new entry, or that one is gone, and the manifest last.
    mutating func registryChanged() {
        matchItems()
        outputs.append(.keepNow)
        publish(.registryManifest, registry.manifest)
        publishInfo()
    }
}

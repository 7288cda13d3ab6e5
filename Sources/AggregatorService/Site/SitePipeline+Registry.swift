import Messages

/// The registry as the broker has it.
extension SitePipeline {
    /// Writes every entry, then the manifest.
    mutating func publishRegistry() {
        for (id, item) in registry.items.sorted(by: { $0.key < $1.key }) { publish(.registryItem(id), item) }
        for (id, region) in registry.regions.sorted(by: { $0.key < $1.key }) { publish(.registryRegion(id), region) }
        publish(.registryManifest, registry.manifest)
    }

    /// Takes what the broker holds of the registry, our own echo included. Right after a connect it is gathered; later an entry that is
    /// none of ours goes, and a manifest that is not older than ours is overtaken, since nobody else writes it.
    mutating func take(registry topic: Topic, _ payload: [UInt8]) throws(PayloadRefusal) {
        switch topic {
        case .registryItem(let id): takeEntry(topic, ours: registry.items[id], payload)
        case .registryRegion(let id): takeEntry(topic, ours: registry.regions[id], payload)
        case .registryManifest where !payload.isEmpty:
            guard let manifest = try? RegistryManifest(parsing: payload) else { return replaceManifest() }
            if found != nil {
                found?.take(manifest)
                found?.note(.registryManifest, isOurs: manifest == registry.manifest)
            } else if manifest != registry.manifest {
                overtake(manifest.revision)
            }
        default: break
        }
    }

    /// The broker holds a manifest that cannot be ours, and that no gateway follows. Whoever wrote it may have written over entries as well: all
    /// of ours is written again.
    private mutating func replaceManifest() {
        refuse("registry_manifest")
        if found == nil { publishRegistry() } else { found?.note(.registryManifest, isOurs: false) }
    }

    /// Takes one entry that the broker holds: an entry of ours that somebody else wrote over, or cleared, is written again.
    private mutating func takeEntry(_ topic: Topic, ours: (some Payload)?, _ payload: [UInt8]) {
        if let ours {
            let isOurs = ours.bytes == payload
            if found != nil { found?.note(topic, isOurs: isOurs) } else if !isOurs { publish(topic, ours) }
        } else if found != nil {
            found?.take(stray: topic, payload)
        } else {
            takeBack(topic, unless: false, payload)
        }
    }

    /// Takes note of the registry that a gateway follows.
    mutating func follow(_ revision: UInt64) {
        guard revision <= RegistryManifest.highestRevision else { return refuse("gateway_revision") }
        guard revision > registry.revision else { return }
        if found != nil { found?.follow(revision) } else { overtakeFollowed(revision) }
    }

    /// Judges what was found, once all of it has come in. A registry of the broker's that is newer than ours was ours, as nobody else
    /// writes it, before the disk lost it: what it has beyond ours is taken up again. Any other stray entry is cleared.
    mutating func judgeFound() {
        guard let found else { return }
        self.found = nil
        if let manifest = found.manifest, manifest != registry.manifest, manifest.revision >= registry.revision {
            if manifest.revision > registry.revision {
                registry.takeUp(found.items, found.regions)
                matchItems()
                outputs.append(
                    .note("The broker's registry is newer than the disk's: what only the broker knew is taken up again")
                )
            }
            overtake(max(manifest.revision, found.followed))
        } else if found.followed > registry.revision {
            overtakeFollowed(found.followed)
        }
        if !found.altered.isEmpty { publishRegistry() }
        for (topic, payload) in found.strays.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            switch topic {
            case .registryItem(let id): takeBack(topic, unless: registry.items[id] != nil, payload)
            case .registryRegion(let id): takeBack(topic, unless: registry.regions[id] != nil, payload)
            default: break
            }
        }
    }

    /// Gateways that follow a registry which nobody has any more take ours only if it is the newer one.
    private mutating func overtakeFollowed(_ revision: UInt64) {
        outputs.append(
            .note(
                "A gateway follows revision \(revision) of the registry, which is lost: this one replaces it, add what is missing again"
            ))
        overtake(revision)
    }

    /// Makes our registry the newer one, and says it.
    private mutating func overtake(_ revision: UInt64) {
        guard revision >= registry.revision else { return }
        registry.surpass(revision)
        outputs.append(.keep)
        publishRegistry()
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

import Beacons
import Delivery
import Messages

/// The registry as the broker and the gateways have it. The aggregator is its only writer: what a gateway says of it moves nothing.
extension SitePipeline {
    /// A gateway that follows another revision for so long has a problem.
    static let followPatience = Interval.seconds(90)
    /// Requests that may wait for the registry after a start.
    static let mostDeferred = 100
    /// The mean time between two manifests, for each entry that they name, and how much of it may be used ahead.
    static let manifestPeriod = Interval.seconds(0.0001)
    static let manifestBurst = Interval.seconds(1)

    /// Whether the registry is not published yet: this process began it, and what the broker holds may be the only copy of the real one.
    var isRegistryHeldBack: Bool { registry.isNew && !heldRegistry.isJudged }

    /// Publishes every entry, then the manifest. Right after a connect only what the broker lacks is published, once that is known.
    mutating func publishRegistry() {
        guard heldRegistry.isJudged else { return }
        for (id, item) in registry.items.sorted(by: { $0.key < $1.key }) { publish(.registryItem(id), item) }
        for (id, region) in registry.regions.sorted(by: { $0.key < $1.key }) { publish(.registryRegion(id), region) }
        registry.forgetParts()
        publishManifest()
    }

    /// Publishes the manifest behind the entries.
    ///
    /// The manifest names every entry, so that publishing it takes the time of their number: it is published less often the longer it is.
    private mutating func publishManifest() {
        let hadParts = !registry.digests.isEmpty
        for (number, part) in registry.computeParts() { publish(.registryPart(number), part) }
        if hadParts, !registry.hasParts {
            for number in 0..<RegistryPart.count { publish(.clearing(.registryPart(number))) }
        }
        let message = Message(.registryManifest, registry.manifest, using: &json)
        (manifestHash, isManifestDue) = (message.payload.hashValue, false)
        nextManifest =
            max(nextManifest, now.instant - Self.manifestBurst) + Self.manifestPeriod * Double(registry.count)
        registryPublishedAt = now.instant
        publish(message)
    }

    /// Publishes the manifest of what has changed, if that is to be done and it is time.
    mutating func publishManifestIfDue() {
        guard isManifestDue, now.instant >= nextManifest, !isRegistryHeldBack else { return }
        if heldRegistry.isJudged { heldRegistry.take(.ours) }
        publishManifest()
    }

    /// Publishes an entry that has changed.
    mutating func publish(entry topic: Topic, _ entry: (some Payload)?) {
        guard !isRegistryHeldBack else { return }
        if let entry { publish(topic, entry) } else { publish(.clearing(topic)) }
    }

    /// Takes what the broker holds of the registry, the aggregator's own publications included.
    mutating func take(registry topic: Topic, _ payload: [UInt8]) {
        switch topic {
        case .registryItem(let id): takeEntry(topic, ours: registry.items[id], payload)
        case .registryRegion(let id): takeEntry(topic, ours: registry.regions[id], payload)
        case .registryPart(let number):
            heldRegistry.fetch.entryArrived(at: now.instant)
            heldRegistry.take(
                part: number, payload, isOurs: registry.hasParts ? registry.isOurs(part: number, payload) : nil)
        case .registryManifest:
            if payload.isEmpty {
                heldRegistry.take(.absent)
            } else if payload.hashValue == manifestHash {
                heldRegistry.take(.ours)
            } else if let manifest = try? RegistryManifest(parsing: payload) {
                heldRegistry.take(manifest == registry.manifest ? .ours : .present(manifest))
            } else {
                refuse("registry_manifest")
                heldRegistry.take(.unreadable)
            }
        default: break
        }
    }

    private mutating func takeEntry(_ topic: Topic, ours: (some Payload)?, _ payload: [UInt8]) {
        heldRegistry.fetch.entryArrived(at: now.instant)
        if let ours {
            heldRegistry.take(topic, isOurs: ours.bytes == payload)
        } else {
            heldRegistry.take(stray: topic, payload)
        }
    }

    /// Compares the broker's registry with ours once it has come in after a connect, and repairs what differs later.
    mutating func tendRegistry() {
        if heldRegistry.isJudged { repairRegistry() } else if now.instant >= settlesAt { judgeRegistry() }
    }

    /// Takes up what only the broker has of a registry that is newer than ours, then writes what the broker lacks.
    ///
    /// The broker's registry is newer where the disk lost ours, as nobody else writes it. Before its entries have come in, ours is not
    /// published: it would clear the only copy.
    private mutating func judgeRegistry() {
        _ = registry.computeParts()
        if case .present(let named) = heldRegistry.manifest, registry.isOlder(than: named) {
            let (manifest, missingParts) = heldRegistry.whole(named)
            let missing = missingParts.isEmpty ? missingEntries(of: manifest) : Set(missingParts)
            for step in heldRegistry.fetch.advance(missing: missing, at: now.instant) { outputs.append(.fetch(step)) }
            guard missing.isEmpty || heldRegistry.fetch.hasGivenUp(on: missing) else { return }
            if !missing.isEmpty {
                let problem =
                    "the broker's registry names \(missing.count) entries that the broker does not hold: they are lost"
                problems.append(problem)
                outputs.append(.note(problem))
            }
            registry.takeUp(
                heldRegistry.items(of: manifest), heldRegistry.regions(of: manifest), from: manifest)
            matchItems()
            for id in registry.items.keys.sorted() { announcements.changed(item: id) }
            unwritten.isEverything = true
            outputs.append(
                .note("The broker's registry is newer than the disk's: what only the broker knew is taken up again"))
            outputs.append(.keepNow)
        } else if case .present(let manifest) = heldRegistry.manifest, manifest != registry.manifest {
            overtake(manifest)
        }
        _ = registry.computeParts()
        for (number, digest) in registry.digests.enumerated() where !heldRegistry.holds(part: number, digest: digest) {
            publish(.registryPart(number), registry.part(number))
        }
        for number in 0..<RegistryPart.count where !registry.hasParts && heldRegistry.holds(part: number) {
            publish(.clearing(.registryPart(number)))
        }
        let (items, regions) = (registry.items, registry.regions)
        for (id, item) in items.sorted(by: { $0.key < $1.key }) where heldRegistry.wants(.registryItem(id)) {
            publish(.registryItem(id), item)
        }
        for (id, region) in regions.sorted(by: { $0.key < $1.key }) where heldRegistry.wants(.registryRegion(id)) {
            publish(.registryRegion(id), region)
        }
        for topic in heldRegistry.strays.keys.sorted(by: { "\($0)" < "\($1)" }) where !isOurs(topic) {
            publish(.clearing(topic))
        }
        isManifestDue = false
        if heldRegistry.manifest != .ours { publishManifest() }
        registryPublishedAt = now.instant
        heldRegistry.judged()
        registry.judged()
        publishInfo()
        let requests = deferredRequests
        deferredRequests = []
        for request in requests { answer(request.what, request.payload) }
    }

    /// Whether a request has to wait, as it would change a registry that this process began and that the broker's may replace.
    mutating func isDeferred(_ what: String, _ payload: [UInt8]) -> Bool {
        guard isRegistryHeldBack, what.hasPrefix("items/") || what.hasPrefix("regions/"),
            deferredRequests.count < Self.mostDeferred
        else { return false }
        deferredRequests.append((what, payload))
        return true
    }

    private func missingEntries(of manifest: RegistryManifest) -> Set<Topic> {
        let topics = manifest.items.map { Topic.registryItem($0) } + manifest.regions.map { Topic.registryRegion($0) }
        return Set(topics.filter { heldRegistry.strays[$0] == nil && !isOurs($0) })
    }

    private func isOurs(_ topic: Topic) -> Bool {
        switch topic {
        case .registryItem(let id): registry.items[id] != nil
        case .registryRegion(let id): registry.regions[id] != nil
        case .registryPart: registry.hasParts
        default: false
        }
    }

    /// Writes again what somebody else wrote over, and clears what is none of ours.
    private mutating func repairRegistry() {
        let former = heldRegistry.problem
        defer {
            if heldRegistry.problem != former {
                if let problem = heldRegistry.problem { outputs.append(.note(problem)) }
                publishInfo()
            }
        }
        guard let repair = heldRegistry.repair(at: now.instant) else { return }
        for topic in repair.altered {
            switch topic {
            case .registryItem(let id): if let item = registry.items[id] { publish(topic, item) }
            case .registryRegion(let id): if let region = registry.regions[id] { publish(topic, region) }
            case .registryPart(let number): if registry.hasParts { publish(topic, registry.part(number)) }
            default: break
            }
        }
        for topic in repair.strays where !isOurs(topic) { publish(.clearing(topic)) }
        guard let manifest = repair.manifest else { return }
        if case .present(let manifest) = manifest { overtake(manifest) }
        publishManifest()
    }

    /// Makes our registry newer than a manifest that somebody else wrote.
    private mutating func overtake(_ manifest: RegistryManifest) {
        guard manifest.revision >= registry.revision else { return }
        registry.surpass(manifest.revision, as: boot)
        registryPublishedAt = now.instant
        outputs.append(.keep)
    }

    /// Clears what the broker keeps on one of our topics, unless it belongs there.
    mutating func takeBack(_ topic: Topic, unless belongs: Bool, _ payload: [UInt8]) {
        if !belongs, !payload.isEmpty { publish(.clearing(topic)) }
    }

    /// Follows a change of these items of the registry, or of its regions: they go to the disk, and the manifest is published last.
    mutating func registryChanged(items ids: [String] = [], regions: [String] = []) {
        unwritten.regions.formUnion(regions)
        for id in ids {
            matchItem(id)
            unwritten.note(item: id)
            announcements.changed(item: id, isRemoved: registry.items[id] == nil)
        }
        if registry.conflicts != knownConflicts { matchItems() }
        outputs.append(.keepNow)
        registryPublishedAt = now.instant
        isManifestDue = true
        publishManifestIfDue()
        publishInfo()
    }

    /// The gateways that follow another registry than ours, though ours has long been published, each as a sentence.
    var followProblems: [String] {
        guard isConnected, heldRegistry.isJudged, now.instant >= registryPublishedAt + Self.followPatience else {
            return []
        }
        return gateways.values.compactMap { gateway in
            guard gateway.isAlive(at: now.instant), let revision = gateway.info?.revision, revision != registry.revision
            else { return nil }
            return "\(gateway.id) follows revision \(revision) of the registry and not \(registry.revision): "
                + "it does not monitor what has changed since"
        }.sorted()
    }
}

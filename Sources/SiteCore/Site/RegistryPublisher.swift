import Beacons
import Delivery
import Messages

/// Publishes the registry for the gateways, and keeps what the broker holds of it equal to the aggregator's own.
///
/// The aggregator is the registry's only writer: what a gateway or another program writes there is replaced.
struct RegistryPublisher: Sendable {
    /// A gateway that follows another revision for so long has a problem.
    static let followPatience = Interval.seconds(90)
    /// Requests that may wait for the registry after a start.
    static let mostDeferred = 100
    /// The mean time between two manifests, for each entry that they name, and how much of it may be used ahead.
    static let manifestPeriod = Interval.seconds(0.0001)
    static let manifestBurst = Interval.seconds(1)

    /// What the comparison with the broker's registry came to.
    struct Judgement: Sendable {
        /// Whether the broker's registry was newer: ours has its entries now.
        var isTakenUp: Bool
        /// The requests that waited for the comparison.
        var requests: [(what: String, payload: [UInt8])]
    }

    var registry: SiteRegistry
    private(set) var held = BrokerRegistry()
    /// Entries that only a lost disk had, as a sentence.
    private var lossProblem: String?
    /// Requests that wait until it is known what the broker holds of the registry.
    private var deferredRequests: [(what: String, payload: [UInt8])] = []
    /// The hash of the manifest that was published last, whether a newer one is to be published, and not before when.
    private var manifestHash: Int?
    private var isManifestDue = false
    private var nextManifest = Instant.zero
    /// When our registry last changed, or was last published as a whole.
    private var publishedAt: Instant

    init(_ registry: SiteRegistry, at now: Instant) {
        self.registry = registry
        publishedAt = now
    }

    /// Whether the registry is not published yet: this process began it, and what the broker holds may be the only copy of the real one.
    private var isHeldBack: Bool { registry.isNew && !held.isJudged }

    // MARK: Connections

    /// The broker may have forgotten everything: what it holds is compared anew.
    mutating func connected() { (held, deferredRequests) = (BrokerRegistry(), []) }

    /// Nothing is known of what the broker holds.
    mutating func disconnected() { held = BrokerRegistry() }

    /// Publishes the registry from now on in the place of another aggregator, if the broker does not hold it as this one has it.
    ///
    /// - Parameter published: the other aggregator's last manifest.
    mutating func takeOver(from published: RegistryManifest?, _ effects: inout SiteEffects) {
        held = BrokerRegistry()
        held.judged()
        registry.judged()
        _ = registry.computeParts()
        if let published, published == registry.manifest { return }
        // Without a manifest, gateways may follow one of this revision with other entries.
        let former = published ?? (registry.isUncounted ? registry.manifest : nil)
        if let former { surpass(former, &effects) }
        publishAll(&effects)
    }

    // MARK: Publishing

    /// Publishes every entry, then the manifest. Right after a connect only what the broker lacks is published, once that is known.
    mutating func publishAll(_ effects: inout SiteEffects) {
        guard held.isJudged else { return }
        for topic in ownTopics { publish(topic, &effects) }
        registry.forgetParts()
        publishManifest(&effects)
    }

    /// Publishes entries that have changed and clears those that were removed, then the manifest.
    mutating func changed(items: [String], regions: [String], _ effects: inout SiteEffects) {
        if !isHeldBack {
            for id in items { publish(.registryItem(id), &effects) }
            for id in regions { publish(.registryRegion(id), &effects) }
        }
        publishedAt = effects.now.instant
        isManifestDue = true
        publishManifestIfDue(&effects)
    }

    /// Publishes the manifest of what has changed, if that is to be done and it is time.
    mutating func publishManifestIfDue(_ effects: inout SiteEffects) {
        guard isManifestDue, effects.now.instant >= nextManifest, !isHeldBack else { return }
        if held.isJudged { held.note(.ours) }
        publishManifest(&effects)
    }

    /// Publishes the manifest behind the entries.
    ///
    /// The manifest names every entry, so that publishing it takes the time of their number: it is published less often the longer it is.
    private mutating func publishManifest(_ effects: inout SiteEffects) {
        let hadParts = !registry.digests.isEmpty
        for (number, part) in registry.computeParts() { effects.publish(.registryPart(number), part) }
        if hadParts, !registry.hasParts {
            for number in 0..<RegistryPart.count { publish(.registryPart(number), &effects) }
        }
        let message = Message(.registryManifest, registry.manifest)
        (manifestHash, isManifestDue) = (message.payload.hashValue, false)
        nextManifest =
            max(nextManifest, effects.now.instant - Self.manifestBurst) + Self.manifestPeriod * Double(registry.count)
        publishedAt = effects.now.instant
        effects.publish(message)
    }

    /// Publishes an entry of ours, or clears what is none of ours.
    private func publish(_ topic: Topic, _ effects: inout SiteEffects) {
        switch topic {
        case .registryItem(let id):
            if let item = registry.items[id] { return effects.publish(topic, item) }
        case .registryRegion(let id):
            if let region = registry.regions[id] { return effects.publish(topic, region) }
        case .registryPart(let number):
            if registry.hasParts { return effects.publish(topic, registry.part(number)) }
        default: return
        }
        effects.publish(.clearing(topic))
    }

    // MARK: What the broker holds

    /// Receives what the broker holds of the registry, the aggregator's own publications included.
    mutating func receive(_ topic: Topic, _ payload: [UInt8], _ effects: inout SiteEffects) {
        switch topic {
        case .registryItem(let id): receiveEntry(topic, ours: registry.items[id], payload, effects.now.instant)
        case .registryRegion(let id): receiveEntry(topic, ours: registry.regions[id], payload, effects.now.instant)
        case .registryPart(let number):
            held.fetch.entryArrived(at: effects.now.instant)
            held.note(part: number, payload, isOurs: registry.hasParts ? registry.isOurs(part: number, payload) : nil)
        case .registryManifest:
            if payload.isEmpty {
                held.note(.absent)
            } else if payload.hashValue == manifestHash {
                held.note(.ours)
            } else if let manifest = try? RegistryManifest(parsing: payload) {
                held.note(manifest == registry.manifest ? .ours : .present(manifest))
            } else {
                effects.refuse("registry_manifest")
                held.note(.unreadable)
            }
        default: break
        }
    }

    private mutating func receiveEntry(_ topic: Topic, ours: (some Payload)?, _ payload: [UInt8], _ now: Instant) {
        held.fetch.entryArrived(at: now)
        if let ours {
            held.note(topic, isOurs: ours.bytes == payload)
        } else {
            held.note(stray: topic, payload)
        }
    }

    /// Compares the broker's registry with ours once it has come in after a connect, and repairs what differs later.
    ///
    /// - Parameter isSettled: whether the broker had the time to deliver what it retains.
    /// - Returns: the result of the comparison, in the step in which it is made.
    mutating func tend(isSettled: Bool, _ effects: inout SiteEffects) -> Judgement? {
        if !held.isJudged { return isSettled ? judge(&effects) : nil }
        repair(&effects)
        return nil
    }

    /// Adopts what only the broker has of a registry that is newer than ours, then writes what the broker lacks.
    ///
    /// The broker's registry is newer where the disk lost ours, as nobody else writes it. Before its entries have come in, ours is not
    /// published: it would clear the only copy.
    private mutating func judge(_ effects: inout SiteEffects) -> Judgement? {
        var isTakenUp = false
        _ = registry.computeParts()
        if case .present(let named) = held.manifest, registry.isOlder(than: named) {
            let (manifest, missingParts) = held.whole(named)
            let missing = missingParts.isEmpty ? missingEntries(of: manifest) : Set(missingParts)
            for step in held.fetch.advance(missing: missing, at: effects.now.instant) { effects.perform(.fetch(step)) }
            guard missing.isEmpty || held.fetch.hasGivenUp(on: missing) else { return nil }
            if !missing.isEmpty {
                let problem =
                    "the broker's registry names \(missing.count) entries that the broker does not hold: they are lost"
                lossProblem = problem
                effects.warn(problem)
            }
            registry.adopt(
                held.readable(manifest.items.map { .registryItem($0) }),
                held.readable(manifest.regions.map { .registryRegion($0) }), from: manifest)
            isTakenUp = true
            effects.unwritten.isEverything = true
            effects.note(
                "The broker's registry is newer than the disk's: the entries that only the broker has are added")
            effects.add(.storeSiteNow)
        } else if case .present(let manifest) = held.manifest, manifest != registry.manifest {
            surpass(manifest, &effects)
        }
        _ = registry.computeParts()
        for (number, digest) in registry.digests.enumerated() where !held.holds(part: number, digest: digest) {
            publish(.registryPart(number), &effects)
        }
        for number in 0..<RegistryPart.count where !registry.hasParts && held.holds(part: number) {
            publish(.registryPart(number), &effects)
        }
        for topic in ownTopics where held.isPending(topic) { publish(topic, &effects) }
        for topic in held.strays.keys.sorted(by: { "\($0)" < "\($1)" }) where !isOurs(topic) {
            publish(topic, &effects)
        }
        isManifestDue = false
        if held.manifest != .ours { publishManifest(&effects) }
        publishedAt = effects.now.instant
        held.judged()
        registry.judged()
        effects.infoChanged()
        defer { deferredRequests = [] }
        return Judgement(isTakenUp: isTakenUp, requests: deferredRequests)
    }

    /// Holds a request back that would change the registry before the broker's has entries that ours lacks, as after a restore; whether it did.
    mutating func `defer`(_ what: String, _ payload: [UInt8]) -> Bool {
        guard !held.isJudged, registry.isNew || held.manifest != .ours,
            SiteRequest(rawValue: what)?.needsRegistry == true, deferredRequests.count < Self.mostDeferred
        else { return false }
        deferredRequests.append((what, payload))
        return true
    }

    private func missingEntries(of manifest: RegistryManifest) -> Set<Topic> {
        let topics = manifest.items.map { Topic.registryItem($0) } + manifest.regions.map { Topic.registryRegion($0) }
        return Set(topics.filter { held.strays[$0] == nil && !isOurs($0) })
    }

    /// The topics of our entries: the items, then the regions, each in order.
    private var ownTopics: [Topic] {
        registry.items.keys.sorted().map { .registryItem($0) }
            + registry.regions.keys.sorted().map { .registryRegion($0) }
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
    private mutating func repair(_ effects: inout SiteEffects) {
        let former = held.problem
        defer {
            if held.problem != former {
                if let problem = held.problem { effects.warn(problem) }
                effects.infoChanged()
            }
        }
        guard let repair = held.repair(at: effects.now.instant) else { return }
        for topic in repair.altered where isOurs(topic) { publish(topic, &effects) }
        for topic in repair.strays where !isOurs(topic) { publish(topic, &effects) }
        guard let manifest = repair.manifest else { return }
        if case .present(let manifest) = manifest { surpass(manifest, &effects) }
        publishManifest(&effects)
    }

    /// Makes our registry newer than a manifest that somebody else wrote.
    private mutating func surpass(_ manifest: RegistryManifest, _ effects: inout SiteEffects) {
        guard manifest.revision >= registry.revision else { return }
        registry.surpass(manifest.revision, as: effects.boot)
        publishedAt = effects.now.instant
        effects.add(.storeSite)
    }

    /// What is wrong with the registry, with what the broker holds of it, and with gateways that do not follow it, as sentences for `info`.
    func problems(of gateways: some Sequence<GatewayRecord>, at now: Instant) -> [String] {
        [lossProblem, held.problem].compactMap { $0 } + followProblems(of: gateways, at: now)
            + registry.conflicts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    }

    /// The gateways that follow another registry than ours, though ours has long been published, each as a sentence.
    private func followProblems(of gateways: some Sequence<GatewayRecord>, at now: Instant) -> [String] {
        guard held.isJudged, now >= publishedAt + Self.followPatience else { return [] }
        return gateways.compactMap { gateway in
            guard gateway.isAlive(at: now), let revision = gateway.info?.revision, revision != registry.revision
            else { return nil }
            return "\(gateway.id) follows revision \(revision) of the registry and not \(registry.revision): "
                + "it does not monitor what has changed since"
        }.sorted()
    }
}

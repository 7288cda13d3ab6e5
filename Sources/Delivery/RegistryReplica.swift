import Beacons
import Messages

/// A copy of the site's registry at a gateway, or at an aggregator that does not write the registry itself.
///
/// Entries arrive one by one and in any order, the manifest last. A registry is in force once every entry that its manifest names has
/// arrived, and until a newer one is complete. A broker that lost its memory sends nothing, and so deletes nothing.
///
/// The first revision of a connection compares all entries. Each later one compares only the entries that arrived since, or that its
/// manifest names or drops.
package struct RegistryReplica: Sendable {
    /// As many as a site has; what a hostile broker sends beyond is ignored.
    package static let mostEntries = RegistryManifest.mostEntries

    /// The ids of entries that were added, changed or removed.
    package struct Changes: Hashable, Sendable {
        package var items: Set<String> = []
        package var regions: Set<String> = []

        package init() {}
    }

    /// The revision in force; 0 before the first.
    package private(set) var revision: UInt64 = 0
    /// The origin of the revision in force, where its manifest named one.
    package private(set) var origin: Boot?
    /// The newest manifest of this connection.
    package private(set) var manifest: RegistryManifest?
    /// What the registry in force changed of the one before.
    package private(set) var changes = Changes()
    /// What the registries in force changed since `drainChanges`; `nil`: anything.
    private var pending: Changes?
    /// That entries of a newer registry do not come, as a sentence for `info`.
    package private(set) var problem: String?

    private var entries = (items: ReplicaEntries<RegistryItem>(), regions: ReplicaEntries<Region>())
    /// The lists of ids that the newest whole manifest consists of, by part; a manifest without parts is one list.
    private var lists: [Int: (digest: String?, ids: RegistryPart)] = [:]
    /// The parts of this connection, each with its digest.
    private var parts: [Int: (digest: String, part: RegistryPart)] = [:]
    /// The parts that the newest manifest names and that have not arrived.
    private var missingParts: Set<Topic> = []
    private var fetch = RegistryFetch()

    package init() {}

    /// The items in force, by id.
    package var items: [String: RegistryItem] { entries.items.inForce }
    /// The regions in force, by id.
    package var regions: [String: Region] { entries.regions.inForce }
    /// Counts the entries that were compared, for tests of what a revision costs.
    package var compared: Int { entries.items.compared + entries.regions.compared }

    /// The entries that the newest manifest names and that have not arrived; before all its parts have arrived, those parts.
    private var missing: Set<Topic> {
        guard missingParts.isEmpty else { return missingParts }
        return Set(
            entries.items.missing.map { .registryItem($0) } + entries.regions.missing.map { .registryRegion($0) })
    }

    /// Whether entries or parts that the newest manifest names have not arrived. Stored, as a gateway asks for each advertisement.
    package private(set) var isMissingEntries = false

    private var isIncomplete: Bool {
        !missingParts.isEmpty || !entries.items.missing.isEmpty || !entries.regions.missing.isEmpty
    }

    // MARK: What arrives

    /// Receives a message on one of the registry's topics; returns whether another registry is in force now.
    package mutating func receive(
        _ topic: Topic, _ payload: [UInt8], at now: Instant
    ) throws(PayloadRefusal) -> Bool {
        defer { isMissingEntries = isIncomplete }
        switch topic {
        case .registryItem(let id) where payload.isEmpty: entries.items.cleared(id)
        case .registryRegion(let id) where payload.isEmpty: entries.regions.cleared(id)
        case .registryItem(let id):
            guard entries.items.arrived(id, try RegistryItem(parsing: payload, on: topic)) else { return false }
            fetch.entryArrived(at: now)
            return adopt()
        case .registryRegion(let id):
            guard entries.regions.arrived(id, try Region(parsing: payload, on: topic)) else { return false }
            fetch.entryArrived(at: now)
            return adopt()
        // A broker that lost its memory sends nothing. That does not mean that the registry is empty.
        case .registryManifest where payload.isEmpty, .registryPart where payload.isEmpty: break
        case .registryManifest:
            manifest = try RegistryManifest(parsing: payload)
            fetch.entryArrived(at: now)
            return assemble()
        case .registryPart(let number):
            // A part counts once a manifest has its digest.
            parts[number] = (RegistryPart.digest(of: payload), try RegistryPart(parsing: payload))
            fetch.entryArrived(at: now)
            return manifest?.parts == nil ? false : assemble()
        default: break
        }
        return false
    }

    /// Puts a registry in force that was in force before a restart.
    package mutating func restore(
        revision: UInt64, origin: Boot?, items: some Sequence<RegistryItem>, regions: some Sequence<Region>
    ) {
        (self.revision, self.origin) = (revision, origin)
        entries.items.restore(items.map { ($0.id, $0) })
        entries.regions.restore(regions.map { ($0.id, $0) })
    }

    /// What arrived on another connection may be of another broker: nothing of it counts for the next registry.
    package mutating func connectionLost() {
        entries.items.connectionLost()
        entries.regions.connectionLost()
        (manifest, lists, parts, missingParts, isMissingEntries) = (nil, [:], [:], [], false)
        fetch = RegistryFetch()
    }

    // MARK: What is missing

    /// What to do about entries that the broker did not deliver.
    package mutating func fetchMissing(at now: Instant) -> [RegistryFetch.Step] {
        fetch.advance(missing: isNews ? missing : [], at: now)
    }

    /// Updates `problem`; returns whether it is another one.
    ///
    /// - Parameter reader: the reader's name in the sentence, such as "this gateway".
    package mutating func updateProblem(of reader: String) -> Bool {
        let former = problem
        problem = problem(of: reader)
        return problem != former
    }

    private func problem(of reader: String) -> String? {
        guard isNews, let manifest, isIncomplete, case let missing = missing, fetch.hasGivenUp(on: missing) else {
            return nil
        }
        let count = missing.count == 1 ? "an entry" : "\(missing.count) entries"
        return "the broker does not deliver \(count) of the registry's revision \(manifest.revision): "
            + "\(reader) goes on with revision \(revision)"
    }

    // MARK: Which registry is in force

    /// What the registries in force changed since this was asked last; `nil`: anything.
    package mutating func drainChanges() -> Changes? {
        defer { pending = Changes() }
        return pending
    }

    /// Others have changed what the reader took over: all entries are to be compared with the next changes.
    package mutating func diverge() { pending = nil }

    private var isNews: Bool { manifest?.replaces(revision, of: origin) == true }

    /// Finds out what the manifest names, and puts its registry in force if all of that has arrived.
    private mutating func assemble() -> Bool {
        guard let manifest else { return false }
        var new: [Int: (digest: String?, ids: RegistryPart)] = [:]
        missingParts = []
        if let digests = manifest.parts {
            for (number, digest) in digests.enumerated() {
                if let part = parts[number], part.digest == digest {
                    new[number] = (digest, part.part)
                } else {
                    missingParts.insert(.registryPart(number))
                }
            }
            guard missingParts.isEmpty else { return false }
        } else {
            new[0] = (nil, RegistryPart(items: manifest.items, regions: manifest.regions))
        }
        guard new.values.reduce(0, { $0 + $1.ids.items.count + $1.ids.regions.count }) <= Self.mostEntries else {
            // What names more than a site has is no manifest.
            self.manifest = nil
            name([:])
            return false
        }
        name(new)
        return adopt()
    }

    /// Replaces the lists of ids. Only lists that differ are read.
    private mutating func name(_ new: [Int: (digest: String?, ids: RegistryPart)]) {
        for number in Set(lists.keys).union(new.keys) {
            let (former, next) = (lists[number], new[number])
            if let digest = next?.digest, digest == former?.digest { continue }
            entries.items.name(next?.ids.items ?? [], insteadOf: former?.ids.items ?? [])
            entries.regions.name(next?.ids.regions ?? [], insteadOf: former?.ids.regions ?? [])
        }
        lists = new
    }

    private mutating func adopt() -> Bool {
        guard !isIncomplete, isNews, let manifest else { return false }
        (revision, origin) = (manifest.revision, manifest.origin)
        changes.items = entries.items.adopt()
        changes.regions = entries.regions.adopt()
        pending?.items.formUnion(changes.items)
        pending?.regions.formUnion(changes.regions)
        return true
    }
}

/// The items or the regions of a replica: those in force, and those that have arrived for the next registry.
private struct ReplicaEntries<Entry: Equatable & Sendable>: Sendable {
    private(set) var inForce: [String: Entry] = [:]
    private var arrived: Set<String> = []
    /// The entries that have arrived and are not in force like that.
    private var waiting: [String: Entry] = [:]
    /// The ids that the manifest names, each with the number of lists that have it.
    private var named: [String: Int] = [:]
    /// The named ids whose entries have not arrived.
    private(set) var missing: Set<String> = []
    /// The ids that may differ between this registry and the next.
    private var touched: Set<String> = []
    /// Whether any id may differ: no registry came into force on this connection.
    private var isAllTouched = true
    private(set) var compared = 0

    mutating func restore(_ entries: [(String, Entry)]) { inForce = Dictionary(entries) { $1 } }

    mutating func connectionLost() {
        (arrived, waiting, named, missing, touched, isAllTouched) = ([], [:], [:], [], [], true)
    }

    /// Notes an entry that has arrived; returns whether there was room for it.
    mutating func arrived(_ id: String, _ entry: Entry) -> Bool {
        if arrived.count >= RegistryReplica.mostEntries, !arrived.contains(id) {
            guard named[id] != nil else { return false }
            for other in arrived where named[other] == nil { cleared(other) }
        }
        arrived.insert(id)
        missing.remove(id)
        if inForce[id] == entry {
            waiting[id] = nil
        } else {
            waiting[id] = entry
            touched.insert(id)
        }
        return true
    }

    mutating func cleared(_ id: String) {
        arrived.remove(id)
        waiting[id] = nil
        if named[id] != nil { missing.insert(id) }
    }

    /// Replaces a list of ids that the manifest names.
    mutating func name(_ ids: [String], insteadOf former: [String]) {
        for id in ids {
            named[id, default: 0] += 1
            guard named[id] == 1 else { continue }
            touched.insert(id)
            if !arrived.contains(id) { missing.insert(id) }
        }
        for id in former {
            guard let count = named[id] else { continue }
            named[id] = count > 1 ? count - 1 : nil
            guard count == 1 else { continue }
            touched.insert(id)
            missing.remove(id)
        }
    }

    /// Puts the named entries in force, and returns the ids of those that were added, changed or removed.
    mutating func adopt() -> Set<String> {
        let ids = isAllTouched ? Set(inForce.keys).union(named.keys) : touched
        compared += ids.count
        (touched, isAllTouched) = ([], false)
        var changed: Set<String> = []
        for id in ids {
            if named[id] != nil {
                guard let entry = waiting.removeValue(forKey: id) else { continue }
                inForce[id] = entry
            } else {
                guard let former = inForce.removeValue(forKey: id) else { continue }
                // Its topic still has it: a later manifest may name it again.
                if arrived.contains(id), waiting[id] == nil { waiting[id] = former }
            }
            changed.insert(id)
        }
        return changed
    }
}

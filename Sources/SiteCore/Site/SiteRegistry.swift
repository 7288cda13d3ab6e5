import Beacons
import Delivery
import Messages
import Settings
import Text

/// The items and regions that all gateways monitor: those of the configuration, and those that were added by command. Only the aggregator
/// changes the registry.
struct SiteRegistry: Sendable {
    /// The most items and regions together of a site that announces them to Home Assistant.
    static let mostAnnounced = 10_000

    /// Counts every change, so that gateways can order registries by age.
    var revision: UInt64
    /// Whether the configuration has changed the entries without another revision.
    private(set) var isUncounted = false
    /// The run id of the process that began to count the revisions; `nil` in a registry of a version that did not know it.
    var origin: Boot?
    /// The most items and regions together.
    private let limit: Int
    /// Whether this process began the registry: the disk had none.
    private(set) var isNew: Bool
    var items: [String: RegistryItem]
    var regions: [String: Region]
    /// Where each configured entry stands: such an entry cannot be removed by command.
    private(set) var configured: [String: String]
    private var index = RegistryIndex()
    /// Counts the entries that were compared with another registry.
    private var followed = 0

    /// The configuration's entries, and of what was `stored` on disk those that were added by command. The revision grows only if the result differs.
    ///
    /// - Parameter counts: whether this registry is in force now. What an aggregator on standby reads in its own file counts once it takes over:
    ///   with a higher revision it would not follow the active one.
    init(_ configuration: AggregatorConfiguration, stored: StoredSite?, boot: Boot?, counts: Bool = true) {
        let configuration = configuration.withIDs(storedIn: stored)
        limit = configuration.mostEntries
        origin = stored?.origin ?? boot
        isNew = stored == nil
        items = [:]
        regions = [:]
        configured = [:]
        for entry in configuration.site.items {
            items[entry.item.id] = entry.item
            configured[entry.item.id] = "\(configuration.file):\(entry.line)"
        }
        for entry in configuration.regions {
            regions[entry.region.id] = entry.region
            configured["region " + entry.region.id] = "\(configuration.file):\(entry.line)"
        }
        for item in stored?.items ?? [] where stored?.configured.contains(item.id) != true && items[item.id] == nil {
            items[item.id] = item
        }
        for region in stored?.regions ?? []
        where stored?.configured.contains("region " + region.id) != true && regions[region.id] == nil {
            regions[region.id] = region
        }
        revision = stored?.revision ?? 0
        let isUnchanged =
            stored.map { Set($0.items) == Set(items.values) && Set($0.regions) == Set(regions.values) } ?? false
        isUncounted = !isUnchanged && !counts && stored != nil
        if !isUnchanged, !isUncounted { revision += 1 }
        index.rebuild(items, configured: configured)
        _ = computeParts()
    }

    /// Why the configuration's entries and those added by command do not fit into one registry; `nil` if they do.
    static func excess(_ configuration: AggregatorConfiguration, stored: StoredSite?) -> String? {
        let registry = SiteRegistry(configuration, stored: stored, boot: stored?.origin)
        let count = registry.items.count + registry.regions.count
        guard count > registry.limit else { return nil }
        return "\(configuration.file) and the commands name \(count) items and regions together: "
            + "at most \(registry.limit) fit, remove some"
    }

    /// Whether one manifest would be too long, so that parts name the entries.
    var hasParts: Bool { count > RegistryManifest.longestList }
    /// The digest of each part, as of the last `computeParts`.
    private(set) var digests: [String] = []
    /// The parts whose contents changed since then.
    private var changedParts: Set<Int> = []

    /// The manifest, which is published behind the entries. Without parts it sorts all ids; with parts `computeParts` comes first.
    var manifest: RegistryManifest {
        hasParts
            ? RegistryManifest(revision: revision, origin: origin, parts: digests)
            : RegistryManifest(
                revision: revision, origin: origin, items: items.keys.sorted(), regions: regions.keys.sorted())
    }

    func part(_ number: Int) -> RegistryPart { parts([number])[0].part }

    private func parts(_ numbers: Set<Int>) -> [(number: Int, part: RegistryPart)] {
        var parts = Array(repeating: RegistryPart(items: [], regions: []), count: RegistryPart.count)
        for id in items.keys {
            let number = RegistryPart.number(of: id)
            if numbers.contains(number) { parts[number].items.append(id) }
        }
        for id in regions.keys {
            let number = RegistryPart.number(of: id)
            if numbers.contains(number) { parts[number].regions.append(id) }
        }
        return numbers.sorted().map { number in
            (number, RegistryPart(items: parts[number].items.sorted(), regions: parts[number].regions.sorted()))
        }
    }

    /// Computes the digests of the parts that have changed, and returns those parts.
    mutating func computeParts() -> [(number: Int, part: RegistryPart)] {
        guard hasParts else {
            (digests, changedParts) = ([], [])
            return []
        }
        if digests.isEmpty { digests = Array(repeating: "", count: RegistryPart.count) }
        changedParts.formUnion(digests.indices.filter { digests[$0].isEmpty })
        let changed = parts(changedParts).filter { number, part in
            let digest = RegistryPart.digest(of: part.bytes)
            defer { digests[number] = digest }
            return digests[number] != digest
        }
        changedParts = []
        return changed
    }

    /// All parts count as changed.
    mutating func forgetParts() { digests = digests.map { _ in "" } }

    /// Continues with the digests of the parts that `former` has published. All parts count as changed.
    mutating func continueParts(of former: SiteRegistry) {
        digests = former.digests
        changedParts = Set(digests.indices)
    }

    /// Whether a part is as it was computed last.
    func isOurs(part number: Int, _ payload: [UInt8]) -> Bool {
        digests.indices.contains(number) && digests[number] == RegistryPart.digest(of: payload)
    }
    /// The number of entries.
    var count: Int { items.count + regions.count }

    func item(of beacon: BeaconIdentity) -> String? { index.owners[beacon] }
    /// The items whose beacon belongs to another item, with a sentence about that.
    var conflicts: [String: String] { index.conflicts }
    /// Counts the entries that were compared with another registry or with each other, for tests of what a change costs.
    var compared: Int { followed + index.compared }

    /// The item of this id, or of exactly this name.
    func item(named word: String) -> RegistryItem? {
        items[word] ?? index.item(named: word).flatMap { items[$0] }
    }

    /// The region of this id, or of exactly this name.
    func region(named word: String) -> Region? {
        regions[word] ?? regions.values.filter { $0.identifier == word }.min { $0.id < $1.id }
    }

    /// Adds an item. Its id is derived from its name, unless `id` is given.
    mutating func add(_ requested: NewItem) throws(Refused) -> RegistryItem {
        let item = try insert(requested)
        revision += 1
        return item
    }

    /// Adds many items as one change, and returns those that were added.
    mutating func add(_ requested: [NewItem], refused: (Int, String) -> Void) -> [RegistryItem] {
        var added: [RegistryItem] = []
        for (index, item) in requested.enumerated() {
            do throws(Refused) { added.append(try insert(item)) } catch { refused(index, error.sentence) }
        }
        if !added.isEmpty { revision += 1 }
        return added
    }

    private mutating func insert(_ requested: NewItem) throws(Refused) -> RegistryItem {
        var item = requested.item
        item.name = try freeName(item.name)
        if let owner = index.owners[item.beacon] {
            throw Refused(
                "The beacon \(item.beacon) is that of \"\(items[owner]?.name ?? owner)\" already: one beacon, one item."
            )
        }
        if !item.id.isEmpty { try check(item.id) }
        try checkRoom()
        if item.id.isEmpty {
            item.id = makeID(from: item.name, kind: .item, identity: "\(item.beacon)") {
                isTaken($0) || index.item(named: $0) != nil
            }
        }
        if item.notify == nil { item.notify = .standard }
        items[item.id] = item
        changedParts.insert(RegistryPart.number(of: item.id))
        index.add(item)
        return item
    }

    /// Changes an item that was added by command; its id stays.
    mutating func edit(
        item id: String, _ edited: EditedItem, owners: ([String], [String]) throws(Refused) -> [String]
    ) throws(Refused) -> RegistryItem {
        guard let item = items[id] else { throw Refused("There is no item \"\(id)\".") }
        try checkNotConfigured(id, id)
        var changed: RegistryItem
        do throws(PayloadRefusal) { changed = try edited.applied(to: item) } catch { throw Refused("\(error)") }
        // What stays may name a person or a room that is gone.
        let named = edited.changes["owners"] == nil ? nil : changed.ownership?.owners
        let rooms = edited.changes["not_alone_in"] == nil ? nil : changed.ownership?.notAloneIn
        let ids = try owners(named ?? [], rooms ?? [])
        if named != nil { changed.ownership?.owners = ids }
        let isForOwners = [edited.changes["needed"], edited.changes["not_alone_in"]].contains {
            ![nil, .null, .array([])].contains($0)
        }
        guard !isForOwners || changed.ownership?.owners.isEmpty == false else { throw .withoutOwners }
        if edited.newName != nil { changed.name = try freeName(changed.name, for: id) }
        // Nothing new is no new revision.
        guard changed != item else { return item }
        items[id] = changed
        index.replace([item], by: [changed], among: items, configured: configured)
        revision += 1
        return changed
    }

    /// Removes an item that was added by command.
    mutating func remove(item id: String) throws(Refused) {
        try checkNotConfigured(id, id)
        guard let item = items[id] else { return }
        items[id] = nil
        changedParts.insert(RegistryPart.number(of: id))
        index.replace([item], by: [], among: items, configured: configured)
        revision += 1
    }

    /// Adds a region. Its id is derived from its identifier, unless `id` is given.
    mutating func add(_ requested: NewRegion) throws(Refused) -> Region {
        var region = requested.region
        region.identifier = try Self.checkedName(region.identifier)
        let name = region.identifier
        if let other = regions.values.first(where: { $0.identifier == name }) {
            throw Refused("There is a region \"\(name)\" already (\(other.id)): give this one another name.")
        }
        if !region.id.isEmpty { try check(region.id) }
        try checkRoom()
        if region.id.isEmpty {
            region.id = makeID(from: name, kind: .region, identity: region.scope.identity, isTaken: isTaken)
        }
        regions[region.id] = region
        changedParts.insert(RegistryPart.number(of: region.id))
        revision += 1
        return region
    }

    /// Removes a region that was added by command.
    mutating func remove(region id: String) throws(Refused) {
        try checkNotConfigured("region " + id, id)
        regions[id] = nil
        changedParts.insert(RegistryPart.number(of: id))
        revision += 1
    }

    private func checkNotConfigured(_ key: String, _ id: String) throws(Refused) {
        guard let place = configured[key] else { return }
        throw Refused("\(id) stands in the configuration (\(place)): change it there, and reload the aggregator.")
    }

    /// The name without blanks around it, if no other item than `id` has it.
    private func freeName(_ text: String, for id: String? = nil) throws(Refused) -> String {
        let name = try Self.checkedName(text)
        if let other = index.item(named: name), other != id {
            let known = items[other]?.name ?? name
            throw Refused("There is an item \"\(known)\" already (\(other)): give this one another name.")
        }
        // A command that names an item by one word shall mean one item.
        if let other = items[name], name != id {
            throw Refused("\(name) is the id of the item \"\(other.name)\": give this one another name.")
        }
        return name
    }

    // As the configuration has it.
    static func checkedName(_ text: String) throws(Refused) -> String {
        let name = text.trimmed
        guard !name.isBlank else { throw Refused("The name is empty: give a name.") }
        guard name.utf8.count <= SettingsTable.longestName else {
            throw Refused("The name is longer than \(SettingsTable.longestName) bytes: give a shorter one.")
        }
        guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw Refused("The name has a control character in it: leave it out.")
        }
        return name
    }

    /// Items and regions share one namespace: in the gateways' events an item's implicit region has the id of the item.
    private func isTaken(_ id: String) -> Bool { items[id] != nil || regions[id] != nil }

    private func check(_ id: String) throws(Refused) {
        guard isValidID(id) else {
            throw Refused(
                "\"\(id)\" is no id: write a-z, 0-9, '_', '.', '-', beginning with a letter or digit, at most 64.")
        }
        if let item = items[id] {
            throw Refused("The id \(id) is that of the item \"\(item.name)\" already: give another.")
        }
        if let other = index.item(named: id) {
            throw Refused("\(id) is the name of the item \(other): give another id.")
        }
        if let region = regions[id] {
            throw Refused("The id \(id) is that of the region \"\(region.identifier)\" already: give another.")
        }
    }

    /// Whether `manifest` is a later state of this registry, or of the one that the disk has lost.
    func isOlder(than manifest: RegistryManifest) -> Bool {
        manifest.revision > revision || isNew && manifest != self.manifest
    }

    /// Adopts entries that were ours before the disk lost them, as if they had been added by command, and goes on counting from `manifest`.
    mutating func adopt(
        _ lostItems: [RegistryItem], _ lostRegions: [Region], from manifest: RegistryManifest
    ) {
        for item in lostItems where items[item.id] == nil && hasRoom { items[item.id] = item }
        for region in lostRegions where regions[region.id] == nil && hasRoom { regions[region.id] = region }
        forgetParts()
        if let origin = manifest.origin, isNew { self.origin = origin }
        if manifest.revision >= revision, manifest != self.manifest { surpass(manifest.revision, as: origin) }
        index.rebuild(items, configured: configured)
    }

    /// Takes over the entries of another aggregator's registry, except for those that the configuration has; returns what changed.
    ///
    /// - Parameter changes: the entries that may differ; `nil`: any.
    mutating func follow(_ replica: RegistryReplica, _ changes: RegistryReplica.Changes?) -> RegistryReplica.Changes {
        let ids = changes?.items ?? Set(items.keys).union(replica.items.keys)
        let regionIDs = changes?.regions ?? Set(regions.keys).union(replica.regions.keys)
        var changed = RegistryReplica.Changes()
        var former: [RegistryItem] = []
        for id in ids where configured[id] == nil && items[id] != replica.items[id] {
            if let item = items[id] { former.append(item) }
            items[id] = replica.items[id]
            changed.items.insert(id)
        }
        for id in regionIDs where configured["region " + id] == nil && regions[id] != replica.regions[id] {
            regions[id] = replica.regions[id]
            changed.regions.insert(id)
        }
        (revision, origin) = (replica.revision, replica.origin)
        followed += ids.count + regionIDs.count
        forgetParts()
        index.replace(former, by: changed.items.compactMap { items[$0] }, among: items, configured: configured)
        return changed
    }

    /// The broker's registry was compared: from now on this registry is not a new one.
    mutating func judged() { isNew = false }

    /// Goes beyond a revision that somebody else has written. Where that is absurdly high, a new origin begins: gateways follow it, whatever
    /// its revision.
    mutating func surpass(_ other: UInt64, as newOrigin: Boot?) {
        guard other >= revision else { return }
        if other < RegistryManifest.highestRevision / 2 {
            revision = other + 1
        } else {
            (origin, revision) = (newOrigin, revision + 1)
        }
    }

    private var hasRoom: Bool { count < limit }

    private func checkRoom() throws(Refused) {
        guard hasRoom else {
            throw Refused(
                "The registry holds \(limit) items and regions, and no more fit: remove some"
                    + (limit < RegistryManifest.mostEntries
                        ? ", or set discovery = false in [home_assistant] for up to \(RegistryManifest.mostEntries)."
                        : "."))
        }
    }
}

/// The reason why a request failed: one sentence for the response.
struct Refused: Error, Hashable, Sendable {
    /// What only owners are notified of is set, and there are none.
    static let withoutOwners = Refused("\"needed\" and \"not_alone_in\" are for owners: name the owners as well.")

    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}

extension String {
    /// Without blanks at either end.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

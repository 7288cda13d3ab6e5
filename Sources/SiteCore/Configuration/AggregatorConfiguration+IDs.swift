import Beacons
import Messages
import Settings
import Text

extension AggregatorConfiguration {
    /// Makes the ids of items and regions unique. A generated id yields to a written one; two equal written ids are a problem.
    mutating func separateIDs(_ root: SettingsTable) {
        var taken = Set(site.items.map(\.item.id) + regions.map(\.region.id))
        let indices = Dictionary(
            site.items.indices.map { (site.items[$0].item.id, $0) }, uniquingKeysWith: { first, _ in first })
        let tables = root.tables("region")
        for index in regions.indices {
            guard let place = indices[regions[index].region.id] else { continue }
            let entry = site.items[place]
            if !regions[index].hasWrittenID {
                regions[index].remakeID(avoiding: taken)
                taken.insert(regions[index].region.id)
            } else if !entry.hasWrittenID {
                site.items[place].remakeID(avoiding: taken)
                taken.insert(site.items[place].item.id)
            } else {
                tables.first { $0.line == regions[index].line }?.note(
                    "id", "is \"\(entry.item.id)\", like the id of the item in line \(entry.line): write another id")
            }
        }
    }

    /// Names that are the id of another item or person, a line for each; `nil`: none. A command that is given such a word means the one with the id.
    package var ambiguity: String? {
        let items = site.items.map { (id: $0.item.id, name: $0.item.name, line: $0.line) }
        let people = site.people.map { (id: $0.person.id, name: $0.person.name, line: $0.line) }
        let lines = [("item", items), ("person", people)].flatMap { kind, entries in
            let names = Dictionary(entries.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
            return entries.compactMap { entry in
                guard entry.id != entry.name, let other = names[entry.name] else { return String?.none }
                return
                    "\(file):\(entry.line): \(kind).name is \"\(entry.name)\", the id of the \(kind) \"\(other)\": write another name"
            }
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// Rooms of `not_alone_in` that no `[[room]]` has, a line for each; none without any `[[room]]`, as gateways report rooms then. The service
    /// starts with them, and reports each as a problem.
    package var unknownRooms: [String] {
        let names = site.rooms.map(\.name)
        guard !names.isEmpty else { return [] }
        return site.items.flatMap { entry in
            (entry.item.ownership?.notAloneIn ?? []).filter { !names.contains($0) }.map {
                "\(file):\(entry.line): item.not_alone_in \(SettingsTable.unknown($0, as: "[[room]]", among: names))"
            }
        }
    }

    /// The configuration with the ids that its entries have on disk, where those ids were made from names.
    ///
    /// Topics, entities and histories have these ids, so they stay even if ids are made from names in another way now. An entry is the same as on
    /// disk if its name and its beacons are the same.
    func withIDs(storedIn stored: StoredSite?) -> AggregatorConfiguration {
        guard let stored, !stored.configured.isEmpty else { return self }
        var result = self
        let items = result.adoptItemIDs(from: stored)
        let regions = result.adoptRegionIDs(from: stored)
        // New entries yield to entries that are on disk.
        let commanded = (
            items: stored.items.map(\.id).filter { !stored.configured.contains($0) },
            regions: stored.regions.map(\.id).filter { !stored.configured.contains("region " + $0) }
        )
        var taken = Set(commanded.regions)
        for (index, entry) in result.site.items.enumerated() where entry.hasWrittenID || items.contains(index) {
            taken.insert(entry.item.id)
        }
        for (index, entry) in result.regions.enumerated() where entry.hasWrittenID || regions.contains(index) {
            taken.insert(entry.region.id)
        }
        for index in result.site.items.indices where !result.site.items[index].hasWrittenID && !items.contains(index) {
            if taken.contains(result.site.items[index].item.id) { result.site.items[index].remakeID(avoiding: taken) }
            taken.insert(result.site.items[index].item.id)
        }
        taken.formUnion(commanded.items)
        for index in result.regions.indices where !result.regions[index].hasWrittenID && !regions.contains(index) {
            if taken.contains(result.regions[index].region.id) { result.regions[index].remakeID(avoiding: taken) }
            taken.insert(result.regions[index].region.id)
        }
        return result
    }

    /// - Returns: the indices of the items that are on disk.
    private mutating func adoptItemIDs(from stored: StoredSite) -> Set<Int> {
        let configured = Set(stored.configured)
        var former: [BeaconIdentity: RegistryItem] = [:]
        for item in stored.items where configured.contains(item.id) { former[item.beacon] = item }
        var taken = Set(site.items.filter(\.hasWrittenID).map(\.item.id))
        var found: Set<Int> = []
        for (index, entry) in site.items.enumerated() where !entry.hasWrittenID {
            guard let same = former[entry.item.beacon], same.name == entry.item.name, taken.insert(same.id).inserted
            else { continue }
            site.items[index].item.id = same.id
            found.insert(index)
        }
        return found
    }

    /// - Returns: the indices of the regions that are on disk.
    private mutating func adoptRegionIDs(from stored: StoredSite) -> Set<Int> {
        let configured = Set(stored.configured)
        var former: [String: Region] = [:]
        for region in stored.regions where configured.contains("region " + region.id) {
            former[region.identifier] = region
        }
        var taken = Set(regions.filter(\.hasWrittenID).map(\.region.id))
        var found: Set<Int> = []
        for (index, entry) in regions.enumerated() where !entry.hasWrittenID {
            guard let same = former[entry.region.identifier], same.scope == entry.region.scope,
                taken.insert(same.id).inserted
            else { continue }
            regions[index].region.id = same.id
            found.insert(index)
        }
        return found
    }
}

extension ItemSettings {
    fileprivate mutating func remakeID(avoiding taken: Set<String>) {
        item.id = makeID(from: item.name, kind: .item, identity: "\(item.beacon)") { taken.contains($0) }
    }
}

extension ConfiguredRegion {
    fileprivate mutating func remakeID(avoiding taken: Set<String>) {
        region.id = makeID(from: region.identifier, kind: .region, identity: region.scope.identity) {
            taken.contains($0)
        }
    }
}

import Beacons
import Messages

extension SiteRegistry {
    /// What a request has changed, and the response to it.
    struct Change: Sendable {
        var response: any Body
        /// The ids of the items that were added, changed or removed.
        var items: [String] = []
        /// The ids of the regions that were added or removed.
        var regions: [String] = []
        /// Whether the locations of the items are published at once.
        var isLocationDue = false
    }

    /// Changes the registry as a request wants it; returns `nil` if the request concerns something else.
    ///
    /// - Parameter owners: the ids of the people that a request names as owners; throws also if one of the rooms is none. In a file of items
    ///   they stay as they stand: it may come before its people and rooms.
    mutating func change(
        by what: String, _ request: Request, owners: ([String], [String]) throws(Refused) -> [String]
    ) throws(Refused) -> Change? {
        switch SiteRequest(rawValue: what) {
        case .addItem:
            var requested = try request.asked(NewItem.self)
            let named = requested.item.ownership ?? Ownership()
            requested.item.ownership?.owners = try owners(named.owners, named.notAloneIn)
            guard requested.item.ownership?.owners.isEmpty != true else { throw .withoutOwners }
            let item = try add(requested)
            return Change(response: ItemResponse(item), items: [item.id], isLocationDue: true)
        case .importItems: return importItems(try request.asked(ImportedItems.self).items)
        case .removeItem:
            let item = try self.item(try request.asked(NameOrID.self))
            try remove(item: item.id)
            return Change(response: ItemResponse(item), items: [item.id])
        case .renameItem:
            let requested = try request.asked(RenamedItem.self)
            return try edit(EditedItem(requested.item, newName: requested.newName), owners: owners)
        case .editItem:
            return try edit(try request.asked(EditedItem.self), owners: owners)
        case .addRegion:
            let region = try add(try request.asked(NewRegion.self))
            return Change(response: RegionResponse(region), regions: [region.id])
        case .removeRegion:
            let named = try request.asked(NameOrID.self)
            guard let region = region(named: named.name) else {
                throw .unknown("region", named.name, among: regions.values.flatMap { [$0.identifier, $0.id] }.sorted())
            }
            try remove(region: region.id)
            return Change(response: RegionResponse(region), regions: [region.id])
        default: return nil
        }
    }

    private mutating func edit(
        _ requested: EditedItem, owners: ([String], [String]) throws(Refused) -> [String]
    ) throws(Refused) -> Change {
        let item = try edit(item: try item(requested.item).id, requested, owners: owners)
        // A location has the item's name.
        return Change(
            response: ItemResponse(item), items: [item.id], isLocationDue: requested.newName != nil)
    }

    /// Adds many items in one change: one revision, one manifest, one write to the disk.
    private mutating func importItems(_ requested: [NewItem]) -> Change {
        var response = ImportResponse(added: 0, refused: [])
        let added = add(requested) { response.refused.append(.init(index: $0, error: $1)) }
        response.added = added.count
        return Change(response: response, items: added.map(\.id), isLocationDue: true)
    }

    /// Has items that were added by command follow rooms that have other names now; returns their ids.
    mutating func rename(rooms names: [String: String]) -> [String] {
        var changed: [String] = []
        for (id, item) in items where configured[id] == nil {
            guard let rooms = item.ownership?.notAloneIn, rooms.contains(where: { names[$0] != nil }) else { continue }
            items[id]?.ownership?.notAloneIn = rooms.map { names[$0] ?? $0 }
            changed.append(id)
        }
        if !changed.isEmpty { revision += 1 }
        return changed.sorted()
    }

    func item(_ named: NameOrID) throws(Refused) -> RegistryItem {
        guard let item = item(named: named.name) else { throw unknown(item: named.name) }
        return item
    }

    /// The limit of items among which the one that was probably meant is looked for: each is compared letter by letter.
    private static let mostCompared = 5000

    func unknown(item word: String) -> Refused {
        let compared = items.count <= Self.mostCompared ? items : [:]
        return .unknown("item", word, among: compared.values.flatMap { [$0.name, $0.id] }.sorted())
    }

    /// The ids of the entries that differ from another registry's.
    func differences(from other: SiteRegistry) -> (items: [String], regions: [String]) {
        func ids<Entry: Equatable>(_ one: [String: Entry], _ other: [String: Entry]) -> [String] {
            Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.sorted()
        }
        return (ids(items, other.items), ids(regions, other.regions))
    }
}

extension Refused {
    /// Nobody has the name: "There is no item "Kys": did you mean "Keys"?"
    static func unknown(_ what: String, _ word: String, among names: some Sequence<String>) -> Refused {
        let meant = didYouMean(word, among: names).map { ": \($0)" } ?? "."
        return Refused("There is no \(what) \"\(word)\"\(meant)")
    }
}

extension SiteEffects {
    mutating func reply(_ what: String, _ request: Request, _ change: SiteRegistry.Change) {
        func done(_ response: some Body) { reply(what, request, .done(response)) }
        done(change.response)
    }
}

extension Request {
    /// The body of the request, which people may have written. A wrong body is refused with a sentence.
    func asked<Asked: Body>(_: Asked.Type) throws(Refused) -> Asked {
        do { return try Asked(requestedBy: arguments) } catch { throw Refused("\(error)") }
    }
}

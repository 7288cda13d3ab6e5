import Beacons

/// Who and what is in each room, and since when nobody or nothing is.
package struct RoomCounts: Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable { case people, items }

    struct Contents: Sendable {
        var ids: Set<String> = []
        var emptySince: WallTime?
    }

    private struct Key: Hashable {
        var room: String
        var kind: Kind
    }

    private var contents: [Key: Contents] = [:]
    /// The room of each person and item.
    private var places: [Kind: [String: String]] = [:]

    func contents(of room: String, _ kind: Kind) -> Contents { contents[Key(room: room, kind: kind)] ?? Contents() }

    /// Nobody or nothing is in a room, since that time or longer.
    mutating func foundEmpty(_ room: String, _ kind: Kind, since: WallTime) {
        let key = Key(room: room, kind: kind)
        guard contents[key, default: Contents()].ids.isEmpty, contents[key]?.emptySince == nil else { return }
        contents[key, default: Contents()].emptySince = since
    }

    /// Rooms have other names now. Two that have one name are one.
    mutating func rename(by names: [String: String]) {
        var renamed: [Key: Contents] = [:]
        for (key, former) in contents {
            let key = Key(room: names[key.room] ?? key.room, kind: key.kind)
            renamed[key, default: former].ids.formUnion(former.ids)
            if renamed[key]?.ids.isEmpty == false { renamed[key]?.emptySince = nil }
        }
        contents = renamed
        places = places.mapValues { $0.mapValues { names[$0] ?? $0 } }
    }

    /// A person or an item is in a room, or in none that is known.
    mutating func place(_ id: String, _ kind: Kind, in room: String?, at now: WallTime) -> [Household.Output] {
        let former = places[kind]?[id]
        guard former != room else { return [] }
        places[kind, default: [:]][id] = room
        if let former {
            let key = Key(room: former, kind: kind)
            contents[key]?.ids.remove(id)
            if contents[key]?.ids.isEmpty == true { contents[key]?.emptySince = now }
        }
        if let room { contents[Key(room: room, kind: kind), default: Contents()].ids.insert(id) }
        if let room { contents[Key(room: room, kind: kind)]?.emptySince = nil }
        return [former, room].compactMap(\.self).map { .changed(room: $0) }
    }
}

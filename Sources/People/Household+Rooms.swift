import Messages

/// Rooms that have other names now: nobody and nothing moves because of that.
extension Household {
    /// Replaces the names of rooms; returns whose location is published again, and which rooms are.
    package mutating func rename(by names: [String: String]) -> [Output] {
        guard !names.isEmpty else { return [] }
        for (id, item) in items { items[id]?.room = item.room.map { names[$0] ?? $0 } }
        alarms = alarms.mapValues { $0.renamed(by: names) }
        questions = questions.mapValues { question in
            guard case .isAccompanied(let since, let room?) = question else { return question }
            return .isAccompanied(since: since, from: names[room] ?? room)
        }
        counts.rename(by: names)
        let rooms = Set(names.keys).union(names.values).sorted().map { Output.changed(room: $0) }
        return ids.filter { records[$0]!.rename(by: names) }.map { .located(person: $0) } + rooms
    }
}

extension PersonRecord {
    /// Replaces the name of the person's room; returns whether it is another one.
    mutating func rename(by names: [String: String]) -> Bool {
        guard let former = room, let name = names[former] else { return false }
        room = name
        return true
    }
}

extension Alarm {
    /// The alarm with the present names of rooms that have other ones now.
    package func renamed(by names: [String: String]) -> Alarm {
        switch self {
        case .alone(let room): .alone(in: names[room] ?? room)
        case .taken(let room): .taken(from: room.map { names[$0] ?? $0 })
        case .forgotten: self
        }
    }
}

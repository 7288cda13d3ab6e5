import Text

/// The names given so far in one list of tables, where no two may have the same.
package struct UniqueNames {
    private var lines: [String: Int] = [:]

    package init() {}

    /// Notes that another table has the name already, and in which line.
    package mutating func check(_ name: String?, _ key: String, in table: SettingsTable) {
        guard let name else { return }
        if let line = lines[name.visible] {
            table.note(key, "is \(quoted(name)), as in line \(line): write another")
        } else {
            lines[name.visible] = table.line(of: key) ?? 0
        }
    }
}

/// The ids given so far in one list of tables: written ones first, then those that are made from names.
package struct UniqueIDs {
    private var names = UniqueNames()
    private var taken: Set<String> = []

    package init() {}

    /// The id that stands in `table`; `nil` where none does, or no right one.
    package mutating func written(_ key: String, in table: SettingsTable) -> String? {
        let id = table.id(key)
        names.check(id, key, in: table)
        if let id { taken.insert(id) }
        return id
    }

    /// An id made from a name, and from what the name belongs to where nothing is left of it: `-2`, `-3` ... where it is taken.
    package mutating func made(from name: String, kind: IDKind, of identity: String) -> String {
        let id = makeID(from: name, kind: kind, identity: identity) { taken.contains($0) }
        taken.insert(id)
        return id
    }
}

import Messages
import People
import Settings
import Text

/// A `[[person]]` of the configuration.
package struct PersonSettings: Hashable, Sendable {
    /// Its id and name, and the ids or names of the items that the person carries.
    package var person: Person
    package var line: Int

    static func all(in root: SettingsTable) -> [PersonSettings] {
        var names = UniqueNames(), ids = UniqueIDs()
        let tables = root.tables("person")
        if tables.count > Household.most {
            root.note("person", "is written \(tables.count) times: at most \(Household.most)")
        }
        return tables.compactMap { table in
            let name = table.required.text("name")
            names.check(name, "name", in: table)
            let id = ids.written("id", in: table)
            let carries = table.texts("carries", count: 0...Person.mostCarried) ?? []
            guard let name else { return nil }
            return PersonSettings(
                person: Person(id: id ?? ids.made(from: name, kind: .person, of: name), name: name, carries: carries),
                line: table.line ?? 0)
        }
    }
}

extension SettingsTable {
    /// Reads `owners`, `needed` and `not_alone_in` of an item; `nil` if there are none.
    func ownership() -> Ownership? {
        let owners = texts("owners", count: 1...Ownership.most) ?? []
        let needed = text("needed")
        let schedule = needed.flatMap { Schedule($0) }
        if needed != nil, schedule == nil {
            note("needed", "is \"\(needed ?? "")\": write \"always\", or days and hours like \"mon-fri 07:00-09:00\"")
        }
        let rooms = texts("not_alone_in", count: 1...Ownership.most) ?? []
        if owners.isEmpty, schedule != nil || !rooms.isEmpty {
            note(schedule == nil ? "not_alone_in" : "needed", "stands without owners: name them")
        }
        let ownership = Ownership(owners: owners, needed: schedule, notAloneIn: rooms)
        return ownership == Ownership() ? nil : ownership
    }
}

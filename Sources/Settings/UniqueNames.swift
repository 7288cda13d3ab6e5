/// The names given so far in one list of tables, where no two may have the same.
public struct UniqueNames {
    private var lines: [String: Int] = [:]

    /// No names yet.
    public init() {}

    /// Notes that another table has the name already, and in which line.
    public mutating func check(_ name: String?, _ key: String, in table: SettingsTable) {
        guard let name else { return }
        if let line = lines[name] {
            table.note(key, "is \(quoted(name)), as in line \(line): write another")
        } else {
            lines[name] = table.line(of: key) ?? 0
        }
    }
}

/// The ids given so far in one list of tables: written ones first, then those that are made from names.
public struct UniqueIDs {
    private var names = UniqueNames()
    private var taken: Set<String> = []

    /// No ids yet.
    public init() {}

    /// The id that stands in `table`; `nil` where none does, or no right one.
    public mutating func written(_ key: String, in table: SettingsTable) -> String? {
        let id = table.id(key)
        names.check(id, key, in: table)
        if let id { taken.insert(id) }
        return id
    }

    /// An id made from a name, and from what the name belongs to where nothing is left of it: `-2`, `-3` ... where it is taken.
    public mutating func made(from name: String, kind: String, of identity: String) -> String {
        let id = madeID(from: name) ?? madeID(kind: kind, of: identity)
        var candidate = id
        var count = 1
        while !taken.insert(candidate).inserted {
            count += 1
            candidate = "\(id.prefix(64 - String(count).utf8.count - 1))-\(count)"
        }
        return candidate
    }
}

// replaced by Text.makeID: NFKD, and SHA-256 where nothing is left.

/// The id that `name` makes: what is neither letter, digit, `_` nor `.` becomes one hyphen; `nil` where nothing is left.
public func madeID(from name: String) -> String? {
    var id = ""
    for character in name.lowercased().unicodeScalars {
        if isID(String(character)) || (!id.isEmpty && "_.".unicodeScalars.contains(character)) {
            id.unicodeScalars.append(character)
        } else if !id.isEmpty, !id.hasSuffix("-") {
            id += "-"
        }
    }
    id = String(id.prefix(64))
    while id.hasSuffix("-") { id.removeLast() }
    return id.isEmpty ? nil : id
}

private func madeID(kind: String, of identity: String) -> String {
    let hash = identity.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }  // FNV-1a
    return kind + "-" + String(0x100_0000 | hash & 0xFF_FFFF, radix: 16).dropFirst()
}

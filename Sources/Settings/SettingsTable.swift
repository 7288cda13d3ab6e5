import Beacons

/// One table of a configuration file. Each getter reads one key; for an invalid value it records a problem and returns
/// `nil`. For an absent key it returns `nil` without a problem, except with `required`.
///
/// One expression handles a key: `mqtt.integer("port", in: 1...65_535) ?? 1883`.
package struct SettingsTable {
    let record: Diagnostics.Record
    let diagnostics: Diagnostics
    private let place: String
    private var isRequired = false
    /// Whether the file has this table.
    package let isPresent: Bool

    init(_ record: Diagnostics.Record, in diagnostics: Diagnostics, place: String = "", isPresent: Bool = true) {
        self.record = record
        self.diagnostics = diagnostics
        self.place = place
        self.isPresent = isPresent
    }

    /// The same table, in which an absent key is a problem.
    package var required: SettingsTable {
        var table = self
        table.isRequired = true
        return table
    }

    /// The path of the file as the user wrote it.
    package var file: String { diagnostics.file }

    /// The line of the table's header; `nil` for the top of the file and for an absent table.
    package var line: Int? { record.line }

    /// The line of `key`, or of the table if the key is absent.
    package func line(of key: String) -> Int? { record.members[key]?.line ?? line }

    /// Whether the file has `key`, with a valid or an invalid value.
    package func has(_ key: String) -> Bool { record.members[key] != nil }

    /// Records a problem with `key` that the getters cannot detect; `text` follows the key's path.
    package func note(_ key: String, _ text: String) {
        diagnostics.note("\(joined(record.path, key)) \(text)", line: line(of: key))
    }

    /// Records a problem with the table itself.
    package func note(_ text: String) {
        diagnostics.note(text, line: line)
    }

    /// Records that `key` names something that does not exist, and suggests the nearest of `names`.
    package func noteUnknown(_ key: String, _ name: String, as what: String, among names: [String]) {
        let instead =
            nearest(to: name, among: names).map { "did you mean \(quoted($0))?" }
            ?? "write such a table, or another name"
        note(key, "has \(quoted(name)), of which there is no \(what): \(instead)")
    }

    /// Records that `key` is not allowed here if it is present; `text` is the reason and the remedy.
    package func refuse(_ key: String, _ text: String) {
        guard has(key) else { return }
        ignore(key)
        note(key, text)
    }

    /// Does not report `key` as unknown: whether it belongs here depends on another key that has a problem.
    package func ignore(_ key: String) { diagnostics.refuse(key, of: record) }

    // MARK: Nested tables

    /// The table `[key]`; an absent table is empty, so that its defaults apply.
    package func table(_ key: String) -> SettingsTable {
        diagnostics.ask(key, as: .table, of: record)
        let path = joined(record.path, key)
        if let node = record.members[key] {
            switch node.value {
            case .table(let members): return inner(key, path, node.line, members)
            case .reported: break
            default:
                diagnostics.note("\(path) is \(node.value.shownWithType): write a table, [\(path)]", line: node.line)
            }
        } else if isRequired {
            diagnostics.note("[\(path)] is missing: write it", line: line)
        }
        return inner(key, path, nil, [:], isPresent: false)
    }

    /// The tables `[[key]]` in order; none if they are absent.
    package func tables(_ key: String) -> [SettingsTable] {
        diagnostics.ask(key, as: .tables, of: record)
        let path = joined(record.path, key)
        guard let node = record.members[key] else { return [] }
        if case .reported = node.value { return [] }
        guard case .array(let elements) = node.value else {
            diagnostics.note(
                "\(path) is \(node.value.shownWithType): write [[\(path)]], with two brackets", line: node.line)
            return []
        }
        return elements.enumerated().compactMap { index, element in
            if case .table(let members) = element.value {
                return inner("\(key)[\(index)]", path, element.line, members)
            }
            diagnostics.note(
                "\(path) has \(element.value.shownWithType): write tables, [[\(path)]]", line: element.line)
            return nil
        }
    }

    private func inner(
        _ step: String, _ path: String, _ line: Int?, _ members: [String: SettingsNode], isPresent: Bool = true
    ) -> SettingsTable {
        let place = joined(place, step)
        let record = diagnostics.record(of: place, path: path, line: line, members: members)
        return SettingsTable(record, in: diagnostics, place: place, isPresent: isPresent)
    }

    // MARK: The common part of all getters

    enum Outcome<Result> {
        case right(Result)
        case wrong
        case wrongType
    }

    /// Reads the value of `key`; records a problem if it is invalid. `expected` describes valid values and follows the
    /// word "write".
    func read<Result>(
        _ key: String, _ expected: String, asText: Bool = false, _ outcome: (SettingsValue) -> Outcome<Result>
    ) -> Result? {
        diagnostics.ask(key, as: .value, of: record)
        guard let node = record.members[key] else {
            if isRequired { note(key, "is missing: write \(expected)") }
            return nil
        }
        if case .reported = node.value { return nil }
        var found: String
        switch outcome(node.value) {
        case .right(let result): return result
        case .wrong: found = node.value.shown
        case .wrongType: found = node.value.shownWithType
        }
        if asText, case .unreadable(let raw, "") = node.value, !raw.isEmpty, !isQuote(raw.utf8.first) {
            found += " without quotes"
        }
        diagnostics.note("\(joined(record.path, key)) is \(found): write \(expected)", line: node.line)
        return nil
    }
}

private func isQuote(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

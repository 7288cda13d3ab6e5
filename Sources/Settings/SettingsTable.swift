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
        note(key, Self.unknown(name, as: what, among: names))
    }

    /// The words behind a key that names something that does not exist.
    package static func unknown(_ name: String, as what: String, among names: [String]) -> String {
        let instead =
            nearest(to: name, among: names).map { "did you mean \(quoted($0))?" }
            ?? "write such a table, or another name"
        return "has \(quoted(name)), of which there is no \(what): \(instead)"
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

    // MARK: Scalars

    /// The longest name of an item or a region, in bytes of UTF-8. Requests have the same limit.
    package static let longestName = 256
    /// The longest text of a notification or a region, in bytes of UTF-8. Requests have the same limit.
    package static let longestText = 1000

    /// Reads a number without a fraction within `range`.
    ///
    /// - Parameter accepted: what is also valid, and no longer recommended.
    package func integer(_ key: String, in range: ClosedRange<Int>, accepted: ClosedRange<Int>? = nil) -> Int? {
        read(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            guard case .integer(let number) = value else { return .wrongType }
            return (accepted ?? range).contains(number) ? .right(number) : .wrong
        }
    }

    /// Reads a number with or without a fraction within `range`.
    package func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
        read(key, "a number from \(shortened(range.lowerBound)) to \(shortened(range.upperBound))") { value in
            guard let number = value.number else { return .wrongType }
            return range.contains(number) ? .right(number) : .wrong
        }
    }

    /// Reads `true` or `false`.
    package func boolean(_ key: String) -> Bool? {
        read(key, "true or false, without quotes") { value in
            guard case .boolean(let isTrue) = value else { return .wrongType }
            return .right(isTrue)
        }
    }

    /// Reads a text for people: 1 to `limit` bytes, not only spaces and what is not displayed, without control characters.
    package func text(_ key: String, limit: Int = longestName) -> String? {
        parsed(key, "a text of 1 to \(limit) bytes in quotes, without control characters") { text in
            text.isForPeople(limit: limit) ? text : nil
        }
    }

    /// Reads a text with `parse`; `expected` describes the valid texts and follows the word "write".
    package func parsed<Result>(_ key: String, _ expected: String, by parse: (String) -> Result?) -> Result? {
        read(key, expected, asText: true) { value in
            guard case .text(let text) = value else { return .wrongType }
            return parse(text).map { .right($0) } ?? .wrong
        }
    }

    package func word<Word: RawRepresentable & CaseIterable>(_ key: String, of type: Word.Type) -> Word?
    where Word.RawValue == String {
        parsed(key, "one of " + Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")) {
            Word(rawValue: $0)
        }
    }

    /// Reads a duration within `range` from a text with a unit: `"500ms"`, `"30s"`, `"5m"`, `"2h"`.
    package func duration(_ key: String, in range: ClosedRange<Interval>) -> Interval? {
        parsed(key, expectedDuration(range)) { text in
            Interval(duration: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Reads a UUID in the notation of RFC 4122, in either case, or its 32 digits without hyphens.
    package func uuid(_ key: String) -> BeaconUUID? {
        parsed(key, "32 hexadecimal digits like \"f7826da6-4fa2-4e98-8024-bc5b71e0893e\"") { BeaconUUID(written: $0) }
    }

    /// Reads an id in the form of topics: `[a-z0-9][a-z0-9_.-]{0,63}`.
    package func id(_ key: String) -> String? {
        parsed(key, "1 to 64 of a-z, 0-9, \"-\", \"_\", \".\", the first a letter or digit, like \"kitchen-2\"") {
            isValidID($0) ? $0 : nil
        }
    }

    /// Reads a path; a relative path starts at the configuration file's folder.
    package func path(_ key: String) -> String? {
        parsed(key, "a path in quotes") { text in
            guard !text.isEmpty, !text.unicodeScalars.contains(where: isControl) else { return nil }
            noteFile(key, resolved(text))
            return resolved(text)
        }
    }

    /// Records that the value of `key` names a file or a program.
    package func noteFile(_ key: String, _ path: String, isProgram: Bool = false) {
        diagnostics.files.append(
            NamedFile(key: joined(record.path, key), line: line(of: key), path: path, isProgram: isProgram))
    }

    /// Reads a program and its arguments, which no shell interprets.
    package func command(_ key: String) -> [String]? {
        let words = elements(
            key,
            "an array of 1 to 64 texts, the program and its arguments, like [\"/usr/bin/logger\", \"-t\", \"keys\"]",
            count: 1...64, nonEmptyText)
        if let program = words?.first { noteFile(key, program, isProgram: true) }
        return words
    }

    /// The path to open; a relative path starts at the configuration file's folder.
    package func resolved(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }

    /// Reads the URL of a server or of a page, without the slash at its end. It has no user, because configurations are shown and copied.
    package func url(_ key: String) -> String? {
        parsed(key, "a URL like \"https://example.org\", without a user, \"?\", \"#\" and blanks") { text in
            guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.utf8.count <= Self.longestName,
                text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"@?#\"\\<>^`{|}".utf8.contains($0) }),
                text.split(separator: "/", omittingEmptySubsequences: false)[2...].first?.isEmpty == false
            else { return nil }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }

    /// Reads a time in RFC 3339, as a text or as TOML's date and time, with an offset from UTC.
    package func wallTime(_ key: String) -> WallTime? {
        read(key, "a moment like \"2026-11-21T05:40:00Z\"", asText: true) { value in
            switch value {
            case .text(let text), .moment(let text): WallTime(text).map { .right($0) } ?? .wrong
            default: .wrongType
            }
        }
    }

    /// Reads a time of day on the local clock: `"07:00"`.
    package func timeOfDay(_ key: String) -> TimeOfDay? {
        parsed(key, "a time of day like \"07:00\"") { TimeOfDay($0) }
    }

    // MARK: Arrays

    /// Whether the value of `key` is an array, for keys that accept one value or several.
    func hasArray(_ key: String) -> Bool {
        if case .array? = record.members[key]?.value { true } else { false }
    }

    /// Reads non-empty texts; `count` limits their number.
    package func texts(_ key: String, count: ClosedRange<Int>) -> [String]? {
        elements(key, "an array of \(phrase(count)) texts in quotes", count: count, nonEmptyText)
    }

    private func nonEmptyText(_ value: SettingsValue) -> String? {
        guard case .text(let text) = value, !text.isEmpty else { return nil }
        return text
    }

    /// Reads numbers within `range`; `count` limits their number.
    package func numbers(_ key: String, count: ClosedRange<Int>, in range: ClosedRange<Double>) -> [Double]? {
        elements(key, "an array of \(phrase(count)) numbers\(phrase(range))", count: count) { value in
            value.number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Reads pairs of numbers within `range`, such as the corners of a polygon; `count` limits their number.
    package func pairs(_ key: String, count: ClosedRange<Int>, in range: ClosedRange<Double>) -> [(Double, Double)]? {
        elements(key, "an array of \(phrase(count)) pairs of numbers\(phrase(range))", count: count) { value in
            guard case .array(let pair) = value, pair.count == 2,
                let first = pair[0].value.number, let second = pair[1].value.number,
                range.contains(first), range.contains(second)
            else { return nil }
            return (first, second)
        }
    }

    // The problem names the first invalid element with its line.
    func elements<Element>(
        _ key: String, _ expected: String, count: ClosedRange<Int>, _ read: (SettingsValue) -> Element?
    ) -> [Element]? {
        var fault: SettingsNode?
        var found: Int?
        let elements: [Element]? = self.read(key, expected) { value in
            guard case .array(let nodes) = value else { return .wrongType }
            let elements = nodes.map { (node: $0, element: read($0.value)) }
            fault = elements.first { $0.element == nil }?.node
            found = count.contains(nodes.count) ? nil : nodes.count
            return .right(elements.compactMap(\.element))
        }
        let path = joined(record.path, key)
        if let fault {
            diagnostics.note("\(path) has \(fault.value.shownWithType): write \(expected)", line: fault.line)
        } else if let found {
            note(key, "has \(found) element\(found == 1 ? "" : "s"): write \(expected)")
        } else {
            return elements
        }
        return nil
    }
}

private func isQuote(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

/// The description of a duration within `range`, which follows the word "write".
func expectedDuration(_ range: ClosedRange<Interval>) -> String {
    "a duration from \"\(range.lowerBound.duration)\" to \"\(range.upperBound.duration)\" (with ms, s, m, h or d)"
}

extension SettingsValue {
    /// The value of an integer or real number.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}

private func phrase(_ count: ClosedRange<Int>) -> String {
    if count.count == 1 { return String(count.lowerBound) }
    return count.count == 2
        ? "\(count.lowerBound) or \(count.upperBound)" : "\(count.lowerBound) to \(count.upperBound)"
}

private func phrase(_ range: ClosedRange<Double>) -> String {
    " from \(shortened(range.lowerBound)) to \(shortened(range.upperBound))"
}

extension String {
    /// Whether the text has 1 to `limit` bytes, something that is displayed, and no control character.
    package func isForPeople(limit: Int = SettingsTable.longestName) -> Bool {
        utf8.count <= limit && !isBlank && !unicodeScalars.contains(where: isControl)
    }
}

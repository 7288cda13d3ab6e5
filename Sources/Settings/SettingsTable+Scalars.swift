import Beacons

extension SettingsTable {
    /// The longest name of an item or a region, in bytes of UTF-8. Requests have the same limit.
    package static let longestName = 256
    /// The longest text of a notification or a region, in bytes of UTF-8. Requests have the same limit.
    package static let longestText = 1000

    /// Reads a number without a fraction within `range`.
    package func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        read(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            guard case .integer(let number) = value else { return .wrongType }
            return range.contains(number) ? .right(number) : .wrong
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
            guard text.utf8.count <= limit, !text.isBlank,
                !text.unicodeScalars.contains(where: isControl)
            else { return nil }
            return text
        }
    }

    /// Reads a text with `parse`; `expected` describes the valid texts and follows the word "write".
    package func parsed<Result>(_ key: String, _ expected: String, by parse: (String) -> Result?) -> Result? {
        read(key, expected, asText: true) { value in
            guard case .text(let text) = value else { return .wrongType }
            return parse(text).map { .right($0) } ?? .wrong
        }
    }

    /// Reads one of the words of `Word`.
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
            diagnostics.paths.append(resolved(text))
            return resolved(text)
        }
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
}

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

extension String {
    /// Whether nobody sees the text: it is empty, or has only spaces and characters that are not displayed.
    package var isBlank: Bool {
        unicodeScalars.allSatisfy {
            let properties = $0.properties
            return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
                || properties.generalCategory == .format
        }
    }
}

/// What stands at one place of a configuration file, and in which line.
struct SettingsNode {
    var value: SettingsValue
    var line: Int
}

/// A TOML value, or what stands where one should.
enum SettingsValue {
    case text(String)
    case integer(Int)
    case real(Double)
    case boolean(Bool)
    /// A date, a time, or both without a place on the globe: no setting is one of them. The string says which.
    case date(String)
    /// A moment, as RFC 3339 writes it.
    case moment(String)
    case array([SettingsNode])
    case table([String: SettingsNode])
    /// No TOML: the text as it stands in the file, and why, as it follows the text; empty where the quotes may be missing. It is reported by
    /// whoever asks for it, who knows what should stand there.
    case unreadable(String, because: String)
    /// No TOML, and reported already.
    case reported
}

extension SettingsValue {
    /// Whether it is a table, or several.
    var isTable: Bool {
        switch self {
        case .table: true
        case .array(let elements): elements.first?.value.isTable ?? false
        default: false
        }
    }

    /// The value where its type is right and its content is not: `99999`, `"hourly"`.
    var shown: String {
        switch self {
        case .text(let text): quoted(text)
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let value): String(value)
        case .date(let kind): kind
        case .moment(let text): text
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array"
        case .table: "a table"
        case .unreadable(let raw, let reason): raw.isEmpty ? "empty" : abbreviated(raw) + reason
        case .reported: "reported"
        }
    }

    /// The value where its type is wrong, with the type: `the text "1883"`, `the number 5`.
    var shownWithType: String {
        switch self {
        case .text: "the text \(shown)"
        case .integer, .real: "the number \(shown)"
        case .boolean: "the boolean \(shown)"
        case .moment: "the date and time \(shown)"
        default: shown
        }
    }
}

/// The text in quotes, on one line and of bounded length, for a sentence.
func quoted(_ text: String) -> String {
    "\"" + abbreviated(text) + "\""
}

/// At most `limit` characters of the text, control characters as question marks.
func abbreviated(_ text: String, to limit: Int = 60) -> String {
    let scalars = text.unicodeScalars.prefix(limit + 1).map { isControl($0) ? "?" : Character($0) }
    return scalars.count > limit ? String(scalars.prefix(limit - 3)) + "..." : String(scalars)
}

/// A key as TOML writes it: in quotes where it has to be.
func keyShown(_ key: String) -> String {
    !key.isEmpty && key.utf8.allSatisfy(isBare) ? abbreviated(key) : quoted(key)
}

/// Whether a terminal would not show it as a character of one line: C0, C1, DEL, and Unicode's separators and bidirectional overrides.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    default: false
    }
}

/// A number as people write it: `4`, not `4.0`.
func shortened(_ number: Double) -> String {
    let text = String(number)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

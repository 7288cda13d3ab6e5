/// A value of a configuration file with its line.
struct SettingsNode {
    var value: SettingsValue
    var line: Int
}

/// A TOML value, or invalid text in its place.
enum SettingsValue {
    case text(String)
    case integer(Int)
    case real(Double)
    case boolean(Bool)
    /// A date, a time, or both without an offset; no setting has this type. The string describes it.
    case date(String)
    /// A time with an offset, in RFC 3339.
    case moment(String)
    case array([SettingsNode])
    case table([String: SettingsNode])
    /// Invalid text, and why it is invalid, as it follows the text in a sentence; empty if quotes may be missing. The
    /// getter reports it, because the getter knows what is valid.
    case unreadable(String, because: String)
    /// Invalid text that was already reported.
    case reported

    var isTable: Bool {
        switch self {
        case .table: true
        case .array(let elements): elements.first?.value.isTable ?? false
        default: false
        }
    }

    /// The value of a correct type, for a sentence: `99999`, `"hourly"`.
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

    /// The value of a wrong type, for a sentence: `the text "1883"`, `the number 5`.
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

/// The text in quotes for a sentence, in one line of limited length.
func quoted(_ text: String) -> String {
    "\"" + abbreviated(text) + "\""
}

/// At most `limit` characters of the text, with question marks for control characters.
func abbreviated(_ text: String, to limit: Int = 60) -> String {
    let scalars = text.unicodeScalars.prefix(limit + 1).map { isControl($0) ? "?" : Character($0) }
    return scalars.count > limit ? String(scalars.prefix(limit - 3)) + "..." : String(scalars)
}

/// A key in TOML's notation, with quotes if necessary.
func keyShown(_ key: String) -> String {
    !key.isEmpty && key.utf8.allSatisfy(isBare) ? abbreviated(key) : quoted(key)
}

/// Whether a terminal would not show the scalar as a character: C0, C1, DEL, and Unicode's separators and bidirectional
/// overrides.
package func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    default: false
    }
}

/// A number without a superfluous fraction: `4`, not `4.0`.
func shortened(_ number: Double) -> String {
    let text = String(number)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

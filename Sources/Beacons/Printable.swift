/// Returns `text` with U+FFFD in place of each control character, line separator and direction mark.
///
/// A beacon name, message or file that has passed `printable` cannot move a terminal's cursor, forge a line or reverse
/// a table.
public func printable(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(text) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isPrintable(scalar) ? scalar : "\u{FFFD}") }
    return String(result)
}

/// Whether a terminal may receive the scalar unchanged.
public func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029: false
    // Directional embeddings, overrides and isolates.
    case 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
}

/// `text` with each control character, line separator and change of writing direction replaced by U+FFFD, one for one.
///
/// No beacon's name, message or file can then move a terminal's cursor, forge a line or turn a table around.
public func printable(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(text) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isPrintable(scalar) ? scalar : "\u{FFFD}") }
    return String(result)
}

/// Whether a scalar may reach a terminal as it is: see `printable`.
public func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029: false
    // Embeddings, overrides and isolates of writing direction.
    case 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
}

import Beacons
import CUTF8Proc

/// The number of columns in which a terminal shows `text` after `printable`.
///
/// Combining marks take no column, East Asian wide characters two. A flag or an emoji of several scalars takes two, as
/// in terminals that support them.
package func displayWidth(of text: some StringProtocol) -> Int {
    if isPrintableASCII(text) { return text.utf8.count }
    return text.reduce(0) { $0 + columns(of: $1) }
}

/// The longest prefix of `text` in whole grapheme clusters that fits into `width` columns; a cut text ends in `…`.
package func truncated(_ text: String, to width: Int) -> String {
    guard displayWidth(of: text) > width else { return text }
    guard width > 0 else { return "" }
    var result = ""
    var used = 1
    for cluster in text {
        used += columns(of: cluster)
        guard used <= width else { break }
        result.append(cluster)
    }
    return result + "…"
}

/// The words of `text` in lines of at most `width` columns. A word that is longer has a line of its own.
package func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
        if let line = lines.last, displayWidth(of: line) + 1 + displayWidth(of: word) <= width {
            lines[lines.count - 1] += " \(word)"
        } else {
            lines.append(String(word))
        }
    }
    return lines
}

private func columns(of cluster: Character) -> Int {
    let scalars = cluster.unicodeScalars
    let first = scalars[scalars.startIndex]
    let rest = scalars.dropFirst()
    if isRegionalIndicator(first) { return rest.isEmpty ? 1 : 2 }
    if rest.contains("\u{FE0F}") { return 2 }
    if first.properties.isEmoji, rest.contains(where: joinsEmoji) { return 2 }
    return scalars.reduce(0) { $0 + columns(of: $1) }
}

/// The columns of one scalar; an unprintable scalar counts as its replacement.
private func columns(of scalar: Unicode.Scalar) -> Int {
    guard isPrintable(scalar) else { return 1 }
    switch scalar.value {
    // In Hangul written letter by letter, vowels and final consonants join the wide first letter; utf8proc gives them
    // a column each.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    default: return max(0, Int(utf8proc_charwidth(utf8proc_int32_t(scalar.value))))
    }
}

private func isPrintableASCII(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
}

/// Whether the scalar joins the preceding one into one picture: the zero-width joiner, a skin tone.
private func joinsEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200D}" || scalar.properties.isEmojiModifier
}

private func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
}

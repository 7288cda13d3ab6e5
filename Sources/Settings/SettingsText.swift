/// The text in TOML's notation, with quotes.
package func tomlText(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case _ where isControl(scalar):
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}

/// Returns a configuration file's text with `key` set to `value`, which is in TOML's notation. Everything else is
/// unchanged, including comments.
///
/// A line that already has the key is replaced, even if it is commented out. Otherwise a line is added to the table,
/// and the table if it is absent.
/// - Parameter table: `nil` is the top of the file.
package func setting(_ key: String, to value: String, in table: String? = nil, of text: String) -> String {
    var lines = lines(of: text)
    if lines.last == "" { lines.removeLast() }
    // A carriage return is the end of its line's text.
    let end = text.utf8.contains(UInt8(ascii: "\r")) ? "\r" : ""
    let line = "\(key) = \(value)\(end)"
    let place = table.map { name in lines.firstIndex { header($0) == name } }
    if let table, place == .some(nil) {
        if !lines.isEmpty { lines.append(end) }
        lines += ["[\(table)]\(end)", line]
        return lines.joined(separator: "\n") + "\n"
    }
    let start = place.flatMap { $0.map { $0 + 1 } } ?? 0
    // A header that is commented out also ends the previous table.
    let next = lines[start...].firstIndex { header($0) != nil || $0.hasPrefix("#[") } ?? lines.count
    let written = lines[start..<next].firstIndex { names(key, $0, commented: false) }
    if let place = written ?? lines[start..<next].firstIndex(where: { names(key, $0, commented: true) }) {
        lines[place] = line
    } else {
        // The line is inserted above the comments of the next table and the blank lines before them.
        var place = next
        if next < lines.count { while place > start, lines[place - 1].hasPrefix("#") { place -= 1 } }
        while place > start, lines[place - 1].allSatisfy(\.isWhitespace) { place -= 1 }
        lines.insert(line, at: place)
    }
    return lines.joined(separator: "\n") + "\n"
}

/// The text with `key` of the table commented out, wherever it is set.
package func withoutSetting(_ key: String, in table: String, of text: String) -> String {
    var isInside = false
    return lines(of: text).map { line in
        if let name = header(line) { isInside = name == table }
        return isInside && names(key, line, commented: false) ? "#" + line : line
    }.joined(separator: "\n")
}

private func names(_ key: String, _ line: String, commented: Bool) -> Bool {
    let text = line.drop(while: isBlank)
    guard text.hasPrefix("#") == commented else { return false }
    let rest = commented ? text.dropFirst() : text
    guard rest.hasPrefix(key) else { return false }
    return rest.dropFirst(key.count).first { !isBlank($0) } == "="
}

/// The name of the table that a line begins; `nil` if it begins none.
private func header(_ line: String) -> String? {
    let text = line.drop(while: isBlank)
    return text.hasPrefix("[") ? text.dropFirst().prefix { $0 != "]" }.filter { !isBlank($0) } : nil
}

/// Swift takes a carriage return and a newline for one character, which is no newline.
private func lines(of text: String) -> [String] {
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}

private func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

package func shellQuoted(_ text: String) -> String {
    isPlain(text, and: ".:/") && !text.isEmpty
        ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

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
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    let header = table.map { name in lines.firstIndex { $0.hasPrefix("[\(name)]") } }
    if let table, header == .some(nil) {
        if !lines.isEmpty { lines.append("") }
        lines += ["[\(table)]", "\(key) = \(value)"]
        return lines.joined(separator: "\n") + "\n"
    }
    let start = header.flatMap { $0.map { $0 + 1 } } ?? 0
    // A header that is commented out also ends the previous table.
    let end = lines[start...].firstIndex { $0.hasPrefix("[") || $0.hasPrefix("#[") } ?? lines.count
    let written = lines[start..<end].firstIndex { names(key, $0, commented: false) }
    if let place = written ?? lines[start..<end].firstIndex(where: { names(key, $0, commented: true) }) {
        lines[place] = "\(key) = \(value)"
    } else {
        // The line is inserted above the comments of the next table and the blank lines before them.
        var place = end
        if end < lines.count { while place > start, lines[place - 1].hasPrefix("#") { place -= 1 } }
        while place > start, lines[place - 1].isEmpty { place -= 1 }
        lines.insert("\(key) = \(value)", at: place)
    }
    return lines.joined(separator: "\n") + "\n"
}

/// The text with `key` of the table commented out, wherever it is set.
package func withoutSetting(_ key: String, in table: String, of text: String) -> String {
    var isInside = false
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        if line.hasPrefix("[") { isInside = line.hasPrefix("[\(table)]") }
        return isInside && names(key, String(line), commented: false) ? "#" + line : String(line)
    }
    return lines.joined(separator: "\n")
}

private func names(_ key: String, _ line: String, commented: Bool) -> Bool {
    guard line.hasPrefix("#") == commented else { return false }
    let rest = commented ? line.dropFirst() : line[...]
    guard rest.hasPrefix(key) else { return false }
    return rest.dropFirst(key.count).first { $0 != " " } == "="
}

package func shellQuoted(_ text: String) -> String {
    isPlain(text, and: ".:/") && !text.isEmpty
        ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

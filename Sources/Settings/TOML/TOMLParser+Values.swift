extension TOMLParser {
    /// Reads the value at the current position.
    mutating func value(depth: Int) throws(Mismatch) -> SettingsValue {
        guard depth <= Self.depthLimit else {
            throw mismatch("tables are nested too deeply: write at most \(Self.depthLimit) levels")
        }
        switch cursor.next {
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "{"): return try inlineTable(depth: depth)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let (start, line, column) = (cursor.position, cursor.line, cursor.column)
            switch string() {
            case .success(let text): return .text(text)
            case .failure(.open) where cursor.line > line:
                let text = "a text in three quotes begins here and is not closed: write three quotes where it ends"
                throw Mismatch(line: line, column: column, text: text, hidesTheRest: true)
            case .failure(.open):
                let quote = Character(Unicode.Scalar(cursor.bytes[start]))
                let text =
                    "the text \(abbreviated(cursor.text(from: start))) is not closed: write \(quote) where it ends"
                throw Mismatch(line: line, column: column, text: text)
            case .failure(.content(let what)): return .unreadable(cursor.text(from: start), because: " (\(what))")
            }
        default: return SettingsValue(scalar: readWord())
        }
    }

    private mutating func array(depth: Int) throws(Mismatch) -> SettingsValue {
        cursor.advance()
        var elements: [SettingsNode] = []
        while true {
            skipBlankLines()
            if cursor.accept("]") { return .array(elements) }
            let (line, start) = (cursor.line, cursor.position)
            elements.append(SettingsNode(value: try value(depth: depth + 1), line: line))
            let isEmpty = cursor.position == start
            skipBlankLines()
            guard !isEmpty, cursor.accept(",") || cursor.next == UInt8(ascii: "]") else {
                throw mismatch(
                    "an array ends here without its closing bracket: write \"]\", or a comma before the next element")
            }
        }
    }

    // TOML 1.0 requires an inline table to be on one line, without a trailing comma.
    private mutating func inlineTable(depth: Int) throws(Mismatch) -> SettingsValue {
        let table = TOMLTable(.header, line: cursor.line)
        cursor.advance()
        cursor.skipSpaces()
        if cursor.accept("}") { return table.node.value }
        repeat {
            let line = cursor.line
            guard let key = key(), cursor.accept("=") else { break }
            cursor.skipSpaces()
            let node = SettingsNode(value: try value(depth: depth + key.count), line: line)
            do {
                try table.insert(node, at: key, section: 0)
            } catch {
                note(
                    "\(error.path.map(keyShown).joined(separator: ".")) stands twice in one table: remove one of the two",
                    line: line)
            }
            cursor.skipSpaces()
            if cursor.accept("}") { return table.node.value }
        } while cursor.accept(",")
        throw mismatch(
            "a table in braces ends here without its closing brace: write { key = value, key = value } on one line")
    }

    // Reads a number, a word or a date up to the end of the value, without trailing spaces.
    private mutating func readWord() -> String {
        let start = cursor.position
        var end = start
        while !cursor.isAtLineEnd, let byte = cursor.next, !",]}#".utf8.contains(byte) {
            cursor.advance()
            if byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") { end = cursor.position }
        }
        return String(decoding: cursor.bytes[start..<end], as: UTF8.self)
    }
}

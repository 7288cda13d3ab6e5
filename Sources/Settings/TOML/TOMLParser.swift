/// Reads TOML 1.0. Behind a mistake, it continues where it can determine the end of the mistake.
///
/// This project has its own parser because toml++ 3.4.0 in TOMLKit 0.6.0 aborts the process on `[[[` and on `a =
/// 1979-05-27tx`. That parser also stops at the first mistake, and its values have no line.
struct TOMLParser {
    /// A mistake that leaves the end of a value unknown.
    struct Mismatch: Error {
        var line: Int
        var column: Int
        var text: String
        /// Whether all following text may belong to the value.
        var hidesTheRest = false
    }

    var cursor: TextCursor
    private(set) var problems: [SettingsProblem] = []
    private let file: String
    private let root = TOMLTable(.header, line: 0)
    private var path: [String] = []
    /// The table for the next keys; `nil` under an invalid header, whose keys cannot be checked.
    private var table: TOMLTable?
    private var section = 0

    /// The limit of nested tables and arrays, which bounds the recursion.
    static let depthLimit = 64

    init(_ bytes: [UInt8], file: String) {
        cursor = TextCursor(bytes)
        self.file = file
        table = root
    }

    /// Reads to the end; `nil` if a mistake makes the meaning of the rest unknown.
    mutating func parse() -> SettingsNode? {
        while true {
            skipBlankLines()
            if cursor.isAtEnd { return root.node }
            let line = cursor.line
            do throws(Mismatch) {
                try parseLine()
            } catch {
                note(error)
                guard !error.hidesTheRest, findNextStatement(after: line) else { return nil }
            }
        }
    }

    private mutating func parseLine() throws(Mismatch) {
        if cursor.next == UInt8(ascii: "[") { return parseHeader() }
        let line = cursor.line
        guard let key = key(), !key.isEmpty else {
            note("this line begins with no key: write key = value", line: line)
            return cursor.skipLine()
        }
        let value: SettingsValue
        do throws(Mismatch) {
            value = try assignedValue(depth: path.count + key.count)
        } catch {
            insert(SettingsNode(value: .reported, line: line), at: key)
            throw error
        }
        insert(SettingsNode(value: value, line: line), at: key)
    }

    // The text behind a key. Further text on the line belongs to the value, so that the problem can quote all of it:
    // `1 b = 2`, `"x" y`.
    private mutating func assignedValue(depth: Int) throws(Mismatch) -> SettingsValue {
        guard cursor.accept("=") else {
            return .unreadable(cursor.readRestOfLine(), because: " without an equals sign")
        }
        cursor.skipSpaces()
        let start = cursor.position
        let value = try value(depth: depth)
        let text = cursor.text(from: start)
        let rest = cursor.readRestOfLine()
        return rest.isEmpty ? value : .unreadable(text.isEmpty ? rest : text + " " + rest, because: "")
    }

    private mutating func insert(_ node: SettingsNode, at key: [String]) {
        do {
            try table?.insert(node, at: key, section: section)
        } catch {
            let path = (path + error.path).map(keyShown).joined(separator: ".")
            note("\(path) stands twice, first in line \(error.line): remove one of the two", line: node.line)
        }
    }

    // [table] and [[table]]
    private mutating func parseHeader() {
        let line = cursor.line
        section += 1
        var unclosed = self
        guard let (key, again) = header() else {
            let text =
                unclosed.closedHeader().map { "this table's header is not closed: write \($0)" }
                ?? "this is no table's header: write [name], or [[name]] for one of several"
            note(text, line: line)
            table = nil
            return cursor.skipLine()
        }
        path = key
        do {
            table = try again ? root.append(key, line: line) : root.open(key, line: line)
        } catch {
            table = nil
            let path = error.path.map(keyShown).joined(separator: ".")
            note("[\(path)] stands twice, first in line \(error.line): write its keys under one header", line: line)
        }
    }

    // A whole line.
    private mutating func header() -> (key: [String], again: Bool)? {
        guard cursor.accept("[") else { return nil }
        let again = cursor.accept("[")
        guard let key = key(), again ? cursor.accept("]]") : cursor.accept("]") else { return nil }
        return cursor.readRestOfLine().isEmpty ? (key, again) : nil
    }

    // The header of a line that lacks nothing but closing brackets, with these.
    private mutating func closedHeader() -> String? {
        guard cursor.accept("[") else { return nil }
        let again = cursor.accept("[")
        guard let key = key() else { return nil }
        let rest = cursor.readRestOfLine()
        guard rest.isEmpty || again && rest == "]" else { return nil }
        let name = key.map(keyShown).joined(separator: ".")
        return again ? "[[\(name)]]" : "[\(name)]"
    }

    // Behind an unclosed bracket, reading continues at the line that shows it if that begins like a statement,
    // otherwise at the next.
    private mutating func findNextStatement(after line: Int) -> Bool {
        if cursor.isAtEnd { return true }
        if cursor.line > line { cursor.returnToLineStart() } else { cursor.skipLine() }
        skipBlankLines()
        var probe = self
        if cursor.isAtEnd || probe.header() != nil { return true }
        probe = self
        return probe.key() != nil && probe.cursor.accept("=")
    }

    // MARK: Problems, and the text between statements

    private mutating func note(_ mismatch: Mismatch) {
        problems.append(SettingsProblem(file: file, line: mismatch.line, column: mismatch.column, text: mismatch.text))
    }

    mutating func note(_ text: String, line: Int) {
        problems.append(SettingsProblem(file: file, line: line, text: text))
    }

    func mismatch(_ text: String) -> Mismatch {
        Mismatch(line: cursor.line, column: cursor.column, text: text)
    }

    /// Skips spaces, line ends and comments.
    mutating func skipBlankLines() {
        while true {
            cursor.skipSpaces()
            if cursor.next == UInt8(ascii: "#") { skipComment() }
            guard cursor.accept("\r\n") || cursor.accept("\n") else { return }
        }
    }

    private mutating func skipComment() {
        let (line, start) = (cursor.line, cursor.position)
        cursor.skipLine()
        if cursor.bytes[start..<cursor.position].contains(where: isForbidden) {
            note("this comment has a control character: leave it out", line: line)
        }
    }

    /// Whether a byte is forbidden in texts: a control character other than a tab.
    func isForbidden(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    // MARK: Values

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

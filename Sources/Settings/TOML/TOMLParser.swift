/// Reads TOML 1.0, and goes on behind a mistake where it can tell what belongs to it.
///
/// Why one of our own: toml++ 3.4.0, which is inside of TOMLKit 0.6.0, aborts the process on `[[[` and on `a = 1979-05-27tx`, stops at the
/// first mistake, and its values know no line.
struct TOMLParser {
    /// What leaves it open where a value ends.
    struct Mismatch: Error {
        var line: Int
        var column: Int
        var text: String
        /// Whether all that follows may belong to it.
        var hidesTheRest = false
    }

    var cursor: TextCursor
    private(set) var problems: [SettingsProblem] = []
    private let file: String
    private let root = TOMLTable(.header, line: 0)
    private var path: [String] = []
    /// Where keys go; `nil` under a header that is wrong, whose keys nobody can judge.
    private var table: TOMLTable?
    private var section = 0

    /// So deep may tables and arrays be nested: a bound for our own recursion.
    static let depthLimit = 64

    init(_ bytes: [UInt8], file: String) {
        cursor = TextCursor(bytes)
        self.file = file
        table = root
    }

    /// Reads to the end; `nil` where a mistake leaves it open what the rest means.
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

    // What follows the key. What follows the value on its line belongs to it, so that the whole can be named: `1 b = 2`, `"x" y`.
    private mutating func assignedValue(depth: Int) throws(Mismatch) -> SettingsValue {
        guard cursor.take("=") else { return .unreadable(cursor.takeRestOfLine(), because: " without an equals sign") }
        cursor.skipSpaces()
        let start = cursor.position
        let value = try value(depth: depth)
        let text = cursor.text(from: start)
        let rest = cursor.takeRestOfLine()
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
        guard let (key, again) = header() else {
            note("this is no table's header: write [name], or [[name]] for one of several", line: line)
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
        guard cursor.take("[") else { return nil }
        let again = cursor.take("[")
        guard let key = key(), again ? cursor.take("]]") : cursor.take("]") else { return nil }
        return cursor.takeRestOfLine().isEmpty ? (key, again) : nil
    }

    // Behind a bracket that is not closed: at the line that shows it, if that begins like a statement, or at the next.
    private mutating func findNextStatement(after line: Int) -> Bool {
        if cursor.isAtEnd { return true }
        if cursor.line > line { cursor.returnToLineStart() } else { cursor.skipLine() }
        skipBlankLines()
        var probe = self
        if cursor.isAtEnd || probe.header() != nil { return true }
        probe = self
        return probe.key() != nil && probe.cursor.take("=")
    }
}

// Noting, and what stands between statements.
extension TOMLParser {
    private mutating func note(_ mismatch: Mismatch) {
        problems.append(SettingsProblem(file: file, line: mismatch.line, column: mismatch.column, text: mismatch.text))
    }

    mutating func note(_ text: String, line: Int) {
        problems.append(SettingsProblem(file: file, line: line, text: text))
    }

    func mismatch(_ text: String) -> Mismatch {
        Mismatch(line: cursor.line, column: cursor.column, text: text)
    }

    /// Moves over spaces, line ends and comments.
    mutating func skipBlankLines() {
        while true {
            cursor.skipSpaces()
            if cursor.next == UInt8(ascii: "#") { skipComment() }
            guard cursor.take("\r\n") || cursor.take("\n") else { return }
        }
    }

    private mutating func skipComment() {
        let (line, start) = (cursor.line, cursor.position)
        cursor.skipLine()
        if cursor.bytes[start..<cursor.position].contains(where: isForbidden) {
            note("this comment has a control character: leave it out", line: line)
        }
    }

    /// Whether a byte may stand in no text: a control character but a tab.
    func isForbidden(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }
}

/// Why a file of comma-separated values was refused: the line, counted from 1, and a sentence.
package struct MalformedRow: Error, Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1, the heading included.
    package var line: Int
    /// What is wrong with it, and what it should be.
    package var reason: String

    /// `line 3: …`
    package var description: String { "line \(line): \(reason)" }
}

/// The rows of a comma-separated file: no quotes, fields trimmed, LF or CRLF, empty lines skipped.
struct CommaSeparated: Sequence, IteratorProtocol {
    /// Beyond the year 2096 and before its mirror: no recording has such a time, and arithmetic with it stays far from overflow.
    static let furthest: Int64 = 4_000_000_000_000

    private var rest: Substring.UTF8View
    private var line = 0

    init(_ text: String) {
        var text = Substring(text)
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        rest = text.utf8
    }

    /// The next line that is not empty.
    mutating func next() -> (line: Int, fields: [Substring])? {
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let row = rest[..<end]
            rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
            line += 1
            let fields = row.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { Self.trimmed($0) }
            if fields.count > 1 || fields.first?.isEmpty == false { return (line, fields) }
        }
        return nil
    }

    /// Milliseconds, as a whole number within `furthest`.
    static func milliseconds(_ field: Substring, line: Int) throws(MalformedRow) -> Int64 {
        guard let value = Int64(field), (-furthest...furthest).contains(value) else {
            throw MalformedRow(line: line, reason: "t_ms is '\(field)', and should be a whole number of milliseconds")
        }
        return value
    }

    private static func trimmed(_ field: Substring.UTF8View.SubSequence) -> Substring {
        func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
        var field = field
        while let first = field.first, isBlank(first) { field.removeFirst() }
        while let last = field.last, isBlank(last) { field.removeLast() }
        return Substring(field)
    }
}

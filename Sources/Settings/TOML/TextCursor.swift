/// A position in a text, which moves towards the end and counts the lines.
struct TextCursor {
    let bytes: [UInt8]
    private(set) var position = 0
    private(set) var line = 1
    private var lineStart = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }  // a byte order mark
        lineStart = position
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The next byte; `nil` at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The column of the next byte, from 1, in Unicode scalars.
    var column: Int { 1 + bytes[lineStart..<position].count { $0 & 0xC0 != 0x80 } }

    var isAtLineEnd: Bool {
        switch next {
        case nil, UInt8(ascii: "\n"): true
        case UInt8(ascii: "\r"): position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n")
        default: false
        }
    }

    func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    /// Consumes one byte, if there is one.
    mutating func advance() {
        guard let byte = next else { return }
        position += 1
        if byte == UInt8(ascii: "\n") {
            line += 1
            lineStart = position
        }
    }

    /// Consumes `count` bytes, or the remaining ones.
    mutating func advance(_ count: Int) {
        for _ in 0..<count { advance() }
    }

    /// Consumes `text` if it is next; returns whether it was.
    mutating func accept(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        advance(text.utf8CodeUnitCount)
        return true
    }

    /// Consumes bytes as long as they are `included`.
    mutating func skip(while included: (UInt8) -> Bool) {
        while let byte = next, included(byte) { advance() }
    }

    mutating func skipSpaces() {
        skip { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Moves to the end of the line, before the line end.
    mutating func skipLine() {
        while !isAtLineEnd { position += 1 }
    }

    mutating func returnToLineStart() {
        position = lineStart
    }

    /// Moves to the comment or the end of the line, and returns the text before it without surrounding spaces.
    mutating func readRestOfLine() -> String {
        skipSpaces()
        let start = position
        var end = position
        while !isAtLineEnd, let byte = next, byte != UInt8(ascii: "#") {
            advance()
            if byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") { end = position }
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}

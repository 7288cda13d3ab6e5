import Beacons

extension TOMLParser {
    enum TextFault: Error {
        /// The closing quote is missing.
        case open
        /// A character or an escape is not allowed, for this reason.
        case content(String)
    }

    /// The part of a text that was read, and its first fault.
    private struct Draft {
        var bytes: [UInt8] = []
        var fault: TextFault?

        mutating func note(_ what: String) { fault = fault ?? .content(abbreviated(what, to: 100)) }

        var result: Result<String, TextFault> {
            fault.map { .failure($0) } ?? .success(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Reads a text of any of the four kinds. An unclosed text on one line ends with the line.
    mutating func string() -> Result<String, TextFault> {
        if cursor.accept("\"\"\"") { return longString("\"\"\"", escapes: true) }
        if cursor.accept("'''") { return longString("'''", escapes: false) }
        let escapes = cursor.next == UInt8(ascii: "\"")
        cursor.advance()
        var draft = Draft()
        while !cursor.isAtLineEnd, let byte = cursor.next {
            if escapes ? cursor.accept("\"") : cursor.accept("'") { return draft.result }
            if escapes, byte == UInt8(ascii: "\\") {
                readEscape(into: &draft)
            } else {
                append(byte, into: &draft)
            }
        }
        return .failure(.open)
    }

    private mutating func longString(_ quotes: StaticString, escapes: Bool) -> Result<String, TextFault> {
        var draft = Draft()
        _ = acceptLineEnd()
        while let byte = cursor.next {
            if cursor.accept(quotes) {
                // Up to two further quotes belong to the content.
                for _ in 0..<2 where cursor.next == byte { append(byte, into: &draft) }
                return draft.result
            }
            if escapes, byte == UInt8(ascii: "\\") {
                if !acceptFoldedLineEnd() { readEscape(into: &draft) }
            } else if acceptLineEnd() {
                draft.bytes.append(UInt8(ascii: "\n"))
            } else {
                append(byte, into: &draft)
            }
        }
        return .failure(.open)
    }

    private mutating func append(_ byte: UInt8, into draft: inout Draft) {
        if isForbidden(byte) { draft.note("a control character is written as \\u0000 to \\u001F") }
        draft.bytes.append(byte)
        cursor.advance()
    }

    // A line end of either kind is a line feed in the text.
    private mutating func acceptLineEnd() -> Bool {
        cursor.accept("\r\n") || cursor.accept("\n")
    }

    // A backslash at the end of a line removes all following white space.
    private mutating func acceptFoldedLineEnd() -> Bool {
        var probe = cursor
        probe.advance()
        probe.skipSpaces()
        guard probe.isAtLineEnd, !probe.isAtEnd else { return false }
        cursor = probe
        while acceptLineEnd() { cursor.skipSpaces() }
        return true
    }

    private mutating func readEscape(into draft: inout Draft) {
        let start = cursor.position
        cursor.advance()
        let letter = cursor.isAtLineEnd ? nil : cursor.next
        if letter != nil { cursor.advance() }
        switch letter {
        case UInt8(ascii: "b"): draft.bytes.append(8)
        case UInt8(ascii: "t"): draft.bytes.append(9)
        case UInt8(ascii: "n"): draft.bytes.append(10)
        case UInt8(ascii: "f"): draft.bytes.append(12)
        case UInt8(ascii: "r"): draft.bytes.append(13)
        case UInt8(ascii: "\""): draft.bytes.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): draft.bytes.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "u"): readScalar(digits: 4, into: &draft)
        case UInt8(ascii: "U"): readScalar(digits: 8, into: &draft)
        default: draft.note("\(cursor.text(from: start)) is no escape, a backslash is written as \\\\")
        }
    }

    private mutating func readScalar(digits: Int, into draft: inout Draft) {
        let code = cursor.bytes[cursor.position...].prefix(digits)
        guard code.count == digits, code.allSatisfy({ hexadecimalValue(of: $0) != nil }),
            let scalar = UInt32(String(decoding: code, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
        else { return draft.note("\\u takes four hexadecimal digits of a character, \\U eight") }
        cursor.advance(digits)
        draft.bytes += Array(String(scalar).utf8)
    }

    // MARK: Keys

    /// Reads the parts of a key with surrounding spaces: `a`, `a.b`, `"a b".c`; `nil` if there is none or it is nested
    /// too deeply.
    mutating func key() -> [String]? {
        var parts: [String] = []
        repeat {
            cursor.skipSpaces()
            guard let part = keyPart(), parts.count < Self.depthLimit else { return nil }
            parts.append(part)
            cursor.skipSpaces()
        } while cursor.accept(".")
        return parts
    }

    private mutating func keyPart() -> String? {
        if cursor.starts(with: "\"\"\"") || cursor.starts(with: "'''") { return nil }
        if cursor.next == UInt8(ascii: "\"") || cursor.next == UInt8(ascii: "'") { return try? string().get() }
        let start = cursor.position
        cursor.skip { isBare($0) }
        return cursor.position > start ? cursor.text(from: start) : nil
    }
}

/// Whether a text has only letters, digits, `_`, `-`, and bytes of `others`.
package func isPlain(_ text: String, and others: String) -> Bool {
    text.utf8.allSatisfy { isBare($0) || others.utf8.contains($0) }
}

/// Whether a byte is allowed in a key without quotes.
func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
    default: false
    }
}

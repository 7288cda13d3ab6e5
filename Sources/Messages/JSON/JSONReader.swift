import Beacons

extension JSONValue {
    /// Reads one strict JSON document (RFC 8259): UTF-8 without a byte order mark, with nothing but blanks around it.
    ///
    /// No input crashes the reader. A document that repeats a key within an object is refused.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .payload) throws(JSONRefusal) {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        var reader = JSONReader(bytes: bytes, limits: limits)
        self = try reader.document()
    }

    /// The text of the member `key` as it stands in the document, which is an object; also if the document cannot be read behind that member.
    init?(sourceOf key: String, in bytes: [UInt8], limits: JSONLimits = .payload) {
        var reader = JSONReader(bytes: Array(bytes.prefix(limits.bytes)), limits: limits)
        guard let source = try? reader.source(of: key) else { return nil }
        self = .source(source)
    }

    /// Reads a JSON document that is an array, and returns each element with the line on which it begins.
    ///
    /// Lines count from 1. A refusal names its line: use this for files that people edit.
    public static func elements(
        parsing bytes: [UInt8], limits: JSONLimits
    ) throws(JSONFileRefusal) -> [(value: JSONValue, line: Int)] {
        guard bytes.count <= limits.bytes else { throw JSONFileRefusal(reason: .tooLarge, line: 1) }
        var reader = JSONReader(bytes: bytes, limits: limits)
        let document: JSONValue
        do throws(JSONRefusal) { document = try reader.document() } catch {
            throw JSONFileRefusal(reason: error, line: reader.line)
        }
        guard let values = document.array else { throw JSONFileRefusal(reason: .syntax, line: 1) }
        return Array(zip(values, reader.elementLines))
    }
}

/// Why a file was refused as a JSON array, and the line of the mistake, from 1.
public struct JSONFileRefusal: Error, Hashable, Sendable {
    /// Why the document was refused.
    public let reason: JSONRefusal
    /// The line of the mistake, from 1.
    public let line: Int
}

/// A reader that makes one pass over a document. Every index is checked: `position` never exceeds the number of bytes.
private struct JSONReader {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var position = 0
    private var elements = 0
    /// Where each element of the document begins, if the document is an array.
    private var elementStarts: [Int] = []

    init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func document() throws(JSONRefusal) -> JSONValue {
        let value = try value(depth: 0)
        skipBlanks()
        guard position == bytes.count else { throw .trailing }
        return value
    }

    /// The text of the first member `key` of the document.
    mutating func source(of key: String) throws(JSONRefusal) -> String {
        guard try acceptAfterBlanks(UInt8(ascii: "{")) else { throw .syntax }
        repeat {
            skipBlanks()
            guard try peek() == UInt8(ascii: "\"") else { throw .syntax }
            let isMeant = try string() == key
            guard try acceptAfterBlanks(UInt8(ascii: ":")) else { throw .syntax }
            skipBlanks()
            let start = position
            _ = try value(depth: 1)
            // Behind a number that the end cuts off, nothing follows.
            _ = try peek()
            if isMeant { return String(decoding: bytes[start..<position], as: UTF8.self) }
        } while try acceptAfterBlanks(UInt8(ascii: ","))
        throw .syntax
    }

    /// The line of the next byte, from 1.
    var line: Int { 1 + bytes[..<position].count { $0 == UInt8(ascii: "\n") } }

    /// The line on which each element of the document begins, from 1.
    var elementLines: [Int] {
        var (line, end) = (1, 0)
        return elementStarts.map { start in
            line += bytes[end..<start].count { $0 == UInt8(ascii: "\n") }
            end = start
            return line
        }
    }

    /// Reads the value that begins at the next byte that is no blank, within `depth` arrays and objects.
    private mutating func value(depth: Int) throws(JSONRefusal) -> JSONValue {
        elements += 1
        guard elements <= limits.elements else { throw .tooManyElements }
        skipBlanks()
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONRefusal) -> JSONObject {
        guard depth <= limits.depth else { throw .tooDeep }
        position += 1
        var members: [JSONObject.Member] = []
        /// The keys as a set, once there are too many for a linear search.
        var many: Set<String> = []
        guard try !acceptAfterBlanks(UInt8(ascii: "}")) else { return JSONObject() }
        repeat {
            skipBlanks()
            guard try peek() == UInt8(ascii: "\"") else { throw .syntax }
            let key = try string()
            if members.count == 32 { many = Set(members.lazy.map(\.key)) }
            let isNew = members.count < 32 ? !members.contains { $0.key == key } : many.insert(key).inserted
            guard isNew else { throw .duplicateKey }
            guard try acceptAfterBlanks(UInt8(ascii: ":")) else { throw .syntax }
            members.append(.init(key: key, value: try value(depth: depth)))
        } while try acceptAfterBlanks(UInt8(ascii: ","))
        guard accept(UInt8(ascii: "}")) else { throw .syntax }
        return JSONObject(distinct: members)
    }

    private mutating func array(depth: Int) throws(JSONRefusal) -> [JSONValue] {
        guard depth <= limits.depth else { throw .tooDeep }
        position += 1
        var values: [JSONValue] = []
        guard try !acceptAfterBlanks(UInt8(ascii: "]")) else { return values }
        repeat {
            if depth == 1 {
                skipBlanks()
                elementStarts.append(position)
            }
            values.append(try value(depth: depth))
        } while try acceptAfterBlanks(UInt8(ascii: ","))
        guard accept(UInt8(ascii: "]")) else { throw .syntax }
        return values
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONRefusal) -> JSONValue {
        for offset in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[offset] else { throw .syntax }
            position += 1
        }
        return value
    }

    /// Reads the string whose opening quote is the next byte.
    private mutating func string() throws(JSONRefusal) -> String {
        position += 1
        let start = position
        while true {
            switch try peek() {
            case UInt8(ascii: "\""):
                let text = try text(of: bytes[start..<position])
                position += 1
                return text
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case 0..<0x20: throw .syntax
            default: position += 1
            }
        }
    }

    /// Reads the rest of a string that began at `start` and whose first backslash is the next byte.
    private mutating func escapedString(from start: Int) throws(JSONRefusal) -> String {
        var text = Array(bytes[start..<position])
        while true {
            let byte = try peek()
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try self.text(of: text[...])
            case UInt8(ascii: "\\"): try appendEscaped(to: &text)
            case 0..<0x20: throw .syntax
            default: text.append(byte)
            }
        }
    }

    /// Reads the escape sequence behind a backslash.
    private mutating func appendEscaped(to text: inout [UInt8]) throws(JSONRefusal) {
        let byte = try peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let encoded = UTF8.encode(try escapedScalar()) else { throw .invalidText }
            text.append(contentsOf: encoded)
        default: throw .syntax
        }
    }

    /// Reads the scalar of `\uXXXX`, or of a surrogate pair. The caller has already read the first `\u`.
    private mutating func escapedScalar() throws(JSONRefusal) -> Unicode.Scalar {
        let first = try codeUnit()
        guard UTF16.isLeadSurrogate(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw .invalidText }
            return scalar
        }
        for byte in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
            guard try peek() == byte else { throw .invalidText }
            position += 1
        }
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x1_0000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))
        else { throw .invalidText }
        return scalar
    }

    private mutating func codeUnit() throws(JSONRefusal) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let nibble = hexadecimalValue(of: try peek()) else { throw .syntax }
            unit = unit << 4 | UInt16(nibble)
            position += 1
        }
        return unit
    }

    private func text(of utf8: ArraySlice<UInt8>) throws(JSONRefusal) -> String {
        // Nearly all text is ASCII, which is valid UTF-8 without further checks.
        if utf8.allSatisfy({ $0 < 0x80 }) { return String(decoding: utf8, as: UTF8.self) }
        guard let text = String(validating: utf8, as: UTF8.self) else { throw .invalidText }
        return text
    }

    /// Reads the number that begins at the next byte: an integer if it has neither fraction nor exponent and fits 64 bits, else the nearest double.
    private mutating func number() throws(JSONRefusal) -> JSONValue {
        let start = position
        _ = accept(UInt8(ascii: "-"))
        if !accept(UInt8(ascii: "0")) { try digits() }
        var isInteger = true
        if accept(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if accept(UInt8(ascii: "e")) || accept(UInt8(ascii: "E")) {
            isInteger = false
            if !accept(UInt8(ascii: "-")) { _ = accept(UInt8(ascii: "+")) }
            try digits()
        }
        guard position - start <= 100 else { throw .invalidNumber }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { throw .invalidNumber }
        return .double(double)
    }

    /// Reads one or more digits.
    private mutating func digits() throws(JSONRefusal) {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        guard position > start else { throw position < bytes.count ? .syntax : .truncated }
    }

    private func peek() throws(JSONRefusal) -> UInt8 {
        guard position < bytes.count else { throw .truncated }
        return bytes[position]
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Skips blanks and returns whether `byte` is next, which is then consumed. The document must not end here.
    private mutating func acceptAfterBlanks(_ byte: UInt8) throws(JSONRefusal) -> Bool {
        skipBlanks()
        guard position < bytes.count else { throw .truncated }
        return accept(byte)
    }

    private mutating func skipBlanks() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}

import Beacons

/// The bytes of one JSON object, whose members `body` writes.
package func jsonObject(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object(body)
    return json.bytes
}

/// A JSON array with one line for each element.
package func jsonArray<Element>(_ elements: [Element], _ write: (Element, inout JSONWriter) -> Void) -> String {
    let lines = elements.map { element in
        var json = JSONWriter()
        write(element, &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
    return lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n]"
}

/// Writes JSON without blanks into a reusable buffer; the keys have the order of the calls.
///
/// A `field` is omitted if its value is `nil` or a number that is not finite, because unknown values are absent. The
/// writer inserts the commas. A comma is needed unless the last byte opens an object or array, or ends a key or a line.
/// A string cannot imitate these bytes, because it ends in a quote.
public struct JSONWriter: Sendable {
    /// The bytes written since the last `removeAll`.
    public private(set) var bytes: [UInt8] = []

    /// Creates a writer with room for `capacity` bytes; the buffer grows as needed.
    public init(reserving capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    /// Removes the written bytes but keeps the capacity of the buffer.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// A copy of the written bytes, in memory of their own size.
    ///
    /// A caller that stores `bytes` retains the whole capacity of the buffer, which is that of the largest payload so far, and the next
    /// payload allocates another buffer of that size.
    public var ownBytes: [UInt8] {
        Array(unsafeUninitializedCapacity: bytes.count) { buffer, count in
            _ = buffer.initialize(fromContentsOf: bytes)
            count = bytes.count
        }
    }

    /// Writes a key that is a name from outside and so needs escaping.
    public mutating func key(named name: String) {
        comma()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes an object; `body` writes its members.
    @inline(__always)
    public mutating func object(_ body: (inout JSONWriter) -> Void) {
        comma()
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes an array; `body` writes its elements.
    @inline(__always)
    public mutating func array(_ body: (inout JSONWriter) -> Void) {
        comma()
        bytes.append(UInt8(ascii: "["))
        body(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes text.
    public mutating func element(_ text: String) {
        comma()
        quoted(text)
    }

    /// Writes a whole number, clamped to 64 bits.
    public mutating func element(_ number: some BinaryInteger) {
        comma()
        digits(of: Int64(clamping: number))
    }

    /// Writes a number with 1 to `decimals` decimals (1 to 3), rounded half away from zero, such as `-88.0`, `1.84` or
    /// `0.9`.
    ///
    /// There are no trailing zeros beyond the first decimal and no exponent. Values are clamped to ±10^15. A number
    /// that is not finite becomes `null`.
    public mutating func element(_ number: Double, decimals: Int) {
        comma()
        if number.isFinite { decimal(number, decimals) } else { append("null") }
    }

    /// Writes a value of another document; a double has the fewest digits that restore it.
    public mutating func element(_ value: JSONValue) {
        switch value {
        case .null: comma(); append("null")
        case .bool(let truth): comma(); append(truth ? "true" : "false")
        case .integer(let integer): element(integer)
        // Swift writes `1e-07`, which is valid JSON, and `inf`, which is not and which the reader never returns.
        case .double(let double): comma(); bytes.append(contentsOf: (double.isFinite ? "\(double)" : "null").utf8)
        case .string(let text): element(text)
        case .array(let elements): array { json in for element in elements { json.element(element) } }
        case .object(let object):
            self.object { json in
                for member in object.members {
                    json.key(named: member.key)
                    json.element(member.value)
                }
            }
        case .source(let text): comma(); bytes.append(contentsOf: text.utf8)
        }
    }

    private mutating func comma() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// Writes one of this project's keys, which need no escaping.
    mutating func key(_ key: StaticString) {
        comma()
        let length = key.utf8CodeUnitCount
        // One append for the key with its quotes and its colon.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length + 3) { text in
            text[0] = UInt8(ascii: "\"")
            _ = text[1...].update(
                fromContentsOf: UnsafeBufferPointer(start: key.utf8Start, count: length))
            text[length + 1] = UInt8(ascii: "\"")
            text[length + 2] = UInt8(ascii: ":")
            bytes.append(contentsOf: UnsafeBufferPointer(text))
        }
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func quoted(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            if utf8.contains(where: Self.mustEscape) {
                for byte in utf8 { appendEscaped(byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0..<0x20:
            append("\\u00")
            bytes.append(hexadecimalDigit(of: byte >> 4))
            bytes.append(hexadecimalDigit(of: byte))
        default: bytes.append(byte)
        }
    }

    mutating func digits(of number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(of: number.magnitude)
    }

    private mutating func digits(of number: UInt64) {
        // A number has at most twenty digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, start) = (number, digits.count)
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Writes text of `length` bytes that needs no escaping, in quotes; `body` writes the bytes.
    mutating func quoted(length: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        bytes.append(UInt8(ascii: "\""))
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { text in
            body(text)
            bytes.append(contentsOf: UnsafeBufferPointer(text))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func decimal(_ number: Double, _ decimals: Int) {
        var unit: UInt64 = decimals <= 1 ? 10 : decimals == 2 ? 100 : 1000
        let scaled = (max(-1e15, min(1e15, number)) * Double(unit)).rounded()
        if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, fraction) = UInt64(scaled.magnitude).quotientAndRemainder(dividingBy: unit)
        digits(of: whole)
        bytes.append(UInt8(ascii: "."))
        var rest = fraction
        repeat {
            unit /= 10
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
            rest %= unit
        } while rest > 0
    }

    // MARK: Members

    /// Writes a member that is an object; `body` writes the members of that object.
    @inline(__always)
    public mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    /// Writes a member that is an array; `body` writes its elements.
    @inline(__always)
    public mutating func array(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    /// Writes a member that is text.
    public mutating func field(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        self.key(key)
        quoted(text)
    }

    /// Writes a member that is a whole number, clamped to 64 bits.
    public mutating func field(_ key: StaticString, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        self.key(key)
        digits(of: Int64(clamping: number))
    }

    /// Writes a member that is a number with 1 to `decimals` decimals, in the format of `element(_:decimals:)`.
    public mutating func field(_ key: StaticString, _ number: Double?, decimals: Int) {
        guard let number, number.isFinite else { return }
        self.key(key)
        decimal(number, decimals)
    }

    /// Writes a member that is true or false.
    public mutating func field(_ key: StaticString, _ truth: Bool?) {
        guard let truth else { return }
        self.key(key)
        append(truth ? "true" : "false")
    }

    /// Writes a member that is a time in RFC 3339.
    public mutating func field(_ key: StaticString, _ time: WallTime?) {
        guard let time else { return }
        self.key(key)
        quoted(length: WallTime.textLength) { time.write(to: $0) }
    }

    /// Writes a member that is a UUID, in lower case.
    public mutating func field(_ key: StaticString, _ uuid: BeaconUUID) {
        self.key(key)
        quoted(length: BeaconUUID.textLength) { uuid.write(to: $0) }
    }

    /// Writes a member that is an array of texts; an empty array becomes `[]`.
    public mutating func field(_ key: StaticString, _ texts: [String]?) {
        guard let texts else { return }
        array(key) { json in for text in texts { json.element(text) } }
    }

    /// Writes a member whose value comes from another document.
    public mutating func field(_ key: StaticString, _ value: JSONValue?) {
        guard let value else { return }
        self.key(key)
        element(value)
    }
}

import Beacons

/// Writes JSON, without blanks, into a buffer that is used again and again; keys stand in the order in which they are written.
///
/// A `field` whose value is `nil`, or a number that is not finite, is left out: what is unknown is absent. Commas set themselves:
/// one belongs wherever the last byte neither opens an object or array nor ends a key or a line, which no string can counterfeit,
/// as it ends in a quote.
public struct JSONWriter: Sendable {
    /// What was written since the last `removeAll`.
    public private(set) var bytes: [UInt8] = []

    /// A writer with room for `capacity` bytes; it grows if that is not enough.
    public init(reserving capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written, and keeps the room.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Ends a line, for one object per line.
    public mutating func newLine() {
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The key of the next value, where it is a name and not one of ours.
    public mutating func key(named name: String) {
        comma()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// An object, whose members `body` writes.
    @inline(__always)
    public mutating func object(_ body: (inout JSONWriter) -> Void) {
        comma()
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// An array, whose elements `body` writes.
    @inline(__always)
    public mutating func array(_ body: (inout JSONWriter) -> Void) {
        comma()
        bytes.append(UInt8(ascii: "["))
        body(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    /// Text.
    public mutating func element(_ text: String) {
        comma()
        quoted(text)
    }

    /// A whole number; beyond 64 bits it is the range's end.
    public mutating func element(_ number: some BinaryInteger) {
        comma()
        digits(of: Int64(clamping: number))
    }

    /// A number with at least one decimal and at most `decimals` (1 to 3), rounded half away from zero, without trailing zeros beyond the first:
    /// `-88.0`, `1.84`, `0.9`. Never an exponent: beyond 10^15 it is that; `null` if it is not finite.
    public mutating func element(_ number: Double, decimals: Int) {
        comma()
        if number.isFinite { decimal(number, decimals) } else { append("null") }
    }

    /// A value that was read from elsewhere; a double in as few digits as give it back.
    public mutating func element(_ value: JSONValue) {
        switch value {
        case .null: comma(); append("null")
        case .bool(let truth): comma(); append(truth ? "true" : "false")
        case .integer(let integer): element(integer)
        // Swift writes `1e-07`, which is JSON, and `inf`, which is not, and which no reader gives.
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
        }
    }

    private mutating func comma() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// One of our own keys, which need no escaping.
    mutating func key(_ key: StaticString) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        append(key)
        append("\":")
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

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
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
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
}

import Beacons

/// Reads a document in exactly the form in which `JSONWriter` writes it: keys in their order, no blanks, no escapes.
///
/// The reader decides nothing: it returns `nil` for every other form, and the caller asks the general reader, which also
/// names the mistake. Where this reader returns a value, the general reader returns the same value. It exists because a
/// document in our own form is read ten times as fast.
struct WrittenReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// Takes `text` if it is next.
    mutating func accept(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] { return false }
        position += count
        return true
    }

    /// Takes a comma, `key` and a colon if they are next.
    mutating func key(_ key: StaticString) -> Bool {
        let start = position
        guard accept(",\""), accept(key), accept("\":") else {
            position = start
            return false
        }
        return true
    }

    func isKeyNext(beginning letter: UInt8) -> Bool { position + 2 < bytes.count && bytes[position + 2] == letter }

    /// Reads the value of `key`: `.some(nil)` if the key is not next, `nil` if the value has another form.
    mutating func optional<Value>(
        _ key: StaticString, _ value: (inout WrittenReader) -> Value?
    ) -> Value?? {
        guard self.key(key) else { return .some(nil) }
        guard let value = value(&self) else { return nil }
        return .some(value)
    }

    /// Takes `text` in quotes if it is next. The text needs no escapes, as an id.
    mutating func accept(quoted text: String) -> Bool {
        let utf8 = text.utf8
        guard bytes.count - position >= utf8.count + 2, bytes[position] == UInt8(ascii: "\"") else { return false }
        var next = position + 1
        for byte in utf8 {
            guard bytes[next] == byte else { return false }
            next += 1
        }
        guard bytes[next] == UInt8(ascii: "\"") else { return false }
        position = next + 1
        return true
    }

    /// Reads the bytes of a text without escapes, at most `Fields.longestText` of them, and whether all are ASCII.
    private mutating func quoted() -> (text: UnsafeBufferPointer<UInt8>, isASCII: Bool)? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var (end, all) = (start, UInt8(0))
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\\") else { return nil }
            all |= bytes[end]
            end += 1
        }
        guard end < bytes.count, end - start <= Fields.longestText else { return nil }
        position = end + 1
        return (UnsafeBufferPointer(rebasing: bytes[start..<end]), all < 0x80)
    }

    mutating func text() -> String? {
        guard let (text, isASCII) = quoted() else { return nil }
        return isASCII ? String(decoding: text, as: UTF8.self) : String(validating: text, as: UTF8.self)
    }

    mutating func time() -> WallTime? { quoted().flatMap { WallTime(utf8: $0.text) } }

    mutating func boot() -> Boot? { quoted().flatMap { Boot(utf8: $0.text) } }

    /// Reads a whole number of at most 15 digits.
    mutating func integer(in range: ClosedRange<Int64>) -> Int64? {
        let isNegative = accept("-")
        guard let (digits, _) = digits() else { return nil }
        let number = isNegative ? -Int64(digits) : Int64(digits)
        return range.contains(number) ? number : nil
    }

    /// Reads a number with decimals, of at most 15 digits: one division of two exact doubles yields the nearest double.
    mutating func decimal(in range: ClosedRange<Double>) -> Double? {
        let isNegative = accept("-")
        guard let (whole, wholeCount) = digits(), accept(".") else { return nil }
        var (digits, count) = (whole, wholeCount)
        var scale = 1.0
        let start = position
        while position < bytes.count, count < 16 {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            digits = digits * 10 + UInt64(digit)
            scale *= 10
            count += 1
            position += 1
        }
        guard position > start, count <= 15 else { return nil }
        let number = isNegative ? -(Double(digits) / scale) : Double(digits) / scale
        return range.contains(number) ? number : nil
    }

    /// Reads 1 to 15 digits without a leading zero.
    private mutating func digits() -> (value: UInt64, count: Int)? {
        let start = position
        var value: UInt64 = 0
        while position < bytes.count, position - start < 16 {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            value = value * 10 + UInt64(digit)
            position += 1
        }
        let count = position - start
        guard count > 0, count <= 15, count == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return (value, count)
    }
}

/// The value of one hexadecimal digit of either case, in ASCII; `nil` for any other byte.
@inlinable
public func hexadecimalValue(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// The lower-case hexadecimal digit of the low four bits of `nibble`, in ASCII.
@inlinable
public func hexadecimalDigit(of nibble: UInt8) -> UInt8 {
    let value = nibble & 15
    return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// The bytes in lower-case hexadecimal digits.
package func hexadecimal(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [hexadecimalDigit(of: $0 >> 4), hexadecimalDigit(of: $0)] }, as: UTF8.self)
}

/// The bytes that a text of hexadecimal digits stands for; `nil` if it is none.
package func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map(hexadecimalValue(of:))
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[index], let low = digits[index + 1] else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}

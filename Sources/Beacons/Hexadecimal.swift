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

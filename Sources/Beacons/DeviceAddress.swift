/// The 48-bit address that an advertisement was sent from, and its kind. Phones and many tags change theirs every quarter of an hour.
public struct DeviceAddress: Hashable, Sendable {
    /// How the address came to be (Core 5.4, Vol 6, B 1.3); the two upper bits of a random address say which kind it is.
    public enum Kind: UInt8, Sendable {
        /// Registered with the IEEE.
        case `public`
        /// Random: static, resolvable or not.
        case random
        /// None at all: an anonymous extended advertisement.
        case anonymous
    }

    /// The address in the low 48 bits: `B8:27:EB:00:00:01` is 0xB827EB000001.
    public var bits: UInt64
    /// Public, random, or none.
    public var kind: Kind

    /// An address; only the low 48 bits of `bits` count.
    @inlinable
    public init(bits: UInt64, kind: Kind) {
        self.bits = bits & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// Reads `B8:27:EB:00:00:01`, either case; `nil` for anything else.
    public init?(_ text: some StringProtocol, kind: Kind) {
        var bits: UInt64 = 0
        var position = 0
        for byte in text.utf8 {
            if position % 3 == 2 {
                guard byte == UInt8(ascii: ":") else { return nil }
            } else {
                guard let nibble = hexadecimalValue(of: byte) else { return nil }
                bits = bits << 4 | UInt64(nibble)
            }
            position += 1
            guard position <= 17 else { return nil }
        }
        guard position == 17 else { return nil }
        self.init(bits: bits, kind: kind)
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// `B8:27:EB:00:00:01`, as BlueZ writes it.
    public var description: String {
        var text = ""
        for shift in stride(from: UInt64(40), through: 0, by: -8) {
            let byte = UInt8(truncatingIfNeeded: bits >> shift)
            text.unicodeScalars.append(Unicode.Scalar(hexadecimalDigit(of: byte >> 4)))
            text.unicodeScalars.append(Unicode.Scalar(hexadecimalDigit(of: byte & 15)))
            if shift > 0 { text.append(":") }
        }
        return text.uppercased()
    }
}

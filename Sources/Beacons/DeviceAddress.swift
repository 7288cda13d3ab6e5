/// The 48-bit address that sent an advertisement, with its kind. Phones and many tags change their address every
/// quarter of an hour.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The kind of an address (Core 5.4, Vol 6, B 1.3). `AddressType` also distinguishes the types of random addresses.
    public enum Kind: UInt8, Sendable {
        /// Registered with the IEEE.
        case `public`
        /// Random: static, resolvable or not.
        case random
        /// No address: an anonymous extended advertisement.
        case anonymous
    }

    /// The address in the low 48 bits: `B8:27:EB:00:00:01` is 0xB827EB000001.
    public var bits: UInt64
    /// Whether the address is public, random or absent.
    public var kind: Kind

    /// Creates an address from the low 48 bits of `bits`.
    @inlinable
    public init(bits: UInt64, kind: Kind) {
        self.bits = bits & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// Reads `B8:27:EB:00:00:01` in either case; `nil` for anything else.
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

    /// The address in BlueZ's notation, `B8:27:EB:00:00:01`.
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

    /// How long an address lasts, and who can resolve it (Core 5.4, Vol 6, B 1.3). The raw values are those of `scan
    /// --json`.
    public enum AddressType: String, CaseIterable, Sendable {
        /// Registered with the IEEE; never changes.
        case `public`
        /// Random; constant at least until the sender restarts.
        case randomStatic = "random_static"
        /// Random, changed every few minutes; only devices that have the sender's key can resolve it.
        case resolvable = "random_resolvable"
        /// Random, changed every few minutes; no device can resolve it.
        case nonResolvable = "random_non_resolvable"
        /// Random, with upper bits that the specification reserves; real devices use it nevertheless.
        case reserved = "random_reserved"
        /// No address.
        case anonymous
    }

    /// The type of the address. The two upper bits of a random address define it: 11 static, 01 resolvable, 00 not
    /// resolvable.
    public var type: AddressType {
        switch kind {
        case .public: .public
        case .anonymous: .anonymous
        case .random:
            switch bits >> 46 {
            case 0b11: .randomStatic
            case 0b01: .resolvable
            case 0b00: .nonResolvable
            default: .reserved
            }
        }
    }
}

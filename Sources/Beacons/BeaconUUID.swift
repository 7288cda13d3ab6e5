/// A beacon's UUID: the 16 bytes that its owner chose, in the notation of RFC 4122.
public struct BeaconUUID: Hashable, Sendable, CustomStringConvertible, Comparable {
    /// Bytes 0 to 7, big-endian.
    public var high: UInt64
    /// Bytes 8 to 15, big-endian.
    public var low: UInt64

    /// Creates a UUID from the bytes of `high` followed by the bytes of `low`.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads `8-4-4-4-12` hexadecimal digits of either case; `nil` for anything else.
    @inlinable
    public init?(_ text: some StringProtocol) {
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        var position = 0
        for byte in text.utf8 {
            defer { position += 1 }
            switch position {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            case 0..<36:
                guard let nibble = hexadecimalValue(of: byte) else { return nil }
                halves.high = halves.high << 4 | halves.low >> 60
                halves.low = halves.low << 4 | UInt64(nibble)
            default:
                return nil
            }
        }
        guard position == 36 else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    /// Reads a UUID that a user typed: 32 hexadecimal digits of either case, with the hyphens of `8-4-4-4-12` or
    /// without; `nil` for anything else.
    public init?(written text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 32, !digits.contains(UInt8(ascii: "-")) else {
            self.init(text)
            return
        }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
        self.init(groups.joined(separator: "-"))
    }

    /// The UUID in lower case with hyphens, as in topics and payloads.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { text in
            write(to: text)
            return Self.textLength
        }
    }

    /// The length of `description` in bytes.
    public static let textLength = 36

    /// Writes `description` to the first `textLength` bytes of `text`, without an allocation.
    public func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        precondition(text.count >= Self.textLength)
        var (half, position) = (high, 0)
        for byte in 0..<16 {
            // The hyphens stand before bytes 4, 6, 8 and 10.
            if byte >= 4, byte <= 10, byte & 1 == 0 {
                text[position] = UInt8(ascii: "-")
                position += 1
            }
            if byte == 8 { half = low }
            text[position] = hexadecimalDigit(of: UInt8(truncatingIfNeeded: half >> 60))
            text[position + 1] = hexadecimalDigit(of: UInt8(truncatingIfNeeded: half >> 56))
            half <<= 8
            position += 2
        }
    }

    /// Reads the bytes of `description`; `nil` for anything else, capital letters included. Nothing is allocated.
    public init?(lowerCase text: UnsafeBufferPointer<UInt8>) {
        guard text.count == Self.textLength else { return nil }
        var (position, refused) = (0, false)
        func half() -> UInt64 {
            var half: UInt64 = 0
            var digits = 0
            while digits < 16 {
                let byte = text[position]
                position += 1
                if position == 9 || position == 14 || position == 19 || position == 24 {
                    refused = refused || byte != UInt8(ascii: "-")
                    continue
                }
                let (decimal, letter) = (byte &- UInt8(ascii: "0"), byte &- UInt8(ascii: "a"))
                refused = refused || decimal > 9 && letter > 5
                half = half << 4 | UInt64(decimal <= 9 ? decimal : (letter &+ 10) & 15)
                digits += 1
            }
            return half
        }
        let (high, low) = (half(), half())
        guard !refused else { return nil }
        self.init(high: high, low: low)
    }

    /// Orders UUIDs by their bytes, which is also the order of their texts.
    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

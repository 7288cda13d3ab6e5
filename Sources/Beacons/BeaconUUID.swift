/// A beacon's UUID: the 16 bytes that its owner chose, in the notation of RFC 4122.
public struct BeaconUUID: Hashable, Sendable {
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
}

extension BeaconUUID: CustomStringConvertible {
    /// The UUID in lower case with hyphens, as in topics and payloads.
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var position = 0
            for index in 0..<16 {
                if [4, 6, 8, 10].contains(index) {
                    text[position] = UInt8(ascii: "-")
                    position += 1
                }
                let half = index < 8 ? high : low
                let byte = UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index % 8)))
                text[position] = hexadecimalDigit(of: byte >> 4)
                text[position + 1] = hexadecimalDigit(of: byte & 15)
                position += 2
            }
            return position
        }
    }
}

extension BeaconUUID: Comparable {
    /// Orders UUIDs by their bytes, which is also the order of their texts.
    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

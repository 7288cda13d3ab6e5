/// A minute of the site's local day, such as `07:00`.
public struct TimeOfDay: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Minutes since midnight, 0 to 1439.
    public let minute: Int

    /// Creates a time of day; `nil` outside 0 to 1439.
    public init?(minute: Int) {
        guard (0..<1440).contains(minute) else { return nil }
        self.minute = minute
    }

    /// Reads `HH:MM` from 00:00 to 23:59; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(6))
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy((0...9).contains), digits[2] < 6 else { return nil }
        let hour = digits[0] * 10 + digits[1]
        guard hour < 24 else { return nil }
        minute = hour * 60 + digits[2] * 10 + digits[3]
    }

    /// Orders times from earlier to later.
    public static func < (left: Self, right: Self) -> Bool { left.minute < right.minute }

    /// The time as `HH:MM`.
    public var description: String {
        [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

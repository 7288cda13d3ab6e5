/// A time of day on the local clock, to the minute.
public struct TimeOfDay: Hashable, Sendable {
    /// Minutes since midnight, 0 to 1439.
    public let minutes: Int

    /// Reads `07:00` to `23:59`; `nil` for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hour < 24, minute < 60 else { return nil }
        minutes = hour * 60 + minute
    }
}

extension TimeOfDay: CustomStringConvertible {
    /// `07:00`.
    public var description: String {
        [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    }
}

/// What tells one event of a writer from all others of it: the boot in which it happened, and its number in that boot.
public struct EventID: Hashable, Sendable {
    /// The writer's boot.
    public var boot: Boot
    /// Its number in that boot, from 1.
    public var seq: UInt64

    /// The event of that number in that boot.
    public init(boot: Boot, seq: UInt64) {
        self.boot = boot
        self.seq = seq
    }

    /// Reads `17.kfqx-813`, the number from 1 to 2^53; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard let hyphen = bytes.firstIndex(of: UInt8(ascii: "-")), let boot = Boot(utf8: bytes[..<hyphen]),
            let seq = UInt64(plainDecimal: bytes[(hyphen + 1)...]), Self.numbers.contains(seq)
        else { return nil }
        self.init(boot: boot, seq: seq)
    }

    /// The numbers that JSON carries exactly everywhere.
    static let numbers: ClosedRange<UInt64> = 1...(1 << 53)
}

extension EventID: CustomStringConvertible {
    /// `17.kfqx-813`.
    public var description: String { "\(boot)-\(seq)" }
}

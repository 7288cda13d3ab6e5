/// The unique id of an event: the run id of the process that published it, and its number in that run.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
    /// The run id of the publisher.
    public var boot: Boot
    /// The number in that run, from 1.
    public var seq: UInt64

    /// Creates the id of event `seq` of that run.
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

    /// The numbers that every JSON implementation represents exactly.
    static let numbers: ClosedRange<UInt64> = 1...(1 << 53)

    /// The id as text, such as `17.kfqx-813`.
    public var description: String { "\(boot)-\(seq)" }
}

/// Events of one boot that follow each other.
public struct EventSpan: Hashable, Sendable {
    /// The word of the process start that numbered them.
    public var boot: String
    /// Their numbers.
    public var seqs: ClosedRange<UInt64>

    /// The events `seqs` of `boot`.
    public init(boot: String, seqs: ClosedRange<UInt64>) {
        self.boot = boot
        self.seqs = seqs
    }
}

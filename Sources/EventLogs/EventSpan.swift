/// Consecutive events of one run.
public struct EventSpan: Hashable, Sendable {
    /// The run id of the events.
    public var boot: String
    /// The numbers of the events.
    public var seqs: ClosedRange<UInt64>

    /// Creates the span of the events `seqs` of run `boot`.
    public init(boot: String, seqs: ClosedRange<UInt64>) {
        self.boot = boot
        self.seqs = seqs
    }
}

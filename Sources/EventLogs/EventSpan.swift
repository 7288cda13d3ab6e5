/// Consecutive events of one run.
package struct EventSpan: Hashable, Sendable {
    /// The run id of the events.
    package var boot: String
    /// The numbers of the events.
    package var seqs: ClosedRange<UInt64>

    /// Creates the span of the events `seqs` of run `boot`.
    package init(boot: String, seqs: ClosedRange<UInt64>) {
        self.boot = boot
        self.seqs = seqs
    }
}

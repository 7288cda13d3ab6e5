/// The unique place of an event: the run id of its process, and its number in that run from 1.
package struct Place: Hashable, Sendable {
    /// The run id of the process that numbered the event.
    package var boot: String
    /// The number of the event in its run.
    package var seq: UInt64

    package init(boot: String, seq: UInt64) {
        self.boot = boot
        self.seq = seq
    }
}

/// Consecutive events of one run.
package struct EventSpan: Hashable, Sendable {
    /// The run id of the events.
    package var boot: String
    package var seqs: ClosedRange<UInt64>

    package init(boot: String, seqs: ClosedRange<UInt64>) {
        self.boot = boot
        self.seqs = seqs
    }

    package func first(_ most: UInt64) -> EventSpan {
        EventSpan(boot: boot, seqs: seqs.lowerBound...min(seqs.upperBound, seqs.lowerBound + most - 1))
    }
}

/// The result of a search for events by number.
package struct Finding: Hashable, Sendable {
    /// The run id of the events.
    package let boot: String
    let asked: UInt64
    let end: UInt64
    /// The numbers of the found events, lowest first.
    package let seqs: [ClosedRange<UInt64>]
    /// Whether there are more of the requested events.
    package let more: Bool

    /// The requested events that are lost, up to the last event of this result; `found` are the events that could be
    /// read.
    package func forgotten(without found: [Entry]) -> [ClosedRange<UInt64>] {
        var gaps: [ClosedRange<UInt64>] = []
        var next = asked
        for entry in found where entry.seq >= next {
            if entry.seq > next { gaps.append(next...entry.seq - 1) }
            next = entry.seq + 1
        }
        let last = more ? seqs.last?.upperBound ?? end : end
        if next <= last { gaps.append(next...last) }
        return gaps
    }
}

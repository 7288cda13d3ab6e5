/// Which of the events that somebody asked for are there.
public struct Finding: Hashable, Sendable {
    /// Whose events.
    public let boot: String
    let asked: UInt64
    let end: UInt64
    /// The numbers that can be answered with now, lowest first.
    public let seqs: [ClosedRange<UInt64>]
    /// Whether more were asked for than are answered at once.
    public let more: Bool

    /// Of those asked for, up to the last that is answered now, the ones that are not among the events `found`, lowest first.
    public func forgotten(without found: [Entry]) -> [ClosedRange<UInt64>] {
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

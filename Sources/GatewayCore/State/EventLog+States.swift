import EventLogs
import Messages

/// The events that complete the states of a former process.
extension EventLog {
    /// Returns the events after the states, or all events without states; `read` returns those that are only on disk.
    func events(after states: StoredStates?, read: (EventSpan, Catalogue) -> [Entry]?) -> [LoggedEvent] {
        let later = states.map { Self.spans(spans, after: $0.boot, $0.seq) } ?? spans
        // The states that follow from the last ten thousand events are right. All events may need more memory than there is.
        return Self.last(10_000, of: later.suffix(100)).flatMap { read($0, catalogue) ?? [] }
            .compactMap { try? LoggedEvent(parsing: $0.payload) }
    }

    /// The part of a log's spans that follows an event of a run. The log's order decides: a counter of starts that was lost begins again at 1.
    static func spans(_ spans: [EventSpan], after boot: Boot, _ seq: UInt64) -> [EventSpan] {
        let place = spans.lastIndex { Boot($0.boot) == boot }
        return spans.enumerated().compactMap { index, span in
            guard let run = Boot(span.boot) else { return span }
            guard run == boot else {
                // A run without events has no place in the log.
                return place.map { index > $0 } ?? (run.epoch > boot.epoch) ? span : nil
            }
            guard span.seqs.upperBound > seq else { return nil }
            return EventSpan(boot: span.boot, seqs: max(span.seqs.lowerBound, seq + 1)...span.seqs.upperBound)
        }
    }

    static func last(_ most: UInt64, of spans: some BidirectionalCollection<EventSpan>) -> [EventSpan] {
        var missing = most
        var last: [EventSpan] = []
        for span in spans.reversed() where missing > 0 {
            let (from, to) = (span.seqs.lowerBound, span.seqs.upperBound)
            let first = to - from < missing ? from : to - missing + 1
            last.append(EventSpan(boot: span.boot, seqs: first...to))
            missing -= to - first + 1
        }
        return last.reversed()
    }
}

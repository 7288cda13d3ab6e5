import Beacons
import Broker
import Journal
import Messages

/// What happened, as far back as the log goes.
extension SitePipeline {
    /// So many events are looked at between two looks at the disk.
    private static let step: UInt64 = 1000

    /// Answers `history`: an item's events, or everybody's, oldest first, a page at a time; `read` gives those that only the disk has.
    package mutating func answerHistory(_ request: Request, read: (EventSpan, Catalogue) -> [Entry]) {
        do throws(Refused) {
            reply("history", request, .done(try history(try request.asked(HistoryRequest.self), read)))
        } catch {
            reply("history", request, Response<HistoryAnswer>.Outcome.failed(error.sentence))
        }
    }

    private func history(
        _ asked: HistoryRequest, _ read: (EventSpan, Catalogue) -> [Entry]
    ) throws(Refused) -> HistoryAnswer {
        var topic: String?
        if let named = asked.item {
            topic = Topic.itemEvent(item: try item(named).id).name(under: configuration.prefix)
        }
        var page: [ItemEvent] = []
        for span in log.spans.flatMap({ $0.pieces(of: Self.step, after: asked.after) }) {
            let origin = span.boot == log.boot ? origin : log.origin(of: span.boot)
            for entry in log.entries(in: span.seqs, of: span.boot, read: read)
            where topic == nil || entry.topic == topic {
                guard case .item(let event)? = (try? LoggedEvent(parsing: entry.payload))?.dated(fromKnown: origin)
                else { continue }
                if let since = asked.since, event.stamp.at < since { continue }
                if page.count == HistoryAnswer.most { return HistoryAnswer(events: page, more: true) }
                page.append(event)
            }
        }
        return HistoryAnswer(events: page)
    }
}

extension EventSpan {
    /// The parts of it that stand behind an event, none longer than `step`.
    fileprivate func pieces(of step: UInt64, after event: EventID?) -> [EventSpan] {
        var first = seqs.lowerBound
        if let event, let boot = Boot(self.boot) {
            // Boots are counted, and the events of each.
            guard boot.epoch >= event.boot.epoch else { return [] }
            if boot == event.boot { first = max(first, event.seq + 1) }
        }
        guard first <= seqs.upperBound else { return [] }
        return stride(from: first, through: seqs.upperBound, by: Int(step)).map { start in
            EventSpan(boot: self.boot, seqs: start...min(start + step - 1, seqs.upperBound))
        }
    }
}

extension LoggedEvent {
    /// As it is, where nobody knows better when it happened.
    fileprivate func dated(fromKnown origin: WallTime?) -> LoggedEvent { origin.map(dated(from:)) ?? self }
}

import Journal
import Messages

/// What happened, as far back as the log goes.
extension SitePipeline {
    /// Answers `history`: an item's events, or everybody's, oldest first, a page at a time.
    func history(_ request: Request) throws(Refused) -> HistoryAnswer {
        let asked = try request.asked(HistoryRequest.self)
        var topic: String?
        if let named = asked.item {
            topic = Topic.itemEvent(item: try item(named).id).name(under: configuration.prefix)
        }
        var page: [ItemEvent] = []
        for entry in happened where topic == nil || entry.topic == topic {
            guard let event = try? ItemEvent(parsing: entry.payload), event.matches(asked) else { continue }
            if page.count == HistoryAnswer.most { return HistoryAnswer(events: page, more: true) }
            page.append(event)
        }
        return HistoryAnswer(events: page)
    }

    private var happened: ArraySlice<EventLog.Entry> {
        log.kept.map { log.entries(in: $0, most: .max).entries } ?? []
    }
}

extension ItemEvent {
    fileprivate func matches(_ asked: HistoryRequest) -> Bool {
        if let since = asked.since, stamp.at < since { return false }
        guard let after = asked.after else { return true }
        // Boots are counted, and the events of each.
        return (id.boot.epoch, id.seq) > (after.boot.epoch, after.seq)
    }
}

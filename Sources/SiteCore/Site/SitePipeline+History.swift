import Beacons
import Delivery
import Journal
import Messages

/// What happened, as far back as the log goes.
extension SitePipeline {
    /// Whether responses wait for `readLog`.
    package var isReadingLog: Bool { !logReading.isEmpty }

    /// Goes on with one of the responses that need the disk, by at most one segment of the log.
    ///
    /// - Parameter read: gives the events that stand on the disk; `nil`: the disk cannot be read now.
    package mutating func readLog(_ read: (EventSpan, Catalogue) -> [Entry]?) {
        switch logReading.take() {
        case .events(let request): answerEvents(request, read: read)
        case .history(var history):
            if isAnswered(&history, read) { return }
            logReading.putBack(.history(history))
        case nil: break
        }
    }

    /// Responds to `history` with a page of events, oldest first: at once if all events are in memory, else by `readLog`.
    mutating func answerHistory(_ request: Request) throws(Refused) {
        let asked = try request.asked(HistoryRequest.self)
        var topic: String?
        if let named = asked.item {
            topic = Topic.itemEvent(item: try item(named).id).name(under: prefix)
        }
        var history = LogReading.History(
            request: request, topic: topic, since: asked.since,
            place: asked.after.map { Place(boot: $0.boot.description, seq: $0.seq) })
        if log.spans.contains(where: { $0.boot != log.boot || $0.seqs.lowerBound < log.firstInMemory }) {
            return try logReading.add(.history(history))
        }
        while !isAnswered(&history, { _, _ in [] }) {}
    }

    /// Takes one step of a response; returns whether the response was sent.
    private mutating func isAnswered(
        _ history: inout LogReading.History, _ read: (EventSpan, Catalogue) -> [Entry]?
    ) -> Bool {
        guard let piece = piece(of: history) else {
            reply("history", history.request, .done(HistoryAnswer(events: history.page)))
            return true
        }
        guard history.page.count < HistoryAnswer.most else {
            reply("history", history.request, .done(HistoryAnswer(events: history.page, more: true)))
            return true
        }
        let isHere = piece.boot == log.boot && piece.seqs.lowerBound >= log.firstInMemory
        let entries = isHere ? Array(log.entries(in: piece.seqs, most: .max).entries) : read(piece, log.catalogue)
        guard let entries else {
            let sentence = "The event log cannot be read now: ask again in a while."
            reply("history", history.request, Response<HistoryAnswer>.Outcome.failed(sentence))
            return true
        }
        let origin = piece.boot == log.boot ? origin : log.origin(of: piece.boot)
        // Where the page fills up, what is behind its last event is looked at with the next one.
        history.place = Place(boot: piece.boot, seq: piece.seqs.upperBound)
        for entry in entries where history.topic == nil || entry.topic == history.topic {
            guard case .item(let event)? = (try? LoggedEvent(parsing: entry.payload))?.dated(fromKnown: origin) else {
                continue
            }
            if let since = history.since, event.stamp.at < since { continue }
            guard history.page.count < HistoryAnswer.most else {
                reply("history", history.request, .done(HistoryAnswer(events: history.page, more: true)))
                return true
            }
            history.page.append(event)
        }
        return false
    }

    /// The events that are looked at next; `nil` behind the last.
    private func piece(of history: LogReading.History) -> EventSpan? {
        let place = history.place
        let epoch = place.flatMap { Boot($0.boot)?.epoch } ?? 0
        let onDisk = log.catalogue.piece(
            behind: place, writtenSince: history.since.map { $0 - LogReading.margin },
            isPast: { Boot($0).map { $0.epoch < epoch } ?? true })
        if var piece = onDisk, piece.boot != log.boot || piece.seqs.lowerBound < log.firstInMemory {
            if piece.boot == log.boot {
                piece.seqs = piece.seqs.lowerBound...min(piece.seqs.upperBound, log.firstInMemory - 1)
            }
            return piece.first(LogReading.step)
        }
        guard let last = log.spans.last, last.boot == log.boot, epoch <= boot.epoch else { return nil }
        let first = max(log.firstInMemory, place.map { $0.boot == log.boot ? $0.seq + 1 : 0 } ?? 0)
        guard first <= last.seqs.upperBound else { return nil }
        return EventSpan(boot: log.boot, seqs: first...last.seqs.upperBound).first(LogReading.step)
    }
}

extension EventSpan {
    /// The first `most` of the events.
    fileprivate func first(_ most: UInt64) -> EventSpan {
        EventSpan(boot: boot, seqs: seqs.lowerBound...min(seqs.upperBound, seqs.lowerBound + most - 1))
    }
}

extension LoggedEvent {
    /// As it is, where nobody knows better when it happened.
    fileprivate func dated(fromKnown origin: WallTime?) -> LoggedEvent { origin.map(dated(from:)) ?? self }
}

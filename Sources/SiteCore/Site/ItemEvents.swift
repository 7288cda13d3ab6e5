import Beacons
import Delivery
import EventLogs
import Messages
import Settings

/// The events of the items: writes each into the event log once, also over restarts, and responds to requests for them.
struct ItemEvents: Sendable {
    /// The log, and its way to the disk and to the broker.
    var publisher: EventPublisher
    /// Responses that need the log on disk.
    private var reading = LogReading()
    /// The last event that was published when the site was last written to the disk.
    private var publishedAtWrite: EventID?
    /// The last event that former processes published after that.
    private var lastSinceWrite: EventID?
    /// The events that former processes published after that: they are not published again.
    private(set) var alreadyPublished = AlreadyPublishedEvents()
    /// The events that are handed out before they enter the log, oldest first, each with whether it is one of the past that is being applied;
    /// `nil`: each event enters the log at once.
    var handedOut: [(event: ItemEvent, isPast: Bool)]?

    init(boot: Boot, _ settings: LogSettings, publishedAtWrite: EventID?) {
        publisher = EventPublisher(boot: boot, settings)
        self.publishedAtWrite = publishedAtWrite
    }

    var log: EventLog { _read { yield publisher.log } }

    // MARK: Writing

    /// Writes an event into the log, or hands it out, unless a former process published it before a crash; returns the event as published.
    ///
    /// - Parameters:
    ///   - time: when it happened; `nil`: now.
    ///   - cause: the event of a gateway from which it follows.
    ///   - probableCause: why the item is away, if it has probably not left.
    ///   - isPast: whether the past is being applied.
    mutating func append(
        _ change: ItemEvent.Change, of item: RegistryItem, at time: WallTime?, after cause: ItemEvent.Cause?,
        probably probableCause: ProbableCause? = nil, isPast: Bool, _ effects: borrowing SiteEffects
    ) -> ItemEvent {
        var event = make(change, of: item.id, named: item.name, at: time, after: cause, effects)
        event.probableCause = probableCause
        if let published = alreadyPublished.published(event) {
            // A clock that nobody had set may have dated it.
            return published.stamp.isClockSynchronised || !event.stamp.isClockSynchronised ? published : event
        }
        if handedOut == nil { write(event, effects) } else { handedOut?.append((event, isPast)) }
        return event
    }

    mutating func takeHandedOut() -> [(event: ItemEvent, isPast: Bool)] {
        defer { if handedOut != nil { handedOut = [] } }
        return handedOut ?? []
    }

    /// Writes an event that was handed out, under the next number of this process.
    ///
    /// - Parameter isLate: whether it was handed out a while ago, by a former process perhaps.
    mutating func write(handedOut event: ItemEvent, isLate: Bool, _ effects: borrowing SiteEffects) -> ItemEvent {
        var own = event
        if isLate {
            own = make(event.change, of: event.item, named: event.name, at: event.stamp.at, after: event.cause, effects)
            (own.stamp.isClockSynchronised, own.probableCause) = (event.stamp.isClockSynchronised, event.probableCause)
        }
        own.seq = log.upcoming
        write(own, effects)
        return own
    }

    private mutating func write(_ event: ItemEvent, _ effects: borrowing SiteEffects) {
        publisher.append(topic: Topic.itemEvent(item: event.item).name(under: effects.prefix), payload: event.bytes)
    }

    private func make(
        _ change: ItemEvent.Change, of item: String, named name: String, at time: WallTime?,
        after cause: ItemEvent.Cause?, _ effects: borrowing SiteEffects
    ) -> ItemEvent {
        let now = effects.now
        var stamp = effects.stamp(of: now.instant)
        if let time {
            // The time may be of a gateway's clock, and that clock may be wrong by years.
            stamp.uptime = min(stamp.uptime, max(.zero, stamp.uptime - (now.wall - time)))
            stamp.at = time
        }
        let seq = log.upcoming + UInt64(handedOut?.count ?? 0)
        return ItemEvent(change, seq: seq, item: item, name: name, stamp: stamp, cause: cause)
    }

    // MARK: After a crash

    /// Reads the events that were published after the site was last written to the disk, oldest first.
    ///
    /// - Parameter hasGateways: whether the site knows gateways whose events may be applied again.
    func publishedSinceWrite(hasGateways: Bool, _ disk: (EventSpan, Catalogue) -> [Entry]?) -> [ItemEvent] {
        let entries = spansSinceWrite(hasGateways: hasGateways).flatMap { disk($0, log.catalogue) ?? [] }
        return entries.compactMap { try? ItemEvent(parsing: $0.payload) }
    }

    /// Adds events that former processes published after the site was last written, oldest first. They are not published again.
    mutating func recall(_ events: [ItemEvent]) {
        alreadyPublished = AlreadyPublishedEvents(events)
        // `publishedAtWrite` stays unchanged until the same events are applied again: another start before that needs them, too.
        lastSinceWrite = events.last?.id
    }

    private func spansSinceWrite(hasGateways: Bool) -> ArraySlice<EventSpan> {
        let spans = log.spans[...]
        // A site that was never written: all events count. Without a gateway none can be applied again.
        guard let last = publishedAtWrite else { return hasGateways ? spans : [] }
        // If the log no longer has that run, its events are too old to be published again.
        guard let index = spans.firstIndex(where: { $0.boot == last.boot.description }) else { return [] }
        var later = spans[index...]
        if last.seq < later[index].seqs.upperBound {
            later[index].seqs = max(last.seq + 1, later[index].seqs.lowerBound)...later[index].seqs.upperBound
        } else {
            later.removeFirst()
        }
        return later
    }

    /// The past has been applied: whatever happens from now on is new.
    mutating func pastIsApplied() { alreadyPublished = AlreadyPublishedEvents() }

    /// The last event that was published, for the site on the disk.
    func lastPublished(by boot: Boot) -> EventID? {
        guard alreadyPublished.isEmpty else { return publishedAtWrite }
        return log.upcoming > 1 ? EventID(boot: boot, seq: log.upcoming - 1) : lastSinceWrite ?? publishedAtWrite
    }

    // MARK: Responses

    var isReading: Bool { !reading.isEmpty }
    var readings: Int { reading.count }

    /// Goes on with one of the responses that need the disk, by at most one segment of the log.
    ///
    /// - Parameter disk: gives the events that stand on the disk; `nil`: the disk cannot be read now.
    mutating func read(_ effects: inout SiteEffects, _ disk: (EventSpan, Catalogue) -> [Entry]?) {
        switch reading.removeFirst() {
        case .events(let request): respond(request, &effects, disk)
        case .history(var history):
            if hasResponded(&history, &effects, disk) { return }
            reading.putBack(.history(history))
        case nil: break
        }
    }

    /// Responds to `events`: at once if all events are in memory, else by `read`.
    mutating func respondWithEvents(_ request: Request, _ effects: inout SiteEffects) throws(Refused) {
        guard log.isInMemory(request) else { return try reading.add(.events(request)) }
        respond(request, &effects) { _, _ in [] }
    }

    private func respond(
        _ request: Request, _ effects: inout SiteEffects, _ disk: (EventSpan, Catalogue) -> [Entry]?
    ) {
        effects.reply(SiteRequest.events.rawValue, request, log.respond(request, origin: effects.origin, read: disk))
    }

    /// Responds to `history` with a page of events, oldest first: at once if all events are in memory, else by `read`.
    ///
    /// - Parameter item: the item that is asked for; `nil`: all items.
    mutating func respondWithHistory(
        _ asked: HistoryRequest, ofItem item: String?, _ request: Request, _ effects: inout SiteEffects
    ) throws(Refused) {
        var history = LogReading.History(
            request: request, topic: item.map { Topic.itemEvent(item: $0).name(under: effects.prefix) },
            since: asked.since,
            place: log.latest(of: asked.after.events.map { Place(boot: $0.boot.description, seq: $0.seq) }))
        if log.spans.contains(where: { $0.boot != log.boot || $0.seqs.lowerBound < log.firstInMemory }) {
            return try reading.add(.history(history))
        }
        while !hasResponded(&history, &effects, { _, _ in [] }) {}
    }

    /// Makes one step of a response; returns whether the response was sent.
    private func hasResponded(
        _ history: inout LogReading.History, _ effects: inout SiteEffects, _ read: (EventSpan, Catalogue) -> [Entry]?
    ) -> Bool {
        guard let outcome = gather(&history, effects.origin, read) else { return false }
        effects.reply(SiteRequest.history.rawValue, history.request, outcome)
        return true
    }

    /// Looks at the next events; returns the response once it is complete.
    ///
    /// - Parameter ownOrigin: when this run started, if that is known.
    private func gather(
        _ history: inout LogReading.History, _ ownOrigin: WallTime?, _ read: (EventSpan, Catalogue) -> [Entry]?
    ) -> Response<HistoryResponse>.Outcome? {
        guard let piece = piece(of: history) else { return .done(HistoryResponse(events: history.page)) }
        guard history.page.count < HistoryResponse.most else {
            return .done(HistoryResponse(events: history.page, more: true))
        }
        let isHere = piece.boot == log.boot && piece.seqs.lowerBound >= log.firstInMemory
        let entries = isHere ? Array(log.entries(in: piece.seqs, most: .max).entries) : read(piece, log.catalogue)
        guard let entries else { return .failed("The event log cannot be read now: ask again in a while.") }
        let origin = piece.boot == log.boot ? ownOrigin : log.origin(of: piece.boot)
        // Where the page fills up, what is behind its last event is looked at with the next one.
        history.place = Place(boot: piece.boot, seq: piece.seqs.upperBound)
        for entry in entries where history.topic == nil || entry.topic == history.topic {
            guard case .item(let event)? = (try? LoggedEvent(parsing: entry.payload))?.dated(fromKnown: origin) else {
                continue
            }
            if let since = history.since, event.stamp.at < since { continue }
            guard history.page.count < HistoryResponse.most else {
                return .done(HistoryResponse(events: history.page, more: true))
            }
            history.page.append(event)
        }
        return nil
    }

    /// The events that are looked at next; `nil` behind the last.
    private func piece(of history: LogReading.History) -> EventSpan? {
        let place = history.place
        let onDisk = log.catalogue.piece(
            behind: place, writtenSince: history.since.map { $0 - LogReading.margin })
        // Behind an event of this run there are only events of this run.
        if var piece = onDisk,
            piece.boot != log.boot ? place?.boot != log.boot : piece.seqs.lowerBound < log.firstInMemory
        {
            if piece.boot == log.boot {
                piece.seqs = piece.seqs.lowerBound...min(piece.seqs.upperBound, log.firstInMemory - 1)
            }
            return piece.first(LogReading.step)
        }
        guard let last = log.spans.last, last.boot == log.boot else { return nil }
        let first = max(log.firstInMemory, place.map { $0.boot == log.boot ? $0.seq + 1 : 0 } ?? 0)
        guard first <= last.seqs.upperBound else { return nil }
        return EventSpan(boot: log.boot, seqs: first...last.seqs.upperBound).first(LogReading.step)
    }
}

extension LoggedEvent {
    /// The event with its time corrected by the start of its run, if that is known.
    fileprivate func dated(fromKnown origin: WallTime?) -> LoggedEvent { origin.map(dated(from:)) ?? self }
}

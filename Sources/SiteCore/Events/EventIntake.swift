import Beacons
import Messages

/// Hands out the numbered events of one gateway in order, each once, and requests the ones that are missing.
///
/// An event behind a gap waits until the gap is filled, for `patience` at most. Then the event is handed out anyway: a current state is worth
/// more than the order. Limits:
///
/// - The last `fewBoots` runs are remembered, and earlier ones as long as the gateway's log holds them or an event of them is missing.
/// - At most `mostBoots` runs are remembered. The oldest is dropped first.
/// - At most `mostHeld` events wait. Beyond that, events are handed out without order.
struct EventIntake: Sendable {
    /// Requested events that the gateway no longer has.
    struct Forgotten: Hashable, Sendable {
        var boot: Boot
        var seqs: [ClosedRange<UInt64>]
    }

    static let fewBoots = 16
    /// The most runs that a gateway's `info` can list.
    static let mostBoots = GatewayInfo.longestList
    static let mostHeld = 5_000
    /// An event whose number is beyond all known ones by more is a mistake: what is missing before it would count as lost. If it is none, the
    /// gateway's next `info` has its number, and the event is requested.
    static let farthest: UInt64 = 1_000_000
    /// How long an event waits for those before it.
    static let patience = Interval.seconds(5)
    /// How long a gap lasts before its events are requested: they may still be on their way.
    static let hesitation = Interval.seconds(1)
    /// How long a response may take. Without a response the request is repeated after the same time, then after twice that, up to
    /// `longestPause`.
    static let responseTime = Interval.seconds(5)
    static let longestPause = Interval.seconds(300)
    /// How long a response may take while everything waits for it: a broker that elects a leader drops requests, and gateways reconnect one by
    /// one.
    static let urgentResponseTime = Interval.seconds(2)

    /// Whether the gateway has reported what its log holds, or has published an event.
    private var isMet = false
    /// The gateway's present run, as its `info` has it.
    private var present: Boot?
    /// When it was found that the log holds nothing of the runs before, so that the gateway has lost its state folder; `nil`: it has not, or it knows by
    /// now what is there.
    var lostRunsAt: Instant?
    /// Oldest first.
    private var boots: [BootEvents] = []
    private var question: Question?
    /// Whether the gateway may have published events, while the aggregator was disconnected, that its last `info` does not list.
    private var isUnsureOfEnd = false
    /// How many runs have become known since the site was last written to the disk.
    private var unstoredBoots = 0
    private var questions: UInt64 = 0
    private var gapSince: Instant?
    private var waitingSince: Instant?
    private var mayAskAt = Instant.zero
    private var pause = Self.responseTime
    /// Whether the last request got no response in time.
    private var isResponsePending = false

    init() {}

    /// Continues after a restart.
    ///
    /// - Parameter stored: The events that were handed out before, oldest run first.
    init(restoring stored: [LogRange]) {
        isMet = true
        for range in stored { boots[index(of: range.boot)].giveUp(range.seqs.from...range.seqs.to) }
        for index in boots.indices { boots[index].resume() }
        unstoredBoots = 0
    }

    /// The events of each run that were handed out, oldest run first: what is written to the disk.
    var stored: [LogRange] {
        boots.flatMap { events in
            events.done.ranges.map {
                LogRange(boot: events.boot, seqs: SeqRange(from: $0.lowerBound, to: $0.upperBound))
            }
        }
    }

    /// Whether so many runs are not on the disk that some of them might be unknown after a restart.
    var isStoredTooRarely: Bool { unstoredBoots >= Self.fewBoots / 2 }

    /// Whether a run of the gateway is not on the disk.
    var hasUnstoredBoots: Bool { unstoredBoots > 0 }

    /// The site was written to the disk.
    mutating func isOnDisk() { unstoredBoots = 0 }

    /// Whether no event is known to be missing.
    var isComplete: Bool { nextGap == nil && !isUnsureOfEnd && boots.allSatisfy(\.isAnnounced) }

    /// Whether the gateway responds to requests.
    var hasResponded: Bool { !isResponsePending }

    /// Whether more events wait than `mostHeld`.
    var isFull: Bool { boots.reduce(0) { $0 + $1.held.count } > Self.mostHeld }

    /// Whether the gateway published one event before another. Runs are in the order in which they became known, because a gateway that
    /// lost its disk counts its runs from the start.
    func isBefore(_ one: EventID, _ other: EventID) -> Bool {
        if one.boot == other.boot { return one.seq < other.seq }
        let (first, second) = (position(of: one.boot), position(of: other.boot))
        guard let first, let second else { return false }
        return first < second
    }

    // MARK: What comes in

    /// Applies the ranges of the log that a gateway reports.
    ///
    /// Events that the log held when the gateway became known are not requested: they are older than this aggregator's interest in the
    /// gateway.
    ///
    /// - Parameters:
    ///   - log: The ranges of the log, oldest run first.
    ///   - boot: The id of the gateway's present run.
    mutating func learn(_ log: [LogRange], in boot: Boot, at now: Instant) {
        let isFirst = !isMet
        isMet = true
        let log = isFirst ? log.suffix(Self.fewBoots) : log[...]
        // A run older than all remembered ones was handed out and forgotten, if so many are remembered.
        let begin = boots.count < Self.fewBoots ? log.startIndex : log.firstIndex { position(of: $0.boot) != nil }
        for place in (begin ?? log.startIndex)..<log.endIndex {
            let range = log[place]
            let index = index(of: range.boot, before: log[(place + 1)...])
            if isFirst { boots[index].pass(range.seqs.to) }
            boots[index].last = max(boots[index].last, range.seqs.to)
        }
        // The present run is the newest, even if the gateway's disk has lost the count.
        if !isFirst, position(of: boot) == nil { isUnsureOfEnd = true }
        let current = index(of: boot)
        boots.append(boots.remove(at: current))
        for index in boots.indices { boots[index].isAnnounced = true }
        let listed = Set(log.map(\.boot))
        if present != boot {
            present = boot
            let hasLostRuns = boots.count > 1 && !boots.dropLast().contains { listed.contains($0.boot) }
            lostRunsAt = hasLostRuns ? now : nil
        }
        forgetBoots(unlessIn: listed)
        noteGap(at: now)
    }

    /// Forgets complete runs that the gateway's log no longer holds, except the last few.
    private mutating func forgetBoots(unlessIn listed: Set<Boot>) {
        while boots.count > Self.fewBoots, boots[0].isOver, !listed.contains(boots[0].boot) { boots.removeFirst() }
    }

    /// Receives a published event; returns `false` for a duplicate, and for one that cannot be.
    mutating func receive(_ event: LoggedEvent, at now: Instant) -> Bool {
        let isFirst = !isMet
        let index = index(of: event.id.boot)
        guard event.id.seq <= boots[index].last + Self.farthest else { return false }
        isMet = true
        if isFirst || event.id.seq <= boots[index].passed { boots[index].begin(at: event.id.seq) }
        guard boots[index].hold(event) else { return false }
        noteGap(at: now)
        return true
    }

    /// Receives a response; returns `nil` if it does not belong to the open request.
    mutating func receive(_ response: EventsResponse, transaction: String?, at now: Instant) -> Forgotten? {
        guard let asked = question, asked.transaction == transaction else { return nil }
        question = nil
        let index = index(of: asked.requested.boot)
        let published = response.events.filter { $0.id.boot == asked.requested.boot }
        for event in published { _ = boots[index].hold(event) }
        var forgotten: [ClosedRange<UInt64>] = []
        if asked.isAboutEnd {
            isUnsureOfEnd = response.more || asked.requested.boot != boots.last?.boot
        } else {
            // Requested events that are neither in the response nor behind its end are lost.
            let requested = asked.requested.seqs
            var end = requested.to
            if response.more, let last = published.map(\.id.seq).max(), last >= requested.from { end = min(end, last) }
            while let gap = boots[index].there.firstGap(in: requested.from...end) {
                boots[index].giveUp(gap)
                forgotten.append(gap)
            }
        }
        (mayAskAt, pause, isResponsePending) = (now, Self.responseTime, false)
        if waitingSince != nil { waitingSince = now }
        gapSince = nil
        noteGap(at: now, hesitating: false)
        return Forgotten(boot: asked.requested.boot, seqs: forgotten)
    }

    /// Hands out the events whose turn it is, in order, each once.
    ///
    /// - Parameter isLate: whether events behind a gap have waited for long enough.
    mutating func drainReady(at now: Instant, isLate: Bool = false) -> [LoggedEvent] {
        var turns: [LoggedEvent] = []
        for index in boots.indices {
            turns += boots[index].drainInOrder()
            guard boots[index].isWaiting else { continue }
            guard isLate || isImpatient(at: now) else { break }
            turns += boots[index].removeAll()
        }
        let waits = boots.contains { !$0.held.isEmpty }
        waitingSince = waits ? waitingSince ?? now : nil
        return turns
    }

    // MARK: Requests

    /// The request to send now, if one is due.
    ///
    /// - Parameter isUrgent: whether everything waits for the response. Then a request without a response is repeated soon.
    mutating func nextQuestion(
        at now: Instant, isUrgent: Bool = false
    ) -> (requested: EventsRequest, transaction: String)? {
        if let question {
            if isUrgent, now >= question.at + Self.urgentResponseTime {
                // The same request again, so that a late response counts as well.
                isResponsePending = true
                self.question?.at = now
                return (question.requested, question.transaction)
            }
            guard now >= question.at + Self.responseTime else { return nil }
            self.question = nil
            isResponsePending = true
            mayAskAt = now + pause
            pause = min(pause + pause, Self.longestPause)
        }
        guard now >= mayAskAt else { return nil }
        if let gap = nextGap {
            guard let gapSince, now >= gapSince + Self.hesitation else { return nil }
            return ask(of: gap.boot, gap.seqs, isAboutEnd: false, at: now)
        }
        guard isUnsureOfEnd, let newest = boots.last else { return nil }
        return ask(
            of: newest.boot, newest.last + 1...newest.last + UInt64(EventsResponse.most), isAboutEnd: true, at: now)
    }

    private mutating func ask(
        of boot: Boot, _ seqs: ClosedRange<UInt64>, isAboutEnd: Bool, at now: Instant
    ) -> (requested: EventsRequest, transaction: String) {
        questions += 1
        let transaction = "gap-\(questions)"
        let requested = EventsRequest(boot: boot, seqs: SeqRange(from: seqs.lowerBound, to: seqs.upperBound))
        question = Question(
            requested: requested, transaction: transaction, at: now, isAboutEnd: isAboutEnd)
        return (requested, transaction)
    }

    /// The gateway has a new connection: a request may be sent at once.
    mutating func mayAskAnew() {
        question = nil
        (mayAskAt, pause, isResponsePending) = (.zero, Self.responseTime, false)
    }

    /// The aggregator has a new connection, or messages were dropped: events that were published meanwhile are requested.
    mutating func missedSomething() {
        mayAskAnew()
        isUnsureOfEnd = isMet
    }

    // MARK: Inside

    private var nextGap: (boot: Boot, seqs: ClosedRange<UInt64>)? {
        for events in boots {
            if let gap = events.missing { return (events.boot, gap) }
        }
        return nil
    }

    private func isImpatient(at now: Instant) -> Bool {
        if isFull { return true }
        guard let waitingSince else { return false }
        return now >= waitingSince + Self.patience
    }

    private mutating func noteGap(at now: Instant, hesitating: Bool = true) {
        guard nextGap != nil else { return gapSince = nil }
        gapSince = gapSince ?? (hesitating ? now : now - Self.hesitation)
    }

    private func position(of boot: Boot) -> Int? { boots.firstIndex { $0.boot == boot } }

    /// The index of a run. An unknown run is inserted before those of `later`, or else by its count.
    private mutating func index(of boot: Boot, before later: ArraySlice<LogRange> = []) -> Int {
        if let index = position(of: boot) { return index }
        unstoredBoots += 1
        var events = BootEvents(boot)
        let listed = later.compactMap { position(of: $0.boot) }.first
        let counted = boots.firstIndex { $0.boot.epoch > boot.epoch }
        // Behind other runs, its first event waits until the gateway has reported what its log holds of them.
        events.isAnnounced = boots.isEmpty || listed ?? counted != nil
        boots.insert(events, at: listed ?? counted ?? boots.endIndex)
        if boots.count > Self.mostBoots { boots.remove(at: boots[0].boot == boot ? 1 : 0) }
        return position(of: boot)!
    }
}

/// A request without a response.
private struct Question: Sendable {
    var requested: EventsRequest
    var transaction: String
    /// When the request was sent.
    var at: Instant
    /// Whether the request is for events that may follow the last known one.
    var isAboutEnd: Bool
}

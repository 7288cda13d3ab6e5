import Beacons
import Messages

/// The numbered events of one gateway as they come in: in order, each once, and what is missing is asked for.
///
/// An event behind a gap waits until the gap is filled, for `patience` at most: then the present is worth more than the order. Of the
/// boots, the last few are remembered, and of those before them the ones that the gateway's log still holds or of which something is
/// missing: at most `mostBoots`, the oldest is dropped first. At most `mostHeld` events wait, beyond that order is given up.
struct EventIntake: Sendable {
    /// What a gateway had to forget of what it was asked for.
    struct Forgotten: Hashable, Sendable {
        var boot: Boot
        var seqs: [ClosedRange<UInt64>]
    }

    static let fewBoots = 16
    /// A gateway does not tell of more.
    static let mostBoots = GatewayInfo.longestList
    static let mostHeld = 5_000
    /// How long an event waits for those before it.
    static let patience = Interval.seconds(5)
    /// A gap is asked for when it has lasted so long: what is missing may be on its way.
    static let hesitation = Interval.seconds(1)
    /// How long an answer may take. What was not answered is asked again after as long, then twice as long, up to `longestPause`.
    static let answerTime = Interval.seconds(5)
    static let longestPause = Interval.seconds(300)
    /// The same while everything waits for the response: a broker that elects a leader drops requests, and gateways come back one by one.
    static let urgentAnswerTime = Interval.seconds(2)

    /// Something was heard of this gateway's events, be it that there are none.
    private var isMet = false
    /// Oldest first.
    private var boots: [BootEvents] = []
    private var question: Question?
    /// After an absence of ours: the gateway may have told the broker more than its last word of its log says, and nobody was there.
    private var isUnsureOfEnd = false
    /// How many boots were heard of since the disk was told.
    private var unkeptBoots = 0
    private var questions: UInt64 = 0
    private var gapSince: Instant?
    private var waitingSince: Instant?
    private var mayAskAt = Instant.zero
    private var pause = Self.answerTime
    /// Whether there was no response to the last request in time.
    private var isUnanswered = false

    init() {}

    /// What was handed out before a restart, oldest boot first.
    init(restoring kept: [LogRange]) {
        isMet = true
        for range in kept { boots[index(of: range.boot)].giveUp(range.seqs.from...range.seqs.to) }
        for index in boots.indices { boots[index].resume() }
        unkeptBoots = 0
    }

    /// For the disk: what of each boot was handed out, oldest first.
    var kept: [LogRange] {
        boots.flatMap { events in
            events.done.ranges.map {
                LogRange(boot: events.boot, seqs: SeqRange(from: $0.lowerBound, to: $0.upperBound))
            }
        }
    }

    /// Whether the disk knows of so few of the boots that what it lacks might not be remembered either after a restart.
    var isKeptTooRarely: Bool { unkeptBoots >= Self.fewBoots / 2 }

    /// Whether the disk does not know of a run of the gateway.
    var hasUnkeptBoots: Bool { unkeptBoots > 0 }

    /// What is `kept` is on disk now.
    mutating func isOnDisk() { unkeptBoots = 0 }

    /// Whether nothing is missing, as far as is known.
    var isComplete: Bool { nextGap == nil && !isUnsureOfEnd && boots.allSatisfy(\.isAnnounced) }

    /// Whether the gateway answers what it is asked.
    var isAnswered: Bool { !isUnanswered }

    /// Whether more waits than is meant to.
    var isFull: Bool { boots.reduce(0) { $0 + $1.held.count } > Self.mostHeld }

    /// Whether the gateway counted one event before another. Its boots are in the order in which they were heard of, as its disk may
    /// have forgotten the count.
    func isBefore(_ one: EventID, _ other: EventID) -> Bool {
        if one.boot == other.boot { return one.seq < other.seq }
        let (first, second) = (position(of: one.boot), position(of: other.boot))
        guard let first, let second else { return false }
        return first < second
    }

    // MARK: What comes in

    /// Takes what a gateway in its boot `boot` says that its log holds, oldest boot first. What is there when it is met for the first
    /// time was for nobody here, and is not asked for.
    mutating func learn(_ log: [LogRange], in boot: Boot, at now: Instant) {
        let isFirst = !isMet
        isMet = true
        let log = isFirst ? log.suffix(Self.fewBoots) : log[...]
        // Older than all that are remembered, where so many are: it had its turn, and was forgotten here.
        let begin = boots.count < Self.fewBoots ? log.startIndex : log.firstIndex { position(of: $0.boot) != nil }
        for place in (begin ?? log.startIndex)..<log.endIndex {
            let range = log[place]
            let index = index(of: range.boot, before: log[(place + 1)...])
            if isFirst { boots[index].pass(range.seqs.to) }
            boots[index].last = max(boots[index].last, range.seqs.to)
        }
        // The boot that it is in is the newest, whatever its disk has forgotten.
        if !isFirst, position(of: boot) == nil { isUnsureOfEnd = true }
        let current = index(of: boot)
        boots.append(boots.remove(at: current))
        for index in boots.indices { boots[index].isAnnounced = true }
        forgetBoots(unlessIn: log)
        noteGap(at: now)
    }

    /// Forgets boots that nobody will speak of any more, and keeps a few.
    private mutating func forgetBoots(unlessIn log: ArraySlice<LogRange>) {
        guard boots.count > Self.fewBoots else { return }
        let listed = Set(log.map(\.boot))
        while boots.count > Self.fewBoots, boots[0].isOver, !listed.contains(boots[0].boot) { boots.removeFirst() }
    }

    /// Takes an event that was published; `false` for a double.
    mutating func take(_ event: LoggedEvent, at now: Instant) -> Bool {
        let isFirst = !isMet
        isMet = true
        let index = index(of: event.id.boot)
        if isFirst || event.id.seq <= boots[index].passed { boots[index].begin(at: event.id.seq) }
        guard boots[index].hold(event) else { return false }
        noteGap(at: now)
        return true
    }

    /// Takes an answer; `nil` if it is not to our question.
    mutating func take(_ answer: EventsAnswer, transaction: String?, at now: Instant) -> Forgotten? {
        guard let asked = question, asked.transaction == transaction else { return nil }
        question = nil
        let index = index(of: asked.wanted.boot)
        let told = answer.events.filter { $0.id.boot == asked.wanted.boot }
        for event in told { _ = boots[index].hold(event) }
        var forgotten: [ClosedRange<UInt64>] = []
        if asked.isAboutEnd {
            isUnsureOfEnd = answer.more || asked.wanted.boot != boots.last?.boot
        } else {
            // What was asked for, is not in the answer, and is not behind it, is gone.
            let wanted = asked.wanted.seqs
            var end = wanted.to
            if answer.more, let last = told.map(\.id.seq).max(), last >= wanted.from { end = min(end, last) }
            while let gap = boots[index].there.firstGap(in: wanted.from...end) {
                boots[index].giveUp(gap)
                forgotten.append(gap)
            }
        }
        (mayAskAt, pause, isUnanswered) = (now, Self.answerTime, false)
        if waitingSince != nil { waitingSince = now }
        gapSince = nil
        noteGap(at: now, hesitating: false)
        return Forgotten(boot: asked.wanted.boot, seqs: forgotten)
    }

    /// Those whose turn it is, in order. Each is handed out once.
    mutating func takeReady(at now: Instant) -> [LoggedEvent] {
        var turns: [LoggedEvent] = []
        for index in boots.indices {
            turns += boots[index].takeInOrder()
            guard boots[index].isWaiting else { continue }
            guard isImpatient(at: now) else { break }
            turns += boots[index].takeAll()
        }
        let waits = boots.contains { !$0.held.isEmpty }
        waitingSince = waits ? waitingSince ?? now : nil
        return turns
    }

    // MARK: What is asked for

    /// The request to send now, if one is due.
    ///
    /// - Parameter isUrgent: whether everything waits for the response, for a while. The request is then repeated soon.
    mutating func nextQuestion(
        at now: Instant, isUrgent: Bool = false
    ) -> (wanted: EventsRequest, transaction: String)? {
        if let question {
            if isUrgent, now >= question.at + Self.urgentAnswerTime {
                // The same transaction: a late response counts as well.
                isUnanswered = true
                self.question?.at = now
                return (question.wanted, question.transaction)
            }
            guard now >= question.at + Self.answerTime else { return nil }
            self.question = nil
            isUnanswered = true
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
            of: newest.boot, newest.last + 1...newest.last + UInt64(EventsAnswer.most), isAboutEnd: true, at: now)
    }

    private mutating func ask(
        of boot: Boot, _ seqs: ClosedRange<UInt64>, isAboutEnd: Bool, at now: Instant
    ) -> (wanted: EventsRequest, transaction: String) {
        questions += 1
        let transaction = "gap-\(questions)"
        let wanted = EventsRequest(boot: boot, seqs: SeqRange(from: seqs.lowerBound, to: seqs.upperBound))
        question = Question(
            wanted: wanted, transaction: transaction, at: now, isAboutEnd: isAboutEnd)
        return (wanted, transaction)
    }

    /// A new connection of the gateway's: it may be asked at once.
    mutating func mayAskAnew() {
        question = nil
        (mayAskAt, pause, isUnanswered) = (.zero, Self.answerTime, false)
    }

    /// A new connection of ours: what was said meanwhile was said to nobody, and has to be asked for.
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

    /// Where a boot is; one that was not heard of came before those of `later`, or else is where its count puts it.
    private mutating func index(of boot: Boot, before later: ArraySlice<LogRange> = []) -> Int {
        if let index = position(of: boot) { return index }
        unkeptBoots += 1
        var events = BootEvents(boot)
        let listed = later.compactMap { position(of: $0.boot) }.first
        let counted = boots.firstIndex { $0.boot.epoch > boot.epoch }
        // Behind others, its first event waits for the word of what their logs hold.
        events.isAnnounced = boots.isEmpty || listed ?? counted != nil
        boots.insert(events, at: listed ?? counted ?? boots.endIndex)
        if boots.count > Self.mostBoots { boots.remove(at: boots[0].boot == boot ? 1 : 0) }
        return position(of: boot)!
    }
}

/// What was asked for and not answered yet.
private struct Question: Sendable {
    var wanted: EventsRequest
    var transaction: String
    /// When it was asked.
    var at: Instant
    /// Whether it asks for what there may be behind the last that is known.
    var isAboutEnd: Bool
}

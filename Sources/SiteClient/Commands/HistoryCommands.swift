import ArgumentParser
import Beacons
import Glibc
import Linux
import Messages
import Settings
import Text

struct HistoryCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show the events of one item, as far back as they are known.",
        discussion: """
            The event log has the last days, as "forgetmenot events" shows them: moved, left, returned, forgotten, taken, alone and low. Of the
            time before, the history has only moved, left and returned, and moved also for rooms that the item was in for a few seconds.
            """)

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @Option(
        parsing: .unconditional,
        help: "When to begin: how long ago, like 12h, 2d or 2w, or a day like 2026-11-22. (default: all known events)")
    var since: String?

    @Option(parsing: .unconditional, help: "When to end, in the same way; a day is not shown itself. (default: now)")
    var until: String?

    @OptionGroup var show: ShowOptions

    /// The history has the stays of years, the event log has the events of days. So the history decides what is shown of the time before them.
    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let since = try since.map { (text) throws(Failure) in try moment(text, of: "--since") }
        let until = try until.map { (text) throws(Failure) in try moment(text, of: "--until") }
        let asked = HistoryRequest(item: NameOrID(name: item), since: since)
        let past = try session.past(StaysRequest(item: NameOrID(name: item), since: since))
        var (changes, events): ([PastEvent], [ItemEvent])
        switch past {
        case .stays(let response):
            // Of an item that was removed, the event log cannot be asked by name.
            events = (try? session.history(asked)) ?? []
            changes = PastEvent.events(of: response.stays, since: since, before: events)
        case .none(let reason):
            (changes, events) = ([], try session.history(asked))
            printError("forgetmenot: \(reason); these are the events of the event log, which has the last days only")
        }
        // The event log has the events in the order in which they became certain.
        events.sort { $0.stamp.at < $1.stamp.at }
        if let until {
            changes.removeAll { $0.at >= until }
            events.removeAll { $0.stamp.at >= until }
        }
        guard !show.json else {
            printJSON(
                jsonArray(Array(0..<changes.count + events.count)) { index, json in
                    if index >= changes.count { return events[index - changes.count].write(to: &json) }
                    if case .stays(let response) = past {
                        changes[index].write(item: response.item, name: response.name, to: &json)
                    }
                })
            return .right
        }
        var table = Table(["AT", "EVENT", "FROM", "TO"])
        for event in changes + events.map(PastEvent.init) {
            let (from, to) = event.change.rooms
            table.append([event.at.local, event.words, from, to])
        }
        for line in table.lines(width: terminalWidth()) { printLine(line) }
        if changes.isEmpty, events.isEmpty {
            printError(
                since == nil && until == nil
                    ? "No events of \(item) are known yet: they begin when it moves, leaves or returns."
                    : "There were no events of \(item) in that time: without \"--since\" and \"--until\" you see all.")
        }
        return .right
    }
}

struct EventsCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show when items moved, left, returned, or caused another event.",
        discussion: "The events are moved, left, returned, forgotten, taken, alone and low.")

    @Flag(help: "Show new events as well, until interrupted.")
    var follow = false

    @Option(parsing: .unconditional, help: "How far back to begin, like 12h or 2d.")
    var since = "1d"

    @Flag(help: "Print one JSON array; with --follow, one object per line.")
    var json = false

    @OptionGroup var broker: BrokerOption

    private static let shortestPause = Interval.seconds(2)

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        var asked = HistoryRequest(since: try moment(since, of: "--since"))
        guard follow else {
            // The event log has the events in the order in which they became certain.
            let events = try session.history(asked).sorted { $0.stamp.at < $1.stamp.at }
            if json {
                printJSON(jsonArray(events) { $0.write(to: &$1) })
            } else {
                for event in events { report(event) }
                if events.isEmpty {
                    printError("There were no events in the last \(since): \"--since 7d\" shows older ones.")
                }
            }
            return .right
        }
        var shown: Set<EventID> = []
        /// When the past is requested again that could not be had, and the pause after that.
        var (retryAt, pause) = (Instant?.none, Self.shortestPause)
        func show(_ event: ItemEvent) {
            guard shown.insert(event.id).inserted else { return }
            if json { printJSON(event.bytes) } else { report(event) }
            // The next request for the past begins where the former one did.
            guard retryAt == nil else { return }
            // After a pause the next request begins behind the newest event, so older ids are not needed.
            if shown.count > 1000 { shown = [event.id] }
            asked.after.note(event.id)
        }
        /// Requests earlier events, and those missed while there was no broker. New events wait meanwhile, so none gets lost.
        func showPast() {
            do throws(Failure) {
                let past = try session.history(asked)
                (retryAt, pause) = (nil, Self.shortestPause)
                for event in past { show(event) }
                if let last = past.last { asked.after.note(last.id) }
            } catch {
                if retryAt == nil { printError("forgetmenot: \(error); it is asked again") }
                retryAt = Clock.now + pause
                pause = min(pause + pause, .seconds(300))
            }
        }
        try session.follow(
            [.follower], isPatient: true, tick: .seconds(1),
            onTick: {
                if let due = retryAt, Clock.now >= due { showPast() }
                return true
            }
        ) { event in
            switch event {
            case .caughtUp: showPast()
            case .message(let topic, let payload, _):
                if let event = try? ItemEvent(parsing: payload, on: topic) { show(event) }
            case .failing(let reason): printError("forgetmenot: \(reason)")
            }
            return .goOn
        }
        return .right
    }
}

private func report(_ event: ItemEvent) {
    let line = "\(event.stamp.at.local)  \(event.name): \(event.change.word)\(event.change.way)"
    printLine(line + event.probableCause.suffix)
}

/// The time so long ago, or the time that an option names. A day begins at midnight here.
private func moment(_ text: String, of option: String) throws(Failure) -> WallTime {
    let weeks = text.last == "w" ? Int(text.dropLast()).flatMap { (0...1000).contains($0) ? "\($0 * 7)d" : nil } : nil
    if let past = Interval(duration: weeks ?? text) { return Clock.wall - past }
    if let time = WallTime(text) ?? WallTime(localDay: text) { return time }
    throw Failure(
        .usage,
        "\(option) is \"\(text)\": write how long ago, like 12h, 2d or 2w, or when, like 2026-11-22 or 2026-11-22T14:00:00Z"
    )
}

extension WallTime {
    /// The midnight with which a day like 2026-11-22 begins on this machine.
    fileprivate init?(localDay text: String) {
        guard text.utf8.count == 10, let day = WallTime(text + "T00:00:00Z") else { return nil }
        // As if the day began at midnight UTC; mktime moves that to midnight here.
        var seconds = time_t(day.milliseconds / 1000)
        var date = tm()
        gmtime_r(&seconds, &date)
        date.tm_isdst = -1
        self.init(milliseconds: Int64(mktime(&date)) * 1000)
    }
}

extension ProbableCause? {
    /// What stands behind an absence: " (probably an empty battery)".
    var suffix: String { self == nil ? "" : " (probably an empty battery)" }
}

extension ItemEvent.Change {
    /// Where, behind the word: " from Hall to Kitchen".
    fileprivate var way: String {
        switch self {
        case .moved(let from, let to): " from \(from) to \(to)"
        case .left(let from), .taken(let from): from.map { ", last in \($0)" } ?? ""
        case .forgotten(let room, _), .alone(let room): room.map { " in \($0)" } ?? ""
        case .returned(let to): to.map { " to \($0)" } ?? ""
        case .low: level.map { " (\($0))" } ?? ""
        }
    }

    fileprivate var rooms: (from: String?, to: String?) {
        switch self {
        case .moved(let from, let to): (from, to)
        case .left(let from), .taken(let from), .forgotten(let from, _): (from, nil)
        case .alone(let room): (room, nil)
        case .returned(let to): (nil, to)
        case .low: (nil, nil)
        }
    }

    fileprivate var level: String? { if case .low(let battery) = self { battery.batteryLevel } else { nil } }
}

/// The past of an item, if there is a history.
enum Past {
    case stays(StaysResponse)
    /// Why there is none, in a sentence.
    case none(String)
}

extension BrokerSession {
    /// How long the history may take to respond.
    private static let patienceForStays = Interval.seconds(3)

    /// All stays of an item that match the request; the aggregator returns them page by page.
    func past(_ asked: StaysRequest) throws(Failure) -> Past {
        var past: Past?
        var isAsked = false
        do throws(Failure) {
            try askInTurn(.stays, patience: Self.patienceForStays) {
                (outcome: Response<StaysResponse>.Outcome?) -> StaysRequest? in
                isAsked = true
                var asked = asked
                switch outcome {
                case .done(var page):
                    let isMore = page.more
                    if case .stays(let former) = past { page.stays = former.stays + page.stays }
                    past = .stays(page)
                    guard isMore, let last = page.stays.last else { return nil }
                    asked.after = last.from
                case .failed(let sentence):
                    past = Past.none(errorLine(ofRefusal: sentence))
                    return nil
                case nil: break
                }
                return asked
            }
        } catch {
            guard isAsked else { throw error }
            return .none("the history does not respond")
        }
        return past ?? .none("the history does not respond")
    }

    /// All events that match the request; the aggregator returns them page by page.
    func history(_ asked: HistoryRequest) throws(Failure) -> [ItemEvent] {
        var events: [ItemEvent] = []
        var refusal: String?
        try askInTurn(.history) { (outcome: Response<HistoryResponse>.Outcome?) -> HistoryRequest? in
            var asked = asked
            switch outcome {
            case .done(let page):
                events += page.events
                guard page.more, let last = page.events.last else { return nil }
                asked.after.note(last.id)
            case .failed(let sentence):
                refusal = sentence
                return nil
            case nil: break
            }
            return asked
        }
        if let refusal { throw failure(ofRefusal: refusal) }
        return events
    }
}

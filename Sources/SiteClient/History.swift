import Beacons
import Linux
import Messages
import Settings
import Text

/// Shows the events of one item: `forgetmenot history`.
public func showHistory(
    of item: String, since: String?, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    let since = try since.map(beginning)
    let asked = HistoryRequest(item: NamedThing(name: item), since: since)
    let events = try session.history(asked)
    guard !asJSON else {
        printJSON(jsonArray(events) { $0.write(to: &$1) })
        return .right
    }
    var table = Table([Table.Column("AT"), Table.Column("EVENT"), Table.Column("FROM"), Table.Column("TO")])
    for event in events {
        let (from, to) = event.change.rooms
        table.append(["\(event.stamp.at)", event.change.word, from, to])
    }
    for line in table.lines(width: terminalWidth()) { printLine(line) }
    return .right
}

/// Shows the events of all items, and with `follow` new events as well: `forgetmenot events`.
public func showEvents(
    since: String, follow: Bool, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    var asked = HistoryRequest(since: try beginning(since))
    guard follow else {
        let events = try session.history(asked)
        if asJSON { printJSON(jsonArray(events) { $0.write(to: &$1) }) } else { for event in events { tell(event) } }
        return .right
    }
    var shown: Set<EventID> = []
    func show(_ event: ItemEvent) {
        guard shown.insert(event.id).inserted else { return }
        // After a pause the next request begins behind the newest event, so older ids are not needed.
        if shown.count > 1000 { shown = [event.id] }
        asked.after = event.id
        if asJSON { printJSON(event.bytes) } else { tell(event) }
    }
    try session.follow([.follower], isPatient: true) { event in
        switch event {
        // Requests earlier events, and those missed while there was no broker. New events wait meanwhile, so none gets lost.
        case .caughtUp:
            do throws(Failure) { for event in try session.history(asked) { show(event) } } catch {
                printError("forgetmenot: \(error)")
            }
        case .message(let topic, let payload, _):
            if let event = try? ItemEvent(parsing: payload, on: topic) { show(event) }
        case .failing(let reason): printError("forgetmenot: \(reason)")
        }
        return .goOn
    }
    return .right
}

private func tell(_ event: ItemEvent) {
    let (from, to) = event.change.rooms
    let way = [from.map { " from \($0)" }, to.map { " to \($0)" }].compactMap { $0 }.joined()
    printLine("\(event.stamp.at)  \(event.name): \(event.change.word)\(way)")
}

/// The time so long ago.
private func beginning(_ text: String) throws(Failure) -> WallTime {
    guard let past = Interval(duration: text) else {
        throw Failure(.usage, "--since is \"\(text)\": write how long ago, like 12h or 2d")
    }
    return Clock.wall - past
}

extension ItemEvent.Change {
    fileprivate var rooms: (from: String?, to: String?) {
        switch self {
        case .moved(let from, let to): (from, to)
        case .left(let from): (from, nil)
        case .returned(let to): (nil, to)
        }
    }
}

extension BrokerSession {
    /// All events that match the request; the aggregator returns them page by page.
    func history(_ asked: HistoryRequest) throws(Failure) -> [ItemEvent] {
        var events: [ItemEvent] = []
        var refusal: String?
        try askInTurn("history") { (outcome: Response<HistoryAnswer>.Outcome?) -> HistoryRequest? in
            var asked = asked
            switch outcome {
            case .done(let page):
                events += page.events
                guard page.more, let last = page.events.last else { return nil }
                asked.after = last.id
            case .failed(let sentence):
                refusal = sentence
                return nil
            case nil: break
            }
            return asked
        }
        if let refusal { throw Failure(.no, refusal) }
        return events
    }
}

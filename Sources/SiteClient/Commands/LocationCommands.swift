import ArgumentParser
import Beacons
import Linux
import Messages
import Text

struct WhereCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "where", abstract: "Show the location of every item, or of one.",
        discussion:
            """
            With an item, exits with 0 if the item is home, with 1 if it is away, with 66 if there is no such item, and with 69 if nobody \
            knows. If the aggregator is not running, the command shows the last known locations and exits with 69. DISTANCE is the distance to \
            the gateway of NEAR. With ±, it is the radius around the item's position on the floor plan.
            """
    )

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String?

    @Option(help: "Show only the items in this room.", completion: .rooms)
    var room: String?

    @Flag(help: peopleHelp)
    var people = false

    @Option(parsing: .unconditional, help: "Show only the items on this floor.")
    var floor: Int?

    @Flag(help: "Show only items that are home.")
    var home = false

    @Flag(help: "Show only items that are away.")
    var away = false

    @Flag(help: "Show only items with a low battery.")
    var low = false

    @OptionGroup var show: ShowOptions

    private func isShown(_ location: ItemLocation, of view: SiteView) -> Bool {
        (!home || location.presence == .home) && (!away || location.presence == .away)
            && (!low || view.health[location.item]?.isLow == true)
            && (floor == nil || location.presence == .home && view.floor(of: location) == floor)
    }

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let view = try session.view(readsRangedStates: true)
        var shown = view.sorted
        let isFiltered = room != nil || floor != nil || home || away || low
        let areShown = item == nil && !isFiltered && (people || !show.json)
        let people = areShown ? view.sortedPeople : []
        if let item { shown = [try view.location(of: item)] }
        let asked = shown
        if let room { shown = try shown.filter(in: room, of: view, over: session) }
        shown = shown.filter { isShown($0, of: view) }
        report(shown, people, of: view, asJSON: show.json)
        guard item != nil, let location = asked.first else {
            return status(
                .right, of: view, showing: shown, hint: view.locations.isEmpty && !show.json ? noItems : nil)
        }
        switch location.presence {
        case .home: return status(shown.isEmpty ? .no : .right, of: view, showing: asked)
        case .away: return status(.no, of: view, showing: asked)
        case .unknown:
            let result = status(.right, of: view, showing: asked)
            guard result == .right else { return result }
            printError(
                "forgetmenot: it is unknown whether \(location.name) is home: try again in some seconds, or see \"forgetmenot doctor\""
            )
            return .unavailable
        }
    }
}

struct WatchCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the location of every item, live, until interrupted.",
        discussion:
            """
            On a terminal, the command shows one table. The arrow keys, Page Up, Page Down, Home and End scroll a table that is higher than the \
            terminal, and q ends the command. Without a terminal, it prints a line for each change of a place, and each notification. A doubtful \
            move shows when it has lasted 10 s; with --json, everything shows at once.
            """
    )

    @Flag(help: "Print one JSON object per line, for each location that changes.")
    var json = false

    @Flag(help: peopleHelp)
    var people = false

    @OptionGroup var broker: BrokerOption

    /// On a terminal the command shows one table that changes, elsewhere one line for each change of the place of an item or a person, and
    /// for each notification.
    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let screen = json ? nil : terminalWidth().map { _ in LiveScreen(readsKeys: true) }
        var view = SiteView()
        var rows = ScrolledRows()
        var lines = WatchLines()
        var moves = SettledMoves()
        var trouble: String?
        /// Whether the broker has ever sent all that it retains. Before that, nobody knows how many items and gateways there are.
        var isFilled = false
        /// Until when nobody can know whether the aggregator runs; `nil`: the broker has not sent all that it retains.
        var judgesAt: Instant?
        var hasWarned = false
        defer { screen?.end() }
        /// Warns once whenever the aggregator is found to be dead.
        func warnIfDue() {
            guard let due = judgesAt, trouble == nil, Clock.now >= due else { return }
            let isAlive = view.isAggregatorAlive()
            if !isAlive, !hasWarned, screen == nil { printError(aggregatorWarning) }
            hasWarned = !isAlive
        }
        func printChange(_ topic: Topic) {
            if !json, screen == nil, let line = lines.line(on: topic, of: view) { printLine(line) }
        }
        func note() -> String? {
            trouble ?? (hasWarned ? "the aggregator is not running: these are the last known locations" : nil)
        }
        @discardableResult func draw(on screen: LiveScreen) -> Bool {
            screen.draw(
                isFilled
                    ? liveLines(view, &rows, note: note(), hasKeys: screen.hasKeys)
                    : [truncated("Connecting to \(session.settings.endpoint) …", to: terminalWidth() ?? 80)])
        }
        try session.follow(
            [.viewer],
            optional: [.askerOfAggregator(.alive), .askerOfGateways(.alive)]
                + (screen == nil ? [] : [.rangedStates]),
            isPatient: true, tick: .seconds(1),
            inputs: { screen?.inputs ?? [] },
            onTick: {
                warnIfDue()
                for location in moves.lasting(at: Clock.now) {
                    view.show(location)
                    printChange(.itemLocation(item: location.item))
                }
                guard let screen else { return true }
                for key in screen.typedKeys() {
                    guard key != .quit else { return false }
                    rows.scroll(by: key)
                }
                return draw(on: screen)
            }
        ) { event in
            switch event {
            case .message(let topic, let payload, let delivery):
                if case .aggregatorAvailability = topic { trouble = nil }
                let shown = if case .itemLocation(let item) = topic { view.locations[item] } else { ItemLocation?.none }
                if let location = view.receive(topic, payload, delivery) {
                    if json { printJSON(location.bytes) }
                    view.show(moves.settled(location, after: shown, at: Clock.now))
                }
                if json, people, case .personLocation(let id) = topic, let person = view.people[id] {
                    printJSON(jsonObject(person.writeAmongItems))
                }
                printChange(topic)
                warnIfDue()
            case .caughtUp:
                trouble = nil
                isFilled = true
                let requests = view.requests(asksGateways: screen != nil)
                judgesAt =
                    view.aggregator.liveness(at: Clock.now) == .doubtful ? Clock.now + SiteView.patience : Clock.now
                warnIfDue()
                if let screen { draw(on: screen) }
                return .publish(requests)
            case .failing(let reason):
                trouble = reason
                judgesAt = nil
                if screen == nil { printError("forgetmenot: \(reason)") }
            }
            return .goOn
        }
        return .right
    }
}

extension SiteView {
    /// The location of the item with this id or name. Throws status 66 if there is no such item, and 69 if nobody knows.
    func location(of item: String) throws(Failure) -> ItemLocation {
        if let location = location(named: item) { return location }
        guard isAggregatorAlive() else {
            throw Failure(
                .unavailable,
                "no location of an item \"\(item)\" is known, and the aggregator is not running: start \"forgetmenot run\""
            )
        }
        if let person = sortedPeople.map(\.person).first(where: { [$0.name, $0.id].contains(item) }) {
            throw Failure(
                .noInput, "\(person.name) is a person and no item: \"forgetmenot people\" shows where people are")
        }
        guard hasRegistry, items[item] == nil, !items.values.contains(where: { $0.name == item }) else {
            throw Failure(.unavailable, errorLine(ofRefusal: Self.beginning))
        }
        let hint =
            didYouMean(item, among: sorted.flatMap { [$0.name, $0.item] })
            ?? "\"forgetmenot items list\" shows all items"
        throw Failure(.noInput, "there is no item \"\(item)\": \(hint)")
    }
}

extension [ItemLocation] {
    /// The items in a room. Throws status 66 if there is no such room.
    fileprivate func filter(
        in room: String, of view: SiteView, over session: BrokerSession
    ) throws(Failure) -> [ItemLocation] {
        let found = filter { $0.presence == .home && $0.room?.lowercased() == room.lowercased() }
        var known = view.rooms
        func isKnown() -> Bool { known.contains { $0.lowercased() == room.lowercased() } }
        guard found.isEmpty, !isKnown() else { return found }
        // A room of the plan needs neither a gateway nor an item: only the aggregator knows it.
        let all = view.isAggregatorAlive() ? try? session.ask(.learning, Nothing()).knownRooms : nil
        known.formUnion(all ?? [])
        guard !isKnown() else { return found }
        if let hint = didYouMean(room, among: known.sorted()) {
            throw Failure(.noInput, "there is no room \"\(room)\": \(hint)")
        }
        if all != nil {
            let names = known.isEmpty ? "none is known yet" : "the rooms are \(known.sorted().joined(separator: ", "))"
            throw Failure(.noInput, "there is no room \"\(room)\": \(names)")
        }
        printError("forgetmenot: no gateway serves a room \"\(room)\", and no item was ever in it")
        return found
    }
}

private func report(
    _ locations: [ItemLocation], _ people: [PersonLocation], of view: SiteView, asJSON: Bool
) {
    guard !asJSON else {
        let items: [(inout JSONWriter) -> Void] = locations.map { location in
            { json in
                var newest = location
                newest.lastSeenAt = view.lastSeen(location)?.at
                json.object { json in
                    json.field("v", 1)
                    newest.writeFields(to: &json)
                    if location.point == nil { json.field("floor", view.floor(of: location)) }
                    view.health[location.item]?.readings.writeFields(to: &json)
                    json.field("battery_low", view.health[location.item]?.isLow)
                }
            }
        }
        let elements = items + people.map { person in { $0.object(person.writeAmongItems) } }
        printJSON(jsonArray(elements) { $0(&$1) })
        return
    }
    let table = LocationTable(locations, people: people, of: view, at: Clock.wall)
    for line in table.lines(width: terminalWidth()) { printLine(line) }
}

private let peopleHelp: ArgumentHelp = "With --json, print people, too, each as an object with the key \"person\"."

extension PersonLocation {
    /// Writes the person among locations of items: under a key, since the `item` of a person is the item that shows the person.
    fileprivate func writeAmongItems(to json: inout JSONWriter) {
        json.key(named: "person")
        write(to: &json)
    }
}

/// Prints a result as JSON or as a sentence.
func report(_ json: [UInt8], _ sentence: String, asJSON: Bool) {
    if asJSON { printJSON(json) } else { printLine(sentence) }
}

/// The lines that `watch` prints where there is no terminal: one for each other room or presence, and for each notification.
struct WatchLines {
    /// What the last line was about, by its topic.
    private var printed: [Topic: String] = [:]

    /// The line for the message that the view received last; `nil`: the item is where it was, or the notification is the same.
    mutating func line(on topic: Topic, of view: SiteView) -> String? {
        let (at, text, subject): (WallTime, String, String)
        switch topic {
        case .itemLocation(let item):
            guard let location = view.locations[item] else { return nil }
            (at, text) = (location.stamp.at, "\(location.name): \(location.place)")
            subject = "\(location.presence) \(location.room ?? "") \(location.error ?? "")"
        case .personLocation(let id):
            guard let person = view.people[id] else { return nil }
            (at, text) = (person.stamp.at, "\(person.person.name): \(view.place(of: person))")
            subject = "\(person.presence) \(person.room ?? "")"
        case .itemNotification(let item):
            guard let notification = view.notifications[item] else { return nil }
            (at, text) = (notification.stamp.at, notification.line)
            subject = "\(text) \(notification.id)"
        default: return nil
        }
        return printed.updateValue(subject, forKey: topic) == subject ? nil : "\(at.local)  \(text)"
    }
}

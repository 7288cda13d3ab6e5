import Beacons
import Channels
import Messages
import Text

/// Decides where people are, and who is notified that something was forgotten, taken, or left alone.
///
/// Locations of items and time go in, decisions come out. A site without people has no work here.
package struct Household: Sendable {
    /// What happens.
    package enum Input: Sendable {
        /// This is decided of an item now.
        case located(Located)
        /// An event of an item reports that it moved.
        case moved(item: String, from: String, to: String)
        /// An item is gone from the site.
        case removed(item: String)
        /// All inputs of the step are here.
        case timePassed
        /// A notification of an item was published, by this process or another one.
        case notified(Notification)
        /// A notification of an item has ended, acknowledged or not; `nil`: all of them.
        case ended(item: String, Notification.Kind?)
    }

    /// What is decided.
    package enum Output: Hashable, Sendable {
        /// What is published of a person has changed.
        case located(person: String)
        /// Something happened to a person.
        case happened(PersonEvent.Change, person: String, at: WallTime)
        /// Who or what is in a room has changed.
        case changed(room: String)
        /// An alarm of an item begins. It began at that time.
        case raised(Alarm, item: String, at: WallTime)
        /// What the alarm of an item reports is no longer true.
        case over(item: String)
        /// The item left together with an owner or a carrier, so nobody is notified of that.
        case accompanied(item: String)
        /// A message to a person.
        case message(PersonalMessage.Change)
    }

    /// The most people of a site.
    package static let most = 64
    /// After this time nothing is raised: whoever is notified so late has noticed.
    package static let patience = Interval.seconds(600)
    /// How long an item must be alone.
    static let aloneAfter = Interval.seconds(300)

    /// Which rooms are beside each room.
    package var neighbours: [String: Set<String>] = [:]
    /// The items that were there at the start: what was added later, people who had departed by then did not leave behind.
    package var restored: Set<String> = []
    /// By how much the site's local clock is ahead of UTC.
    package var utcOffset = Interval.zero
    var records: [String: PersonRecord] = [:]
    var items: [String: Located] = [:]
    /// The moves of items since the last step.
    private var moves: [String: PersonRecord.ItemMove] = [:]
    /// What is about to be decided of items.
    var questions: [String: Question] = [:]
    /// The alarms that are active, by item.
    package internal(set) var alarms: [String: Alarm] = [:]
    private var aloneSince: [String: Instant] = [:]
    /// The people who are away since a former process, which may have ended before it was decided what they forgot.
    private var departed: Set<String> = []
    private var sent: SentMessages
    var counts = RoomCounts()
    /// Whether an item has changed since `timePassed`.
    private var isChanged = false

    /// What is to be decided of an item.
    enum Question: Sendable {
        /// Its last owner departed at that instant: does the item stay?
        case stays(since: Instant, by: String)
        /// It left that room, and was received last at that instant: did an owner or a carrier go along?
        case isAccompanied(since: Instant, from: String?)
    }

    /// The people as a former process stored them, or as they are added now.
    ///
    /// - Parameter texts: the language of the titles of messages.
    package init(_ texts: Texts = .english) { sent = SentMessages(texts) }

    package var stored: [StoredPerson] { records.values.map(\.stored).sorted { $0.person.id < $1.person.id } }
    package var isEmpty: Bool { records.isEmpty }
    package var ids: [String] { records.keys.sorted() }
    package var itemCount: Int { items.count }
    /// What people carry.
    package var carried: Set<String> { Set(records.values.flatMap(\.person.carries)) }
    /// The items that have to be located at each step: what people carry, and what is somebody's.
    package var watched: Set<String> { carried.union(items.values.filter { $0.ownership != nil }.map(\.id)) }
    /// The items that left while it is open whether somebody went along.
    package var asked: Set<String> {
        Set(questions.compactMap { if case .isAccompanied = $0.value { $0.key } else { nil } })
    }

    /// The person of this id or name.
    package func person(named word: String) -> Person? {
        let named = records.values.filter { $0.person.name.visible == word.visible }
        return (records[word] ?? named.min { $0.person.id < $1.person.id })?.person
    }

    package func presence(of id: String) -> Presence { records[id]?.presence ?? .unknown }

    package func location(of id: String, stamp: Stamp) -> PersonLocation? {
        records[id].map {
            PersonLocation(
                person: $0.person, presence: $0.presence, room: $0.room, confidence: $0.confidence, item: $0.item,
                since: $0.since, stamp: stamp)
        }
    }

    /// Nobody, or nothing of this kind, is in a room, since that time or longer.
    package mutating func foundEmpty(_ room: String, _ kind: RoomCounts.Kind, since: WallTime) {
        counts.foundEmpty(room, kind, since: since)
    }

    /// Who or what is in the rooms, which are named as the first of them.
    package func contents(of rooms: [String], of kind: RoomCounts.Kind, stamp: Stamp) -> RoomContents {
        let contents = rooms.map { counts.contents(of: $0, kind) }
        let ids = contents.reduce(into: Set()) { $0.formUnion($1.ids) }
        let emptySince = ids.isEmpty ? contents.compactMap(\.emptySince).max() : nil
        let names = ids.sorted().map { (kind == .people ? records[$0]?.person.name : items[$0]?.name) ?? $0 }
        return RoomContents(room: rooms[0], ids: ids.sorted(), names: names, emptySince: emptySince, stamp: stamp)
    }

    /// Adds a person, or changes one that is there.
    package mutating func set(_ stored: StoredPerson) {
        let id = stored.person.id
        if records[id]?.person.carries != stored.person.carries { records[id]?.carry(stored.person.carries) }
        if records[id] == nil {
            records[id] = PersonRecord(stored)
            if stored.departedAt != nil { departed.insert(id) }
        }
        records[id]?.person.name = stored.person.name
        isChanged = true
    }

    /// Removes a person: the messages to the person are withdrawn, and the person is in no room. Nothing else is published.
    package mutating func remove(person id: String, at now: Moment) -> [Output] {
        guard records.removeValue(forKey: id) != nil else { return [] }
        isChanged = true
        return counts.place(id, .people, in: nil, at: now.wall) + sent.remove(person: id).map { .message($0) }
    }

    /// Continues an alarm that a former process has raised. `published` is its notification; `nil`: there is none yet, or it was acknowledged.
    package mutating func restore(_ alarm: Alarm, of item: Located, published: Notification?) {
        alarms[item.id] = alarm
        guard let published else { return }
        for person in concerned(by: alarm, of: item) { sent.restore(published, to: person) }
    }

    /// Continues the notification that a former process has sent about the battery of an item's tag.
    package mutating func restore(low published: Notification, of item: Located) {
        for owner in owners(of: item) { sent.restore(published, to: owner.person.id) }
    }

    /// The alarm of a notification that an earlier version has stored without its alarm; `nil` if the notification is of another kind.
    package func alarm(_ kind: Notification.Kind, of item: Located) -> Alarm? {
        switch kind {
        case .forgotten: .forgotten(by: owners(of: item).map(\.person.id))
        case .taken: .taken(from: nil)
        case .alone: item.room.map { .alone(in: $0) }
        case .left, .returned, .low: nil
        }
    }

    // MARK: What happens

    package mutating func handle(_ input: Input, at now: Moment) -> [Output] {
        switch input {
        case .located(let item): return locate(item, at: now)
        case .moved(let item, let from, let to):
            isChanged = true
            moves[item] = PersonRecord.ItemMove(from: from, to: to)
            for id in records.keys where records[id]!.person.carries.contains(item) {
                records[id]!.walked(item, at: now.instant)
            }
            return []
        case .removed(let item):
            isChanged = true
            (items[item], questions[item], alarms[item], aloneSince[item]) = (nil, nil, nil, nil)
            return counts.place(item, .items, in: nil, at: now.wall) + end(item)
        case .timePassed: return advance(at: now)
        case .notified(let notification): return send(notification)
        case .ended(let item, let kind): return end(item, kind)
        }
    }

    private mutating func locate(_ item: Located, at now: Moment) -> [Output] {
        guard let former = items.updateValue(item, forKey: item.id) else {
            isChanged = true
            return counts.place(item.id, .items, in: item.room, at: now.wall)
        }
        var outputs: [Output] = []
        if former.name != item.name, let room = item.room { outputs = [.changed(room: room)] }
        guard former.presence != item.presence || former.room != item.room || former.ownership != item.ownership
        else { return outputs }
        isChanged = true
        if former.presence == .home, item.presence == .away { ask(whoTook: item, from: former.room, at: now) }
        return outputs + counts.place(item.id, .items, in: item.room, at: now.wall)
    }

    private mutating func advance(at now: Moment) -> [Output] {
        var outputs: [Output] = []
        for id in ids where isChanged || records[id]!.isWaiting {
            let former = records[id]!
            for change in records[id]!.judge(items, moves, at: now) {
                let event = change.event(from: former.room, to: records[id]!.room)
                outputs.append(.happened(event, person: id, at: records[id]!.since!))
                if case .departed(let at) = change { ask(afterDepartureOf: id, at: at, now) }
            }
            let record = records[id]!
            outputs += counts.place(id, .people, in: record.room, at: now.wall)
            let isNews =
                record.presence != former.presence || record.room != former.room || record.item != former.item
                || abs((record.confidence ?? 0) - (former.confidence ?? 0)) >= 0.1
            if isNews { outputs.append(.located(person: id)) }
        }
        if isChanged { askAgain(now) }
        (isChanged, moves) = (false, [:])
        for item in questions.keys.sorted() { outputs += decide(item, at: now) }
        for item in alarms.keys.sorted() where !holds(alarms[item]!, of: item) {
            let kind = alarms.removeValue(forKey: item)?.kind
            outputs += [.over(item: item)] + end(item, kind)
        }
        for item in items.values where item.ownership?.notAloneIn.isEmpty == false { outputs += watch(item, at: now) }
        return outputs
    }

    // MARK: Forgotten and taken

    /// The owners of an item, as far as they are people of the site.
    private func owners(of item: Located) -> [PersonRecord] {
        (item.ownership?.owners ?? []).compactMap { person(named: $0).flatMap { records[$0.id] } }
    }

    /// The owners of an item, and who carries it.
    private func keepers(of item: Located) -> [PersonRecord] {
        let owners = owners(of: item)
        return owners
            + records.values.filter { record in
                record.person.carries.contains(item.id) && !owners.contains { $0.person.id == record.person.id }
            }
    }

    /// Somebody departed: asks of each item of that person that is needed now whether it stays.
    private mutating func ask(
        afterDepartureOf id: String, at departure: Instant, among asked: Set<String>? = nil, _ now: Moment
    ) {
        for item in items.values
        where item.presence == .home && questions[item.id] == nil && alarms[item.id]?.kind != .forgotten {
            guard asked?.contains(item.id) != false,
                item.ownership?.needed?.contains(now.wall(at: departure) + utcOffset) == true,
                owners(of: item).contains(where: { $0.person.id == id })
            else { continue }
            questions[item.id] = .stays(since: departure, by: id)
        }
    }

    /// Asks again about the people who departed shortly before a start, until it is too late or they are back. It is not known at once which
    /// items are home.
    private mutating func askAgain(_ now: Moment) {
        departed = departed.filter { records[$0]?.departedAt.map { now.instant - $0 <= Self.patience } ?? false }
        for id in departed.sorted(by: { records[$0]!.departedAt! > records[$1]!.departedAt! }) {
            ask(afterDepartureOf: id, at: records[id]!.departedAt!, among: restored, now)
        }
    }

    /// An item left: asks whether an owner or a carrier went along.
    package mutating func ask(whoTook item: Located, from room: String?, at now: Moment) {
        guard !keepers(of: item).isEmpty else { return }
        questions[item.id] = .isAccompanied(since: item.receivedAt ?? now.instant, from: room)
    }

    private mutating func decide(_ id: String, at now: Moment) -> [Output] {
        guard let question = questions[id], let item = items[id] else { return [] }
        let (owners, keepers) = (owners(of: item), keepers(of: item))
        switch question {
        case .stays(let since, let person):
            let isSettled =
                owners.contains { $0.presence == .unknown } || item.presence != .home
                || owners.contains { $0.presence == .home }
                || !owners.contains { $0.person.id == person } || now.instant - since > Self.patience
            if isSettled { return settle(id) }
            guard hasStayed(item, since: since, at: now.instant) else { return [] }
            let departed = owners.filter { $0.departedAt.map { abs(since - $0) <= PersonRecord.joint } ?? false }
            // As the departure is dated, which it follows from.
            let time = records[person]?.since ?? now.wall(at: since)
            return raise(.forgotten(by: departed.map(\.person.id)), item, at: time)
        case .isAccompanied(let since, let room):
            if item.presence != .away || keepers.isEmpty { return settle(id) }
            if keepers.contains(where: { wentAlong($0, with: id, since: since) }) {
                return settle(id, by: [.accompanied(item: id)])
            }
            // Somebody of whom nothing is known yet, as right after a start, may have gone along: what that person carries shows it.
            let isUnknown = keepers.contains { $0.presence == .unknown }
            if now.instant - since > (isUnknown ? PersonRecord.joint : PersonRecord.joint + PersonRecord.joint) {
                return settle(id)
            }
            guard keepers.allSatisfy({ $0.presence == .away || isThere($0, since: since, at: now.instant) }) else {
                return []
            }
            // Of what is nobody's, `left` is notified, and so it is of what has an empty battery.
            return owners.isEmpty || item.hasEmptyBattery
                ? settle(id) : raise(.taken(from: room), item, at: item.since ?? now.wall)
        }
    }

    private mutating func raise(_ alarm: Alarm, _ item: Located, at time: WallTime) -> [Output] {
        alarms[item.id] = alarm
        return settle(item.id, by: [.raised(alarm, item: item.id, at: time)])
    }

    /// Ends the question about an item.
    private mutating func settle(_ id: String, by outputs: [Output] = []) -> [Output] {
        questions[id] = nil
        return outputs
    }

    /// Whether an item that is home was received after that, and so did not go along. Of an item that is silent at rest, time decides.
    private func hasStayed(_ item: Located, since: Instant, at now: Instant) -> Bool {
        item.sleeps
            ? now - since >= PersonRecord.lingering + PersonRecord.lingering
            : item.isReceived(since: since + PersonRecord.lingering)
    }

    /// Whether somebody, or anything else that the person carries, left with an item at about that time.
    private func wentAlong(_ owner: PersonRecord, with other: String, since: Instant) -> Bool {
        if let at = owner.departedAt, abs(at - since) <= PersonRecord.joint { return true }
        return owner.person.carries.contains { id in
            guard id != other, let item = items[id], item.presence == .away, !item.hasEmptyBattery,
                let at = item.receivedAt
            else { return false }
            return abs(at - since) <= PersonRecord.joint
        }
    }

    /// Whether everything that an owner carries and has at home was received since.
    private func isThere(_ owner: PersonRecord, since: Instant, at now: Instant) -> Bool {
        let carried = owner.person.carries.compactMap { items[$0] }.filter { $0.presence == .home }
        return !carried.isEmpty && carried.allSatisfy { hasStayed($0, since: since, at: now) }
    }

    /// Whether what an alarm reports is still true.
    private func holds(_ alarm: Alarm, of id: String) -> Bool {
        guard let item = items[id] else { return false }
        let owners = owners(of: item)
        guard !owners.isEmpty else { return false }
        switch alarm {
        case .forgotten: return item.presence != .away && !owners.contains { $0.presence == .home }
        case .taken: return item.presence != .home
        case .alone(let room):
            guard item.presence == .home else { return item.presence == .unknown }
            return item.room == nil || item.room == room && !owners.contains { isBeside($0, room) == true }
        }
    }

    // MARK: Alone

    /// Whether an owner is in a room or beside it; `nil` if that is not known.
    private func isBeside(_ owner: PersonRecord, _ room: String) -> Bool? {
        guard owner.presence == .home, let there = owner.room else { return owner.presence == .away ? false : nil }
        return there == room || neighbours[room]?.contains(there) == true
    }

    private mutating func watch(_ item: Located, at now: Moment) -> [Output] {
        let owners = owners(of: item)
        guard let room = item.room, item.ownership?.notAloneIn.contains(room) == true, alarms[item.id] == nil,
            !owners.isEmpty, owners.allSatisfy({ isBeside($0, room) == false })
        else {
            aloneSince[item.id] = nil
            return []
        }
        let since = aloneSince[item.id] ?? now.instant
        aloneSince[item.id] = since
        guard now.instant - since >= Self.aloneAfter else { return [] }
        return raise(.alone(in: room), item, at: now.wall)
    }

    // MARK: Messages to people

    /// A notification of an alarm or of a battery was published: sends it to those whom it concerns.
    private mutating func send(_ notification: Notification) -> [Output] {
        let (id, kind) = (notification.item, notification.kind)
        guard let item = items[id] else { return [] }
        let people: [String]
        if kind == .low {
            people = owners(of: item).map(\.person.id)
        } else {
            guard let alarm = alarms[id], alarm.kind == kind else { return [] }
            people = concerned(by: alarm, of: item)
        }
        return people.compactMap { person in
            sent.send(notification, to: person) { [items] in items[$0]?.name ?? $0 }.map { .message($0) }
        }
    }

    /// Those who are notified of an alarm.
    private func concerned(by alarm: Alarm, of item: Located) -> [String] {
        if case .forgotten(let people) = alarm { return people.filter { records[$0] != nil } }
        return owners(of: item).map(\.person.id)
    }

    /// An item is to be in no message of a kind any more; `nil`: of any kind.
    private mutating func end(_ id: String, _ kind: Notification.Kind? = nil) -> [Output] {
        sent.end(id, kind).map { .message($0) }
    }
}

private func abs(_ interval: Interval) -> Interval { max(interval, .zero - interval) }

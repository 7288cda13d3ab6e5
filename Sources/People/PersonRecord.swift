import Beacons
import Messages

/// One person: where the person is, decided from what the person carries, and what was learned about that.
///
/// A person departs once everything that the person had at home has gone or is silent. While something stays, what has gone may be a phone
/// that sleeps, or the keys of somebody who takes the bin out: then time, the way it went, and what was learned of the items decide (`Habit`). The
/// person arrives with the first item that went along. An item that was elsewhere before the person moved shows nothing.
struct PersonRecord: Sendable {
    /// How probable a change must be.
    static let certainty = 0.8
    /// How long what stays at home contradicts what has gone: whoever takes the bin out is back by then.
    static let doubt = Interval.seconds(240)
    /// How much later than what went along an item must be received to have stayed: while somebody walks away, one beacon fades up to half a
    /// minute after the other.
    static let lingering = Interval.seconds(30)
    /// Two departures within this time are one: a beacon that is sent every 10 s may have been received half a minute earlier than another.
    static let joint = Interval.seconds(120)
    /// How much more probable a departure is if an item faded before it fell silent, and if it did not: nine of ten beacons that fall silent at
    /// home do not fade, and two of three that are carried away do.
    static let faded = (before: 7.0, not: 0.37)
    /// What has not followed the person by then stayed behind. Whoever comes back earlier was not away: nothing is learned from that.
    static let lesson = Interval.seconds(600)
    /// How much more another item must have walked before it shows the person's room.
    static let lead = 0.5

    /// A move that an event of an item reports.
    struct ItemMove {
        var from: String
        var to: String
    }

    /// What became of the person.
    enum Change: Hashable, Sendable {
        case arrived
        /// The time is that of the last sighting of what the person took along.
        case departed(at: Instant)
        case moved(from: String, to: String)

        /// The change as it is published, of a person who was in a room and is in another one now.
        func event(from former: String?, to present: String?) -> PersonEvent.Change {
            switch self {
            case .arrived: .arrived(to: present)
            case .departed: .departed(from: former)
            case .moved(let from, let to): .moved(from: from, to: to)
            }
        }
    }

    var person: Person
    private(set) var presence = Presence.unknown
    private(set) var confidence: Double?
    var room: String?
    private(set) var since: WallTime?
    /// The item that shows the room.
    private(set) var item: String?
    /// When the person departed last, by the last sighting of what the person took along; `nil`: not known, or the person is home.
    private(set) var departedAt: Instant?
    /// The same by the wall clock, as it is stored.
    private var departedAtWall: WallTime?
    /// What is learned of the carried items, by id.
    private(set) var habits: [String: Habit]
    /// The carried items that are where the person is.
    private var present: Set<String>
    /// The items that went although the person stayed, with the time.
    private var strays: [String: Instant] = [:]
    /// Whether the person is away, and something that may have gone along is home: once it is received, the person is back.
    private var isAwaited = false
    /// Where the person was before all that shows it became unknown, and where the other items were then.
    private var pause: (presence: Presence, others: [String: Presence])?
    /// The last change, from which is learned when it has lasted.
    private var change: (at: Instant, moved: Set<String>, stayed: Set<String>)?

    init(_ stored: StoredPerson) {
        person = stored.person
        (presence, room, since, item) = (stored.presence, stored.room, stored.since, stored.item)
        (habits, present, departedAtWall) = (stored.habits, Set(stored.present), stored.departedAt)
    }

    var stored: StoredPerson {
        var stored = StoredPerson(person: person)
        (stored.presence, stored.room, stored.since, stored.item) = (pause?.presence ?? presence, room, since, item)
        (stored.present, stored.habits, stored.departedAt) = (present.sorted(), habits, departedAtWall)
        return stored
    }

    /// What the person carries changes; what was learned of an item stays.
    mutating func carry(_ items: [String]) {
        person.carries = items
        present.formIntersection(items)
        pause = nil
        habits = habits.filter { items.contains($0.key) }
        strays = strays.filter { items.contains($0.key) }
        change = nil
    }

    /// A carried item moved to another room, or came home.
    mutating func walked(_ item: String, at now: Instant) { habits[item, default: Habit()].walked(at: now) }

    /// Whether anything is about to follow without a change of an item.
    var isWaiting: Bool { change != nil || !strays.isEmpty || isAwaited }

    /// Decides again where the person is.
    ///
    /// - Parameter moves: the moves of items since the last time.
    mutating func judge(_ items: [String: Located], _ moves: [String: ItemMove], at now: Moment) -> [Change] {
        let known = person.carries.compactMap { items[$0] }.filter { $0.presence != .unknown && !$0.hasEmptyBattery }
        learn(known, at: now.instant)
        isAwaited = false
        if departedAt == nil { departedAt = departedAtWall.map { now.instant - max(.zero, now.wall - $0) } }
        var changes: [Change] = []
        let counting = known.filter { present.contains($0.id) }
        // Needed only around a pause.
        var others: [String: Presence] { Dictionary(known.map { ($0.id, $0.presence) }) { first, _ in first } }
        if let paused = pause {
            // What is elsewhere shows nothing, unless it moves.
            let isMoved = others.contains { id, there in paused.others[id].map { $0 != there } ?? false }
            if counting.isEmpty, !isMoved, present.contains(where: { items[$0]?.presence == .unknown }) {
                pause?.others.merge(others) { former, _ in former }
                return []
            }
            pause = nil
            if !counting.isEmpty, counting.allSatisfy({ $0.presence == paused.presence }) { presence = paused.presence }
        }
        switch presence {
        case .unknown: begin(counting.isEmpty ? known : counting, at: now)
        case .home, .away:
            let former = presence
            guard !counting.isEmpty else {
                if present.contains(where: { items[$0]?.presence == .unknown }) {
                    pause = (presence, others)
                    (presence, confidence) = (.unknown, nil)
                } else {
                    begin(known, at: now)
                }
                break
            }
            let gone = counting.filter { $0.presence != former }
            // What is home while the person is away, and not back, may have gone along in silence: it shows nothing.
            let evidence = counting.filter { former == .home || $0.presence == .away || isBack($0) }
            confidence =
                evidence.isEmpty
                ? confidence ?? Self.certainty : 1 - probability(evidence, areGone: { $0.presence != former })
            if former == .home {
                note(strays: gone, at: now.instant)
                let isAllKnown = present.allSatisfy { items[$0].map { $0.presence != .unknown } ?? true }
                if let change = depart(with: gone, of: counting, isAllKnown, at: now) { changes.append(change) }
            } else {
                if let change = arrive(with: gone.filter(isBack), at: now) { changes.append(change) }
                isAwaited = presence == .away && !gone.isEmpty
            }
            if presence == .home { present.formUnion(known.filter { $0.presence == .home }.map(\.id)) }
        }
        changes += locate(items, moves, at: now)
        return changes
    }

    /// The probability that the person is where the gone items are.
    private func probability(_ counting: [Located], areGone: (Located) -> Bool) -> Double {
        let odds = odds(counting, areGone: areGone)
        return odds / (1 + odds)
    }

    /// The odds of that: the habits of all items that count, with even odds before.
    private func odds(_ counting: [Located], areGone: (Located) -> Bool) -> Double {
        var odds = 1.0
        for item in counting {
            let habit = habits[item.id] ?? Habit()
            odds *= areGone(item) ? habit.follows / habit.strays : (1 - habit.follows) / (1 - habit.strays)
        }
        return odds
    }

    /// Decides without anything known before. That is no event.
    private mutating func begin(_ known: [Located], at now: Moment) {
        let away = probability(known) { $0.presence == .away }
        if known.isEmpty || (1 - Self.certainty..<Self.certainty).contains(away) {
            (presence, confidence, strays, change) = (.unknown, nil, [:], nil)
            return
        }
        presence = away >= Self.certainty ? .away : .home
        if presence == .home { (departedAt, departedAtWall) = (nil, nil) }
        confidence = max(away, 1 - away)
        present = Set(known.filter { $0.presence == presence }.map(\.id))
        since = known.filter { $0.presence == presence }.compactMap(\.since).max()
    }

    /// Decides whether a person who was home is gone.
    private mutating func depart(
        with gone: [Located], of counting: [Located], _ isAllKnown: Bool, at now: Moment
    ) -> Change? {
        guard let at = gone.map({ $0.receivedAt ?? now.instant }).max() else { return nil }
        // At the edge of the range, an item may be received once and fall silent before the others are back. If all are back, they are home.
        let areSeveral = present.count > 1 || person.carries.count == 1
        let areBack = areSeveral && change?.stayed.isSubset(of: present) == true
        if let change, now.instant - change.at < Self.joint, !areBack { return nil }
        let rest = counting.filter { $0.presence == .home }
        // What is silent for unusually long since then went along, and no other silence contradicts for long. One that sleeps is at rest.
        let stays = rest.filter { item in
            item.sleeps || item.isReceived(since: at + Self.lingering)
                || !item.isSilent && now.instant - at < Self.lingering + Self.lingering
        }
        guard stays.isEmpty && isAllKnown || now.instant - at >= Self.doubt && isProbable(gone, stays) else {
            return nil
        }
        let stayed = Set(stays.map(\.id))
        let along = counting.filter { !stayed.contains($0.id) && at - ($0.receivedAt ?? at) <= Self.joint }
        change = (now.instant, Set(along.map(\.id)), stayed)
        (strays, present) = ([:], Set(person.carries).subtracting(stayed))
        (presence, confidence) = (.away, max(Self.certainty, 1 - (confidence ?? 0)))
        departedAt = along.compactMap(\.receivedAt).max() ?? at
        departedAtWall = now.wall(at: departedAt!)
        since = gone.compactMap(\.since).max() ?? now.wall
        return .departed(at: departedAt!)
    }

    /// Whether the person went with what has gone, although something stays.
    private func isProbable(_ gone: [Located], _ stays: [Located]) -> Bool {
        var odds = odds(gone + stays) { $0.presence == .away }
        for item in gone { odds *= item.hasFaded ? Self.faded.before : Self.faded.not }
        return odds >= Self.certainty / (1 - Self.certainty)
    }

    /// Whether an item that went along is received at home again.
    private func isBack(_ item: Located) -> Bool {
        departedAt.map { item.isReceived(since: $0 + Self.lingering) } ?? true
    }

    /// Decides whether a person who was away is back: more likely than not. What is not back shows nothing, because it may be silent.
    private mutating func arrive(with back: [Located], at now: Moment) -> Change? {
        guard !back.isEmpty, odds(back, areGone: { _ in true }) >= 1 else { return nil }
        // The departure did not last: what stayed then was the person.
        if let change, !change.stayed.isEmpty {
            for id in change.moved { habits[id, default: Habit()].count(\.alone) }
        }
        let moved = Set(back.map(\.id))
        change = (now.instant, moved, present.subtracting(moved))
        (strays, present) = ([:], moved)
        // An item that never became away is in its room since before the departure.
        let times = back.compactMap(\.since).filter { $0 >= since ?? $0 }
        (presence, departedAt, departedAtWall, since) = (.home, nil, nil, times.min() ?? now.wall)
        confidence = max(Self.certainty, confidence ?? 0)
        for id in moved { habits[id, default: Habit()].walked(at: now.instant) }
        return .arrived
    }

    /// Learns which items followed the person, once a change has lasted.
    private mutating func learn(_ known: [Located], at now: Instant) {
        guard let change, now - change.at >= Self.lesson else { return }
        self.change = nil
        for item in known where change.moved.contains(item.id) || change.stayed.contains(item.id) {
            habits[item.id, default: Habit()].count(item.presence == presence ? \.together : \.stayed)
        }
    }

    /// Learns which items go although the person stays: when they come back, or have been gone for long. Nothing is learned from one that is
    /// back soon: the person may have taken the bin out.
    private mutating func note(strays gone: [Located], at now: Instant) {
        let ids = Set(gone.map(\.id))
        for (id, since) in strays where !ids.contains(id) || now - since >= Self.lesson {
            strays[id] = nil
            if now - since >= Self.doubt { habits[id, default: Habit()].count(\.alone) }
            if ids.contains(id) { present.remove(id) }
        }
        for id in ids where present.contains(id) && strays[id] == nil { strays[id] = now }
    }

    /// Finds the room by the item that has walked about most. An item that went although the person stayed still shows the room: that nothing
    /// else has moved is no move of the person. Neither is a room that is corrected without an event of the item.
    private mutating func locate(
        _ items: [String: Located], _ moves: [String: ItemMove], at now: Moment
    ) -> [Change] {
        guard presence == .home else {
            (room, item) = (nil, nil)
            return []
        }
        let inRooms = person.carries.compactMap { items[$0] }.filter { $0.room != nil }
        let former = item
        let isStray = former.map { strays[$0] != nil } ?? false
        func walks(_ id: String) -> Double { (habits[id] ?? Habit()).walks(at: now.instant) }
        if let best = inRooms.max(by: { (walks($0.id), $1.id) < (walks($1.id), $0.id) }) {
            let isHeld =
                (isStray || inRooms.contains { $0.id == item }) && walks(best.id) < walks(item ?? "") + Self.lead
            if !isHeld { item = best.id }
        }
        guard let item, let found = inRooms.first(where: { $0.id == item })?.room else { return [] }
        defer { room = found }
        guard let room else { return [] }
        if found != room { since = now.wall }
        guard let move = moves[item], move.to == found else { return [] }
        let from = item == former ? move.from : room
        let isShownStill = item == former || isStray || inRooms.contains { $0.id == former }
        return isShownStill && from != found ? [.moved(from: from, to: found)] : []
    }
}

/// A person as stored on disk.
package struct StoredPerson: Hashable, Sendable {
    package var person: Person
    /// Whether the person stands in the configuration.
    package var isConfigured = false
    package var presence = Presence.unknown
    package var room: String?
    package var since: WallTime?
    package var item: String?
    /// When the person departed last, by the last sighting of what the person took along.
    package var departedAt: WallTime?
    /// The carried items that are where the person is.
    package var present: [String] = []
    package var habits: [String: Habit] = [:]

    /// A person of whom nothing is known yet.
    package init(person: Person) { self.person = person }
}

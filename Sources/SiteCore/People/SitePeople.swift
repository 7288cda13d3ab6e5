import Beacons
import Channels
import Messages
import People
import Text

/// The people of the site: those of the configuration, and those that were added by command.
struct SitePeople: Sendable {
    var household: Household
    /// What the configuration has of people.
    private var settings: [PersonSettings] = []
    /// Where each configured person stands: such a person cannot be changed by command.
    private(set) var configured: [String: String] = [:]
    /// How often a person was added or removed by command.
    private(set) var changes: UInt64
    /// The revision of the registry for which the words of the configuration were looked up.
    private var revision: UInt64?
    var knowsItems = false
    /// Whether people were published since the connect, or since somebody cleared one of their topics.
    var arePublished = false
    /// When everything may be published again: programs that clear each other's topics shall not fight.
    var publishAgainAt = Instant.zero
    /// The alarms of a former process by item, until the household knows the items.
    var restored: [String: Alarm] = [:]
    /// The rooms whose topics are published, by id.
    var rooms: [String: [String]] = [:]
    /// The topics of people and rooms that the broker has and that are not the site's, as far as is known.
    private var foreign: [Topic] = []
    /// Whether people may still come from the broker.
    private var isNew: Bool
    /// The configured people of a former process that are gone.
    private(set) var gone: [String] = []
    /// When each watched item was received last, on both clocks: a wall clock that jumps changes nothing.
    private var received: [String: (wall: WallTime, instant: Instant)] = [:]

    /// The people of whom the broker has a location since the connect.
    private(set) var standing: Set<String> = []

    /// More topics than this are not cleared before the next connect.
    static let mostForeign = 4096

    /// - Parameter stored: the people of a former process; `nil` if nothing is stored of people.
    init(_ configuration: AggregatorConfiguration, stored: [StoredPerson]?, changes: UInt64 = 0) {
        self.changes = changes
        isNew = stored == nil
        household = Household(configuration.site.texts)
        for person in stored ?? [] { household.set(person) }
        gone = configure(configuration, was: (stored ?? []).filter(\.isConfigured).map(\.person.id))
    }

    var isEmpty: Bool { household.isEmpty }

    /// The people that were added by command.
    var added: AddedPeople { AddedPeople(changes: changes, ids: household.ids.filter { configured[$0] == nil }) }

    /// The people that another aggregator has removed while this one did not follow; `nil`: its list is not later than this one.
    mutating func takeRemoved(by other: AddedPeople) -> [String]? {
        guard other.changes > changes else { return nil }
        changes = other.changes
        return added.ids.filter { !other.ids.contains($0) }
    }

    mutating func changed() { changes += 1 }

    var stored: [StoredPerson] {
        household.stored.map {
            var person = $0
            person.isConfigured = configured[person.person.id] != nil
            return person
        }
    }

    /// The alarm of an item that is active, acknowledged or not.
    func alarm(of item: String) -> Alarm? { knowsItems ? household.alarms[item] : restored[item] }

    /// Applies a configuration; returns the people that are gone.
    mutating func configure(_ configuration: AggregatorConfiguration, was former: [String]? = nil) -> [String] {
        let former = former ?? Array(configured.keys)
        settings = configuration.site.people
        configured = Dictionary(
            settings.map { ($0.person.id, "\(configuration.file):\($0.line)") }, uniquingKeysWith: { $1 })
        revision = nil
        household.neighbours = [:]
        for door in configuration.site.doors {
            household.neighbours[door.from, default: []].insert(door.to)
            household.neighbours[door.to, default: []].insert(door.from)
        }
        for var person in settings.map(\.person) {
            // `follow` looks up what a known person carries now, so that nothing learned of an item is lost.
            if let known = household.person(named: person.id), known.id == person.id { person.carries = known.carries }
            household.set(StoredPerson(person: person))
        }
        return former.filter { configured[$0] == nil }.sorted()
    }

    /// The people of a former configuration are removed.
    mutating func takeGone() -> [String] {
        defer { gone = [] }
        return gone
    }

    /// The broker has something on a topic of people and rooms: another process may have left it there. Where nothing was stored, its people go
    /// on, as its items do; returns whether a person has come so.
    mutating func note(retained topic: Topic, _ payload: [UInt8]) -> Bool {
        if case .personLocation(let id) = topic, has(topic) { standing.insert(id) }
        if isNew, !has(topic), household.ids.count < Household.most, case .personLocation(let id) = topic,
            let location = try? PersonLocation(parsing: payload), location.person.id == id
        {
            household.set(StoredPerson(person: location.person))
            standing.insert(id)
            return true
        }
        note(emptyRoom: topic, payload)
        if !has(topic), foreign.count < Self.mostForeign { foreign.append(topic) }
        return false
    }

    /// A room that was empty before a restart is empty since then, unless somebody or something is in it now.
    private mutating func note(emptyRoom topic: Topic, _ payload: [UInt8]) {
        let kind: RoomCounts.Kind
        switch topic {
        case .roomPeople: kind = .people
        case .roomItems: kind = .items
        default: return
        }
        guard !knowsItems, let contents = try? RoomContents(parsing: payload), let since = contents.emptySince else {
            return
        }
        household.foundEmpty(contents.room, kind, since: since)
    }

    /// Somebody has cleared a topic: if it is the site's, everything is published again.
    mutating func cleared(_ topic: Topic) {
        if case .personLocation(let id) = topic { standing.remove(id) }
        if has(topic) { arePublished = false }
    }

    /// The broker is connected, and may have lost everything.
    mutating func connected() { (arePublished, standing) = (false, []) }

    /// The topics that another process has left on the broker.
    mutating func takeForeign() -> [Topic] {
        isNew = false
        defer { foreign = [] }
        return foreign.filter { !has($0) }
    }

    private func has(_ topic: Topic) -> Bool {
        switch topic {
        case .personLocation(let id): household.person(named: id)?.id == id
        case .roomPeople(let id), .roomItems(let id): rooms[id] != nil
        default: true
        }
    }

    /// Looks the words of the configuration up in the registry, if the registry has changed.
    mutating func follow(_ registry: SiteRegistry) {
        guard revision != registry.revision else { return }
        revision = registry.revision
        for settings in settings {
            var person = settings.person
            person.carries = person.carries.map { registry.item(named: $0)?.id ?? $0 }
            household.set(StoredPerson(person: person))
        }
    }

    /// An item as the household sees it.
    mutating func located(_ record: borrowing ItemRecord, at now: Moment) -> Located {
        var at: Instant?
        // What has left by events alone was received until then.
        if let wall = record.lastSeenAt ?? (record.presence == .away ? record.since : nil) {
            if let former = received[record.item.id], former.wall == wall {
                at = former.instant
            } else {
                at = now.instant - max(.zero, now.wall - wall)
                received[record.item.id] = (wall, at!)
            }
        }
        var located = Located(
            id: record.item.id, name: record.item.name, presence: record.error == nil ? record.presence : .unknown,
            room: record.room, since: record.since, receivedAt: at, sleeps: record.item.sleeps,
            ownership: record.item.ownership)
        located.isSilent = record.presence == .home && record.awayProbability > 0
        located.hasEmptyBattery = record.probableCause == .battery
        located.hasFaded = record.presence == .away && record.sleep.hasFaded
        return located
    }

    /// What people carry or own and is not there, rooms that are none, and channels of nobody, as sentences.
    func problems(_ registry: SiteRegistry, _ channels: [ChannelSettings]) -> [String] {
        let carried = household.stored.flatMap { stored in
            stored.person.carries.filter { registry.items[$0] == nil }.map {
                "\(stored.person.name) carries \"\($0)\", which is no item: add it, or correct what the person carries"
            }
        }
        let owned = registry.items.values.flatMap { item in
            (item.ownership?.owners ?? []).filter { household.person(named: $0) == nil }.map {
                "\(item.name) belongs to \"\($0)\", who is no person: add the person, or correct the owners"
            }
        }
        let alike = rooms.values.filter { $0.count > 1 }.map { names in
            "The rooms \(names.map { "\"\($0)\"" }.joined(separator: " and ")) share the topics rooms/\(roomID(names[0])): rename one of them"
        }
        let rooms = Set(rooms.values.joined())
        let watched = registry.items.values.flatMap { item in
            (item.ownership?.notAloneIn ?? []).filter { !rooms.isEmpty && !rooms.contains($0) }.map {
                "\(item.name) must not be alone in \"\($0)\", which is no room: correct not_alone_in"
            }
        }
        let unused = channels.filter { !household.ids.contains($0.person) }.map { channel in
            if case .webPush = channel.kind {
                return
                    "\(channel.name) gets messages to \"\(channel.person)\", who is no person: add the person, and end the subscription on the person's page"
            }
            return
                "The [[channel]] \(channel.name) is of \"\(channel.person)\", who is no person: add the person, or correct the channel"
        }
        return carried + owned.sorted() + watched.sorted() + unused + alike.sorted()
    }

    // MARK: Requests

    /// Adds a person. The id is derived from the name, unless the request has one.
    mutating func add(_ requested: Person, _ registry: SiteRegistry) throws(Refused) -> Person {
        var person = requested
        person.name = try free(requested.name)
        guard household.ids.count < Household.most else {
            throw Refused("The site has \(Household.most) people, and no more fit: remove one.")
        }
        if person.id.isEmpty {
            let ids = household.ids
            person.id = makeID(from: person.name, kind: .person, identity: person.name) { ids.contains($0) }
        } else if let other = household.person(named: person.id) {
            throw Refused("The id \(person.id) is that of \(other.name) already: give another.")
        }
        person.carries = try carried(requested.carries, registry)
        household.set(StoredPerson(person: person))
        return person
    }

    /// Changes the name of a person, or what the person carries.
    mutating func edit(_ requested: EditedPerson, _ registry: SiteRegistry) throws(Refused) -> Person {
        var person = try changeable(requested.person.name)
        if let name = requested.newName { person.name = try free(name, for: person.id) }
        if let carries = requested.carries { person.carries = try carried(carries, registry) }
        household.set(StoredPerson(person: person))
        return person
    }

    /// The ids of people whom a request names as owners, beside rooms that the site must have, if any is known.
    func ids(of words: [String], in rooms: [String]) throws(Refused) -> [String] {
        var ids: [String] = []
        for word in words {
            let id = try person(word).id
            if !ids.contains(id) { ids.append(id) }
        }
        let known = self.rooms.values.joined().sorted()
        if !known.isEmpty, let room = rooms.first(where: { !known.contains($0) }) {
            throw .unknown("room", room, among: known)
        }
        return ids
    }

    /// The person of a request.
    private func person(_ word: String) throws(Refused) -> Person {
        if let person = household.person(named: word) { return person }
        throw .unknown("person", word, among: household.stored.flatMap { [$0.person.name, $0.person.id] })
    }

    /// The person of a request, which was added by command.
    func changeable(_ word: String) throws(Refused) -> Person {
        let person = try person(word)
        if let place = configured[person.id] {
            throw Refused(
                "\(person.name) stands in the configuration (\(place)): change it there, and reload the aggregator."
            )
        }
        return person
    }

    private func carried(_ words: [String], _ registry: SiteRegistry) throws(Refused) -> [String] {
        var ids: [String] = []
        for word in words {
            let id = try registry.item(NameOrID(name: word)).id
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    private func free(_ text: String, for id: String? = nil) throws(Refused) -> String {
        let name = try SiteRegistry.checkedName(text)
        if let other = household.person(named: name), other.id != id {
            throw Refused("There is a person \"\(other.name)\" already (\(other.id)): give this one another name.")
        }
        return name
    }
}

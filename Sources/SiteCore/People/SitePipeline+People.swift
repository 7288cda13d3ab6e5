import Beacons
import Channels
import Messages
import People

/// People: they follow the items, once a second, and what is decided of them goes the way of all decisions.
extension SitePipeline {
    /// Hands over to the household what has changed of the items, and carries out what is decided of people.
    ///
    /// An aggregator with a name knows a part of the items only, and so no people.
    mutating func advancePeople() {
        guard part.writesRegistry, !people.isEmpty || !people.gone.isEmpty else {
            if people.knowsItems || isSettled && !people.restored.isEmpty { endPeople() }
            reports.items.asked = []
            effects.forgetLocated()
            return
        }
        guard isSettled else { return }
        // Also while the events of a gateway that is down are waited for: the broker may have lost everything.
        guard items.phase == .present else {
            if !people.arePublished, effects.now.instant >= people.publishAgainAt { publishPeople() }
            return
        }
        for id in people.takeGone() { remove(person: id) }
        people.follow(registry)
        if !people.knowsItems { beginPeople() }
        let now = effects.now
        people.household.utcOffset = items.utcOffset(now.wall)
        var outputs: [Household.Output] = []
        let carried = people.household.carried
        for id in effects.located.union(people.household.watched).sorted() {
            if let place = items.table.place(of: id) {
                if carried.contains(id), !reports.items.table[place].sleep.isOfCarried {
                    reports.items.table[place].sleep.isOfCarried = true
                }
                let located = people.located(reports.items.table[place], at: now)
                outputs += people.household.handle(.located(located), at: now)
            } else {
                outputs += people.household.handle(.removed(item: id), at: now)
            }
        }
        for input in effects.forPeople { outputs += people.household.handle(input, at: now) }
        effects.forgetLocated()
        for output in outputs + people.household.handle(.timePassed, at: now) { carryOut(output) }
        if !people.arePublished, now.instant >= people.publishAgainAt { publishPeople() }
        reports.items.asked = people.household.asked
    }

    /// There are people from now on, or again: they know no item yet.
    private mutating func beginPeople() {
        // Home Assistant may have started without people: the rooms follow with the next publication.
        (people.knowsItems, people.arePublished) = (true, false)
        effects.located.formUnion(items.table.keys)
        for id in items.table.keys {
            guard let place = items.table.place(of: id) else { continue }
            let (notification, restored) = (reports.items.table[place].notification, people.restored[id])
            let wasHome = items.asked.contains(id)
            let low = reports.items.table[place].lowNotification?.published
            guard wasHome || notification != nil || restored != nil || low != nil else { continue }
            let item = people.located(reports.items.table[place], at: effects.now)
            if let low { people.household.restore(low: low, of: item) }
            if let alarm = restored ?? notification.flatMap({ people.household.alarm($0.kind, of: item) }) {
                let published = notification?.kind == alarm.kind ? notification?.published : nil
                people.household.restore(alarm, of: item, published: published)
            }
            // It was home before this process began.
            if wasHome, item.presence == .away {
                people.household.ask(whoTook: item, from: notification?.room, at: effects.now)
            }
        }
        people.restored = [:]
    }

    /// Continues with the events that former processes published after the site was last written, oldest first: they are not published again,
    /// and an alarm among them is not decided again.
    mutating func recall(_ published: [ItemEvent]) {
        reports.items.recall(published)
        let decisive = published.filter { $0.change.isPresence || $0.change.alarm != nil }
        for (id, event) in Dictionary(decisive.map { ($0.item, $0) }, uniquingKeysWith: { $1 }) {
            guard let alarm = event.change.alarm else { continue }
            people.restored[id] = alarm
            reports.items.continueNotification(of: event, &effects)
        }
    }

    private mutating func carryOut(_ output: Household.Output) {
        switch output {
        case .located(let id):
            publish(person: id)
            effects.unwritten.people = true
            effects.add(.storeSite)
        case .happened(let change, let id, let time):
            guard let person = people.household.person(named: id) else { return }
            var stamp = effects.stamp(of: effects.now.instant)
            stamp.uptime = max(.zero, stamp.uptime - max(.zero, stamp.at - time))
            stamp.at = time
            // A restart repeats what is not stored.
            effects.add(.storeSiteNow)
            effects.publish(
                .personEvent(person: id), PersonEvent(change, person: id, name: person.name, stamp: stamp))
        case .changed(let room): publish(roomOf: roomID(room))
        case .raised(let alarm, let item, let time):
            reports.items.raise(alarm, of: item, at: time, &effects)
            store(alarmOf: item)
        case .over(let item):
            reports.items.endNotification(of: item, &effects) { $0.isAlarm }
            store(alarmOf: item)
        case .accompanied(let item): reports.items.accompanied(item, &effects)
        case .message(let change): effects.messages.append(change)
        }
    }

    private mutating func store(alarmOf item: String) {
        effects.unwritten.states.insert(item)
        effects.add(.storeSite)
    }

    /// People stay in a room that has another name now: that is no move.
    mutating func rename(roomsOfPeople names: [String: String]) {
        people.restored = people.restored.mapValues { $0.renamed(by: names) }
        for output in people.household.rename(by: names) { carryOut(output) }
    }

    // MARK: What the broker retains

    /// Publishes everything about people again, once it is settled.
    mutating func publishPeople() {
        guard part.writesRegistry, isSettled else { return }
        people.arePublished = items.phase == .present
        people.publishAgainAt = effects.now.instant + .seconds(10)
        for id in people.household.ids where !people.gone.contains(id) {
            // Where nothing is known yet, a location that the broker has of a former process stays until the past is known.
            guard people.arePublished || people.household.presence(of: id) != .unknown || !people.standing.contains(id)
            else { continue }
            publish(person: id)
        }
        for id in people.rooms.keys.sorted() { publish(roomOf: id) }
    }

    /// Clears what another process has left on the broker of people and rooms that are not there.
    mutating func clearForeignPeople() {
        guard isSettled, items.phase == .present else { return }
        for topic in people.takeForeign() where isActive && part.writesRegistry { effects.publish(.clearing(topic)) }
    }

    private mutating func publish(person id: String) {
        let stamp = effects.stamp(of: effects.now.instant)
        guard isSettled, let location = people.household.location(of: id, stamp: stamp) else { return }
        effects.publish(.personLocation(person: id), location)
    }

    private mutating func publish(roomOf id: String) {
        // While the past is caught up with, nothing is known of who is in a room.
        guard people.knowsItems, let names = people.rooms[id] else { return }
        let stamp = effects.stamp(of: effects.now.instant)
        for name in names {
            for kind in RoomCounts.Kind.allCases { people.household.foundEmpty(name, kind, since: stamp.at) }
        }
        effects.publish(.roomPeople(room: id), people.household.contents(of: names, of: .people, stamp: stamp))
        effects.publish(.roomItems(room: id), people.household.contents(of: names, of: .items, stamp: stamp))
    }

    /// The rooms of the plan have topics while the site has people.
    mutating func followRooms() {
        let names = people.isEmpty || !part.writesRegistry ? [] : items.surroundings.model.rooms
        guard Set(names) != Set(people.rooms.values.joined()) else { return }
        let former = people.rooms
        people.rooms = Dictionary(grouping: names, by: roomID)
        if people.rooms.contains(where: { $1.count > 1 }) || former.contains(where: { $1.count > 1 }) {
            effects.infoChanged()
        }
        for id in former.keys.sorted() where people.rooms[id] == nil {
            announcements.withdraw(.room(id), &effects)
            effects.publish(.clearing(.roomPeople(room: id)))
            effects.publish(.clearing(.roomItems(room: id)))
        }
        for (id, names) in people.rooms.sorted(by: { $0.key < $1.key }) where former[id] != names {
            effects.devices.append(.changed(.room(id)))
            publish(roomOf: id)
        }
    }

    /// The last person is gone, and with the people their alarms.
    private mutating func endPeople() {
        for item in Set(people.household.alarms.keys).union(people.restored.keys).sorted() {
            carryOut(.over(item: item))
        }
        (people.knowsItems, people.arePublished, people.restored) = (false, false, [:])
        let neighbours = people.household.neighbours
        people.household = Household(effects.texts)
        people.household.neighbours = neighbours
    }

    private mutating func remove(person id: String) {
        for output in people.household.remove(person: id, at: effects.now) { carryOut(output) }
        messages.forget(person: id, at: effects.now.instant)
        announcements.withdraw(.person(id), &effects)
        effects.publish(.clearing(.personLocation(person: id)))
        effects.unwritten.people = true
        effects.add(.storeSite)
        // At once, so that no kill keeps the alarms of nobody.
        if people.isEmpty { endPeople() }
    }

    // MARK: Requests and the configuration

    /// Responds to a request; returns whether the request is one about people.
    mutating func respond(toPeople what: String, _ request: Request) throws(Refused) -> Bool {
        let person: Person
        switch SiteRequest(rawValue: what) {
        case .addPerson: person = try people.add(try request.asked(Person.self), registry)
        case .editPerson: person = try people.edit(try request.asked(EditedPerson.self), registry)
        case .removePerson:
            person = try people.changeable(try request.asked(NameOrID.self).name)
            remove(person: person.id)
        default: return false
        }
        if people.household.person(named: person.id) != nil { effects.devices.append(.changed(.person(person.id))) }
        if what != SiteRequest.editPerson.rawValue { people.changed() }
        publish(person: person.id)
        let location = people.household.location(of: person.id, stamp: effects.stamp(of: effects.now.instant))
        if let room = location?.room { publish(roomOf: roomID(room)) }
        effects.unwritten.people = true
        effects.add(.storeSiteNow)
        // An item may have waited for its owner.
        effects.infoChanged()
        effects.reply(what, request, .done(PersonResponse(person)))
        return true
    }

    /// Applies what another configuration has of people.
    mutating func followPeople(_ configuration: AggregatorConfiguration) {
        for id in people.configure(configuration) { remove(person: id) }
        people.follow(registry)
        for id in people.configured.keys.sorted() {
            effects.devices.append(.changed(.person(id)))
            if people.arePublished { publish(person: id) }
        }
        effects.unwritten.people = true
    }
}

/// The notifications that follow from what is decided of people.
extension ItemLocations {
    mutating func raise(_ alarm: Alarm, of id: String, at time: WallTime, _ effects: inout SiteEffects) {
        change(id) { items, record in
            let change: ItemEvent.Change =
                switch alarm {
                case .forgotten(let people): .forgotten(in: record.room, by: people)
                case .taken(let room): .taken(from: room)
                case .alone(let room): .alone(in: room)
                }
            let event = items.events.append(
                change, of: record.item, at: time, after: nil, isPast: items.phase == .past, effects)
            items.notify(of: event, to: &record, &effects)
            items.deadlines.set(id, at: effects.now.instant)
        }
    }

    /// Continues the notification of an event that a former process published.
    mutating func continueNotification(of event: ItemEvent, _ effects: inout SiteEffects) {
        var event = event
        event.stamp.uptime = effects.stamp(of: effects.now.instant).uptime
        change(event.item) { items, record in
            items.notify(of: event, to: &record, &effects)
            items.deadlines.set(event.item, at: effects.now.instant)
        }
    }
}

extension ItemEvent.Change {
    var alarm: Alarm? {
        switch self {
        case .forgotten(_, let people): .forgotten(by: people)
        case .taken(let from): .taken(from: from)
        case .alone(let room): room.map { .alone(in: $0) }
        case .left, .returned, .moved, .low: nil
        }
    }
}

extension Notification.Kind {
    /// Whether people decide about the notification: of the others, the item's presence decides.
    var isAlarm: Bool {
        switch self {
        case .left, .returned, .low: false
        case .forgotten, .taken, .alone: true
        }
    }

    /// Whether the item's owners get a message.
    var isForOwners: Bool { isAlarm || self == .low }
}

import Beacons
import Messages
import People

/// What other aggregators of the site have decided, as inputs of this one.
extension SitePipeline {
    mutating func locate(_ part: SitePart) { reports.items.locate(part, registry, &effects) }

    /// Forgets a gateway that another aggregator has removed, unless it is alive.
    mutating func forgetIfGone(gateway: String) {
        guard reports.gateways[gateway]?.isAlive(at: effects.now.instant) == false else { return }
        reports.forget(gateway: gateway, clearing: false, &effects)
    }

    /// Publishes everything from now on in the place of another aggregator.
    ///
    /// - Parameter published: the other aggregator's last manifest.
    mutating func takeOver(from published: RegistryManifest?) {
        registryPublisher.takeOver(from: published, &effects)
        announcements.begin(at: max(effects.now.instant, items.settlesAt))
        publishOnline()
    }

    mutating func publishOnline() { status.publish(.online, &effects) }

    /// Takes over a person that was added by command, or that the person was removed.
    mutating func takeOver(person id: String, _ location: PersonLocation?) {
        guard people.configured[id] == nil, location?.stamp.boot != effects.boot else { return }
        if let location {
            people.household.set(StoredPerson(person: location.person))
        } else {
            _ = people.household.remove(person: id, at: effects.now)
        }
        effects.unwritten.people = true
    }

    /// Removes the people that the active aggregator has removed while this one did not follow.
    mutating func removePeople(missingIn added: AddedPeople) {
        guard let removed = people.takeRemoved(by: added) else { return }
        for id in removed { takeOver(person: id, nil) }
        effects.unwritten.people = true
        effects.add(.storeSite)
    }
}

extension ItemLocations {
    /// Takes over that another aggregator has published an event that this one has decided as well: the notification is the same.
    mutating func takeOver(_ event: ItemEvent, _ effects: borrowing SiteEffects) {
        guard let place = table.place(of: event.item) else { return }
        if event.change.isLow { table[place].begin(event, at: effects.now.instant) }
        let notification = table[place].notifications.first { $0.kind.rawValue == event.change.word }
        guard let stored = notification?.stored(at: effects.now) else { return }
        setNotification(stored, of: event.id, at: place, effects)
    }

    /// An item is in the room in which another aggregator has it, so that a move is a move from there.
    ///
    /// - Parameter isAnnounced: whether an event has announced the room, so that a move to it is none. Locations are published before their events.
    mutating func adopt(room: String, isAnnounced: Bool, of id: String, _ effects: inout SiteEffects) {
        guard let place = table.place(of: id), table[place].presence == .home,
            table[place].room != room || isAnnounced && table[place].reported.announced != room
        else { return }
        table[place].reported.adopt(room)
        table[place].isDirty = true
        effects.unwritten.states.insert(id)
    }

    /// Takes over the notification that another aggregator publishes of an item; `nil`: none.
    mutating func takeOver(_ published: Notification?, of id: String, _ effects: inout SiteEffects) {
        guard let place = table.place(of: id) else { return }
        effects.unwritten.states.insert(id)
        effects.add(.storeSite)
        guard let published else {
            let (notify, now) = (table[place].item.notifySettings, effects.now.instant)
            for notification in table[place].notifications
            where notification.published != nil && !notification.isExpiring(notify, at: now) {
                table[place].remove(notification)
                if notification.kind.isForOwners { effects.forPeople.append(.ended(item: id, notification.kind)) }
            }
            return
        }
        // After a restart, the broker delivers what this aggregator has published or followed before.
        let isKnown = table[place].notifications.contains { $0.published == published }
        let stored = ItemNotification.Stored(
            kind: published.kind, id: published.id, since: published.since, room: table[place].notification?.room,
            happenedAt: published.since, published: published)
        setNotification(stored, of: published.id, at: place, effects)
        if published.kind.isForOwners, !isKnown { effects.forPeople.append(.notified(published)) }
    }

    private mutating func setNotification(
        _ stored: ItemNotification.Stored, of event: EventID, at place: Int, _ effects: borrowing SiteEffects
    ) {
        var stored = stored
        stored.id = event
        table[place].set(ItemNotification(stored, notify: table[place].item.notifySettings, at: effects.now))
    }

    /// Items that are away for another aggregator, and of which this one has received nothing yet, are away here as well.
    ///
    /// - Returns: whether this aggregator knew enough to decide that.
    mutating func takeOver(
        away: [String: WallTime], _ gateways: inout Gateways, _ effects: inout SiteEffects
    ) -> Bool {
        guard !away.isEmpty, catchUp == nil, effects.now.instant >= settlesAt else { return false }
        let scanning = gateways.ids.filter { surroundings.isScanning($0) }
        for (id, since) in away where !scanning.isEmpty {
            guard let place = table.place(of: id), table[place].presence == .unknown,
                table[place].presenceByGateway.expires == nil
            else { continue }
            for gateway in scanning {
                table[place].presenceByGateway.exited(at: gateway, when: nil)
                gateways[gateway]?.note(item: id)
            }
            judge(id, gateways, &effects)
            guard table[place].presence == .away else { continue }
            table[place].since = since
            effects.unsetClock.note(since, of: id, at: effects.now)
        }
        return true
    }

    /// Writes an event into the log that was handed out. A notification of the event that was not published takes its number.
    mutating func write(handedOut event: ItemEvent, isLate: Bool, _ effects: borrowing SiteEffects) {
        let own = events.write(handedOut: event, isLate: isLate, effects)
        guard own.id != event.id, let place = table.place(of: event.item),
            let notification = table[place].notifications.first(where: { $0.id == event.id }),
            notification.published == nil
        else { return }
        let stored = notification.stored(at: effects.now)
        setNotification(stored, of: own.id, at: place, effects)
    }
}

import Beacons
import Messages

/// What an aggregator on standby takes over of the items from the active one, so that both have the same.
extension ItemLocations {
    /// Applies an event of an item that the active aggregator has published.
    mutating func follow(_ event: ItemEvent, _ effects: inout SiteEffects) {
        guard let place = place(of: event.item) else { return }
        if let stored = table[place].notification?.stored(at: effects.now),
            stored.kind.rawValue == event.change.word
        {
            setNotification(stored, of: event.id, at: place, effects)
        }
        switch event.change {
        case .moved(_, let room): adopt(room: room, of: event.item, &effects)
        case .returned(let room): if let room { adopt(room: room, of: event.item, &effects) }
        case .left: break
        }
    }

    /// An item is in the room in which the active aggregator has it, so that a move is a move from there.
    mutating func adopt(room: String, of id: String, _ effects: inout SiteEffects) {
        guard let place = place(of: id), table[place].presence == .home, table[place].room != room,
            events.unpublished?.hasPending(id) == false
        else { return }
        table[place].reported.adopt(room)
        table[place].isDirty = true
        effects.unwritten.states.insert(id)
    }

    /// Takes over the notification that the active aggregator publishes of an item; `nil`: none.
    mutating func follow(_ published: Notification?, of id: String, _ effects: inout SiteEffects) {
        guard let place = place(of: id) else { return }
        effects.unwritten.states.insert(id)
        effects.add(.storeSite)
        guard let published else {
            if table[place].notification?.published != nil { table[place].notification = nil }
            return
        }
        let stored = ItemNotification.Stored(
            kind: published.kind, id: published.id, since: published.since, room: table[place].notification?.room,
            happenedAt: published.since, dueAt: published.nextAt, published: published)
        setNotification(stored, of: published.id, at: place, effects)
    }

    private mutating func setNotification(
        _ stored: ItemNotification.Stored, of event: EventID, at place: Int, _ effects: borrowing SiteEffects
    ) {
        var stored = stored
        stored.id = event
        table[place].notification = ItemNotification(
            stored, notify: table[place].item.notifySettings, at: effects.now)
    }

    /// Items that are away for the active aggregator, and of which this one has received nothing yet, are away here as well.
    ///
    /// - Returns: whether this aggregator knew enough to decide that.
    mutating func follow(
        away: [String: WallTime], _ gateways: inout Gateways, _ effects: inout SiteEffects
    ) -> Bool {
        guard !away.isEmpty, catchUp == nil, effects.now.instant >= settlesAt else { return false }
        let scanning = gateways.ids.filter { surroundings.isScanning($0) }
        for (id, since) in away where !scanning.isEmpty {
            guard let place = place(of: id), table[place].presence == .unknown,
                table[place].presenceByGateway.expires == nil
            else { continue }
            for gateway in scanning {
                table[place].presenceByGateway.exited(at: gateway, when: since)
                gateways[gateway]?.note(item: id)
            }
            judge(id, gateways, &effects)
        }
        return true
    }

    /// Writes the events that the former active aggregator did not publish into the log, for this one to publish. While this aggregator catches
    /// up, they wait until it has.
    mutating func publishUnpublished(_ effects: inout SiteEffects) {
        guard phase == .present else { return }
        for event in events.unpublished?.release() ?? [] {
            let own = events.publish(unpublished: event, effects)
            if let place = place(of: event.item), let stored = table[place].notification?.stored(at: effects.now),
                stored.id == event.id, stored.published == nil
            {
                setNotification(stored, of: own.id, at: place, effects)
            }
        }
    }

    /// Withdraws the events that the broker has not delivered: another aggregator is active now and publishes them.
    ///
    /// - Parameter isDelivered: whether the broker has delivered an event of this aggregator.
    mutating func leaveUnpublished(unless isDelivered: (UInt64) -> Bool, at now: Instant) {
        let events = self.events.log.withdraw().compactMap { try? ItemEvent(parsing: $0.payload) }
        self.events.unpublished?.addPending(events.filter { !isDelivered($0.seq) }, at: now)
    }
}

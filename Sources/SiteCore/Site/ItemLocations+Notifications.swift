import Beacons
import Messages

extension ItemLocations {
    /// Begins the notification of an event. The former notification of the item ends.
    ///
    /// - Parameter at: when the event happened, if that was noticed later.
    func notify(
        of event: ItemEvent, to record: inout ItemRecord, at happened: Instant? = nil, _ effects: inout SiteEffects
    ) {
        let (now, notifySettings) = (effects.now, record.item.notifySettings)
        let age = max(.zero, now.wall - event.stamp.at)
        if let former = record.notification {
            // What becomes known late has times of its own: it may have happened before this process began.
            let absence =
                phase == .past || age > Self.clockTolerance
                ? event.stamp.at - former.since : (happened ?? now.instant) - former.happenedAt
            let wasBrief = former.isBrief(absence, notifySettings)
            end(former, of: &record, &effects)
            if wasBrief, event.change.isPresence { return }
        }
        // And its notification has all of its time from then on.
        let happenedAt =
            event.change.isPresence
            ? now.instant - min(age, .seconds(Double(notifySettings.afterSeconds)))
            : effects.startedAt + (event.stamp.uptime - Instant.zero)
        record.notification = ItemNotification(event, at: happenedAt)
    }

    func notify(_ record: inout ItemRecord, _ effects: inout SiteEffects) {
        if let notification = record.notification { advance(notification, of: &record, &effects) }
        if let notification = record.lowNotification { advance(notification, of: &record, &effects) }
    }

    private func advance(
        _ former: ItemNotification, of record: inout ItemRecord, _ effects: inout SiteEffects
    ) {
        guard !isOutdated(record) else { return }
        var notification = former
        let circumstances = ItemNotification.Circumstances(
            item: record.item, presence: record.presence, texts: effects.texts,
            battery: record.health?.readings.batteryLevel,
            probableCause: record.probableCause, utcOffset: utcOffset,
            isAsked: record.presenceByGateway.doubt.nextDeadline(at: effects.now.instant) != nil
                || asked.contains(record.item.id))
        let step =
            record.error == nil
            ? notification.advance(to: effects.now, circumstances, stamp: effects.stamp(of: effects.now.instant))
            : .over
        switch step {
        case .nothing:
            guard notification != former else { return }
            record.set(notification)
            effects.unwritten.states.insert(record.item.id)
        case .publish(let published):
            record.set(notification)
            // On the disk first, so that a restart does not publish it twice.
            effects.unwritten.states.insert(record.item.id)
            effects.add(.storeSiteNow)
            if record.retainedNotification?.id == published.id {
                effects.publish(.itemNotification(item: record.item.id), published)
            }
            effects.publish(.itemNotificationEvent(item: record.item.id), NotificationEvent(published))
            effects.perform(.notify(published.bytes))
            if published.kind.isForOwners { effects.forPeople.append(.notified(published)) }
        case .expired: change(&record, &effects) { $0.set(notification) }
        case .over: end(notification, of: &record, &effects)
        }
    }

    /// Ends a notification of an item that was published: that of a kind, or (`nil`) the one that the topic shows; returns whether there was one.
    @discardableResult
    mutating func acknowledge(
        _ id: String, only kind: Notification.Kind? = nil, _ effects: inout SiteEffects
    ) -> Bool {
        let notification = table[id]?.acknowledgeable(kind)
        effects.messages.append(.acknowledged(item: id, key: (notification?.kind ?? kind)?.rawValue))
        guard let notification, var record = table[id] else { return false }
        end(notification, of: &record, &effects)
        table[id] = record
        deadlines.set(id, at: effects.now.instant)
        // On the disk at once: an acknowledged notification is not repeated, even after a crash.
        effects.add(.storeSiteNow)
        return true
    }

    /// Ends the notification of an item's presence or people if it is of such a kind.
    mutating func endNotification(
        of id: String, _ effects: inout SiteEffects, _ isEnding: (Notification.Kind) -> Bool
    ) {
        guard let place = table.place(of: id), let notification = table[place].notification, isEnding(notification.kind)
        else { return }
        change(id) { $0.end(notification, of: &$1, &effects) }
        deadlines.set(id, at: effects.now.instant)
    }

    mutating func endNotifications(of id: String, _ effects: inout SiteEffects) {
        change(id) { items, record in
            for notification in record.notifications { items.end(notification, of: &record, &effects) }
        }
    }

    /// An item that left did so with an owner or a carrier: nobody is notified of that, and its battery is not the cause.
    mutating func accompanied(_ id: String, _ effects: inout SiteEffects) {
        endNotification(of: id, &effects) { $0 == .left }
        guard let place = table.place(of: id), table[place].probableCause != nil else { return }
        table[place].health?.discharge?.isEmpty = false
        table[place].isDirty = true
        effects.located.insert(id)
        effects.unwritten.states.insert(id)
        effects.add(.storeSite)
        deadlines.set(id, at: effects.now.instant)
    }

    /// Ends a notification of an item.
    func end(_ notification: ItemNotification, of record: inout ItemRecord, _ effects: inout SiteEffects) {
        change(&record, &effects) { $0.remove(notification) }
        if notification.kind.isForOwners {
            effects.forPeople.append(.ended(item: record.item.id, notification.kind))
        }
    }

    /// Changes the notifications of an item. The broker retains the other one from then on, if there is one.
    private func change(
        _ record: inout ItemRecord, _ effects: inout SiteEffects, _ body: (inout ItemRecord) -> Void
    ) {
        let former = record.retainedNotification
        body(&record)
        effects.unwritten.states.insert(record.item.id)
        effects.add(.storeSite)
        let retained = record.retainedNotification
        guard retained?.id != former?.id else { return }
        let topic = Topic.itemNotification(item: record.item.id)
        if let retained { effects.publish(topic, retained) } else { effects.publish(.clearing(topic)) }
    }
}

extension ItemRecord {
    var lowNotification: ItemNotification? { health?.discharge?.notification }

    /// All notifications of the item: that of its presence or its people first.
    var notifications: [ItemNotification] { [notification, lowNotification].compactMap { $0 } }

    /// The notification that the broker retains: one of a battery only while there is no other.
    var retainedNotification: Notification? { notification?.retained ?? lowNotification?.published }

    /// The notification that an acknowledgement ends: that of a kind, or (`nil`) the one that the broker retains, else one whose time is over.
    func acknowledgeable(_ kind: Notification.Kind?) -> ItemNotification? {
        let published = notifications.filter { $0.published != nil && $0.kind == kind ?? $0.kind }
        return published.first { !$0.isExpired } ?? published.first
    }

    mutating func set(_ newer: ItemNotification) {
        if newer.kind == .low { health?.discharge?.notification = newer } else { notification = newer }
    }

    mutating func remove(_ former: ItemNotification) {
        if former.kind == .low { health?.discharge?.notification = nil } else { notification = nil }
    }
}

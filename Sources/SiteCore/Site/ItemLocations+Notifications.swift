import Beacons
import Messages

/// The notifications of the items.
extension ItemLocations {
    /// Begins the notification of an event. The former notification of the item ends.
    ///
    /// - Parameter at: when the event happened, if that was noticed later.
    func notify(
        of event: ItemEvent, to record: inout ItemRecord, at happened: Instant? = nil, _ effects: inout SiteEffects
    ) {
        let notifySettings = record.item.notifySettings
        let wasBrief = record.notification?.isBrief(at: happened ?? effects.now.instant, notifySettings) ?? false
        end(&record, &effects)
        guard !wasBrief || !event.change.isPresence else { return }
        record.notification = ItemNotification(
            event, at: effects.startedAt + (event.stamp.uptime - Instant.zero), notify: notifySettings)
    }

    /// Publishes the notification of an item, if it is due.
    func notify(_ record: inout ItemRecord, _ effects: inout SiteEffects) {
        guard var notification = record.notification, !isOutdated(record) else { return }
        let circumstances = ItemNotification.Circumstances(
            item: record.item, presence: record.presence, utcOffset: utcOffset,
            isAsked: record.presenceByGateway.doubt.nextDeadline(at: effects.now.instant) != nil
                || asked.contains(record.item.id))
        let step =
            record.error == nil
            ? notification.advance(to: effects.now, circumstances, stamp: effects.stamp(of: effects.now.instant))
            : .over
        switch step {
        case .nothing: return
        case .publish(let published):
            record.notification = notification
            // On the disk first, so that a restart does not publish it twice.
            effects.unwritten.states.insert(record.item.id)
            effects.add(.storeSiteNow)
            effects.publish(.itemNotification(item: record.item.id), published)
            effects.publish(.itemNotificationEvent(item: record.item.id), NotificationEvent(published))
            effects.add(.notify(published.bytes))
            if published.kind.isAlarm {
                effects.forPeople.append(.notified(item: published.item, published.kind, text: published.message))
            }
        case .over: end(&record, &effects)
        }
    }

    /// Ends a notification that was published; returns whether there was one.
    @discardableResult
    mutating func acknowledge(_ id: String, _ effects: inout SiteEffects) -> Bool {
        effects.messages.append(.acknowledged(item: id))
        guard var record = table[id], record.notification?.published != nil else { return false }
        end(&record, &effects)
        table[id] = record
        deadlines.set(id, at: effects.now.instant)
        // On the disk at once: an acknowledged notification is not repeated, even after a crash.
        effects.add(.storeSiteNow)
        return true
    }

    /// Ends the notification of an item if it is of such a kind.
    mutating func endNotification(
        of id: String, _ effects: inout SiteEffects, _ isEnding: (Notification.Kind) -> Bool
    ) {
        guard let place = place(of: id), let kind = table[place].notification?.kind, isEnding(kind) else { return }
        var record = table.borrow(from: place)
        end(&record, &effects)
        table.put(record, to: place)
        makeDue(id, at: effects.now.instant)
    }

    /// Ends the notification of an item, and clears the retained one.
    private func end(_ record: inout ItemRecord, _ effects: inout SiteEffects) {
        guard let notification = record.notification else { return }
        record.notification = nil
        effects.unwritten.states.insert(record.item.id)
        effects.add(.storeSite)
        if notification.kind.isAlarm { effects.forPeople.append(.ended(item: record.item.id)) }
        if notification.published != nil { effects.publish(.clearing(.itemNotification(item: record.item.id))) }
    }
}

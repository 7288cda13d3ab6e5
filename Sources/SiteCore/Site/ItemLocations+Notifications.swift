import Beacons
import Messages

/// The notifications of the items.
extension ItemLocations {
    /// Begins the notification of an event. The former notification of the item ends.
    func notify(of event: ItemEvent, to record: inout ItemRecord, _ effects: inout SiteEffects) {
        let wishes = record.item.wishes
        let wasBrief = record.notification?.isBrief(at: effects.now.instant, wishes) ?? false
        end(&record, &effects)
        guard !wasBrief else { return }
        record.notification = ItemNotification(
            event, at: effects.startedAt + (event.stamp.uptime - Instant.zero), notify: wishes)
    }

    /// Publishes the notification of an item, if it is due.
    func notify(_ record: inout ItemRecord, _ effects: inout SiteEffects) {
        guard var notification = record.notification, !isOutdated(record) else { return }
        let circumstances = ItemNotification.Circumstances(
            item: record.item, presence: record.presence, utcOffset: utcOffset)
        let step =
            record.error == nil
            ? notification.advance(to: effects.now, circumstances, stamp: effects.stamp(of: effects.now.instant))
            : .over
        switch step {
        case .nothing: return
        case .say(let said):
            record.notification = notification
            // On the disk first, so that a restart does not publish it twice.
            effects.unwritten.states.insert(record.item.id)
            effects.add(.keepNow)
            effects.publish(.itemNotification(item: record.item.id), said)
            effects.publish(.itemNotificationEvent(item: record.item.id), NotificationEvent(said))
            effects.add(.notify(said.bytes))
        case .over: end(&record, &effects)
        }
    }

    /// Ends a notification that was published; returns whether there was one.
    @discardableResult
    mutating func acknowledge(_ id: String, _ effects: inout SiteEffects) -> Bool {
        guard var record = table[id], record.notification?.said != nil else { return false }
        end(&record, &effects)
        table[id] = record
        deadlines.set(id, at: effects.now.instant)
        // On the disk at once: an acknowledged notification is not repeated, even after a crash.
        effects.add(.keepNow)
        return true
    }

    /// Ends the notification of an item, and clears the retained one.
    private func end(_ record: inout ItemRecord, _ effects: inout SiteEffects) {
        guard let notification = record.notification else { return }
        record.notification = nil
        effects.unwritten.states.insert(record.item.id)
        effects.add(.keep)
        if notification.said != nil { effects.publish(.clearing(.itemNotification(item: record.item.id))) }
    }
}

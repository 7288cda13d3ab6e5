import Beacons
import Messages

/// The notifications of the items.
extension SitePipeline {
    /// Begins the notification of an event. The former notification of the item ends.
    mutating func tell(of event: ItemEvent, to record: inout ItemRecord) {
        let wishes = record.item.wishes
        let wasBrief = record.notification?.isBrief(at: effects.now.instant, wishes) ?? false
        end(&record)
        guard !wasBrief else { return }
        record.notification = ItemNotification(
            event, at: effects.startedAt + (event.stamp.uptime - Instant.zero), notify: wishes)
    }

    /// Publishes the notification of an item, if it is due.
    mutating func notify(_ record: inout ItemRecord) {
        guard var notification = record.notification, !isOutdated(record) else { return }
        let circumstances = ItemNotification.Circumstances(
            item: record.item, presence: record.presence, utcOffset: utcOffset)
        let step =
            record.error == nil
            ? notification.advance(to: now, circumstances, stamp: effects.stamp(of: effects.now.instant)) : .over
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
        case .over: end(&record)
        }
    }

    /// Responds to `items/acknowledge`.
    mutating func acknowledge(_ request: Request) throws(Refused) -> ItemAnswer {
        let item = try item(try request.asked(NamedThing.self))
        guard acknowledge(item.id) else { throw Refused("Of \(item.name) there is nothing to acknowledge.") }
        return ItemAnswer(item: item)
    }

    /// Ends a notification that was published; returns whether there was one.
    @discardableResult
    mutating func acknowledge(_ id: String) -> Bool {
        guard var record = items[id], record.notification?.said != nil else { return false }
        end(&record)
        items[id] = record
        deadlines.set(id, at: effects.now.instant)
        // On the disk at once: an acknowledged notification is not repeated, even after a crash.
        effects.add(.keepNow)
        return true
    }

    /// Ends the notification of an item, and clears the retained one.
    private mutating func end(_ record: inout ItemRecord) {
        guard let notification = record.notification else { return }
        record.notification = nil
        effects.unwritten.states.insert(record.item.id)
        effects.add(.keep)
        if notification.said != nil { effects.publish(.clearing(.itemNotification(item: record.item.id))) }
    }
}

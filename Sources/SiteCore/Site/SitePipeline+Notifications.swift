import Beacons
import Messages

/// What the items' owners are told.
extension SitePipeline {
    /// Begins to tell of what has just happened to an item; what was told of it before is over.
    mutating func tell(of event: ItemEvent, to record: inout ItemRecord) {
        let wishes = record.item.wishes
        let wasBrief = record.notification?.isBrief(at: effects.now.instant, wishes) ?? false
        end(&record)
        guard !wasBrief else { return }
        record.notification = ItemNotification(
            event, at: effects.startedAt + (event.stamp.uptime - Instant.zero), notify: wishes)
    }

    /// Says of an item what is due now.
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
            // On disk first, so that no restart says it twice.
            effects.unwritten.states.insert(record.item.id)
            effects.add(.keepNow)
            effects.publish(.itemNotification(item: record.item.id), said)
            effects.publish(.itemNotificationEvent(item: record.item.id), NotificationEvent(said))
            effects.add(.notify(said.bytes))
        case .over: end(&record)
        }
    }

    /// Answers `items/acknowledge`.
    mutating func acknowledge(_ request: Request) throws(Refused) -> ItemAnswer {
        let item = try item(try request.asked(NamedThing.self))
        guard acknowledge(item.id) else { throw Refused("Of \(item.name) there is nothing to acknowledge.") }
        return ItemAnswer(item: item)
    }

    /// The owner has seen it: it is not said again. Whether there was something to see.
    @discardableResult
    mutating func acknowledge(_ id: String) -> Bool {
        guard var record = items[id], record.notification?.said != nil else { return false }
        end(&record)
        items[id] = record
        deadlines.set(id, at: effects.now.instant)
        // Whoever acknowledged shall not hear of it again, whatever happens next.
        effects.add(.keepNow)
        return true
    }

    /// Nothing is to be said any more; the broker forgets what was.
    private mutating func end(_ record: inout ItemRecord) {
        guard let notification = record.notification else { return }
        record.notification = nil
        effects.unwritten.states.insert(record.item.id)
        effects.add(.keep)
        if notification.said != nil { effects.publish(.clearing(.itemNotification(item: record.item.id))) }
    }
}

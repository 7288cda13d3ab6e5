import Beacons
import Messages

/// What the items' owners are told.
extension SitePipeline {
    /// Begins to tell of what has just happened to an item; what was told of it before is over.
    mutating func tell(of event: ItemEvent, to record: inout ItemRecord) {
        let wishes = record.item.wishes
        let wasBrief = record.notification?.isBrief(at: now.instant, wishes) ?? false
        end(&record)
        guard !wasBrief else { return }
        record.notification = ItemNotification(
            event, at: startedAt + (event.stamp.uptime - Instant.zero), notify: wishes)
    }

    /// Says of an item what is due now.
    mutating func notify(_ record: inout ItemRecord) {
        guard var notification = record.notification, !isOutdated(record) else { return }
        let circumstances = ItemNotification.Circumstances(
            item: record.item, presence: record.presence, utcOffset: utcOffset)
        let step =
            record.error == nil
            ? notification.advance(to: now, circumstances, stamp: stamp(of: now.instant)) : .over
        switch step {
        case .nothing: return
        case .say(let said):
            record.notification = notification
            // On disk first, so that no restart says it twice.
            unwritten.states.insert(record.item.id)
            outputs.append(.keepNow)
            publish(.itemNotification(item: record.item.id), said)
            publish(.itemNotificationEvent(item: record.item.id), NotificationEvent(said))
            outputs.append(.notify(said.bytes))
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
        deadlines.set(id, at: now.instant)
        // Whoever acknowledged shall not hear of it again, whatever happens next.
        outputs.append(.keepNow)
        return true
    }

    /// Nothing is to be said any more; the broker forgets what was.
    private mutating func end(_ record: inout ItemRecord) {
        guard let notification = record.notification else { return }
        record.notification = nil
        unwritten.states.insert(record.item.id)
        outputs.append(.keep)
        if notification.said != nil { publish(.clearing(.itemNotification(item: record.item.id))) }
    }
}

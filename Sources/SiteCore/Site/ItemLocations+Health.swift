import Beacons
import HomeAssistant
import Messages

/// The health of an item's tag, as far as the tag reports it.
struct TagHealth: Sendable {
    /// What was published last, by this aggregator or another one.
    var published: ItemHealth
    var publishedAt: Instant
    /// The newest values, published or not.
    var readings: TagReadings

    init(_ published: ItemHealth, at now: Instant) {
        (self.published, publishedAt, readings) = (published, now, published.readings)
    }
}

/// What the items' tags report about themselves.
///
/// Nothing of it is on the disk: the broker retains what was published, and a new process continues with that.
extension ItemLocations {
    /// Changed values are published no more often than this, unless the battery becomes low or good.
    static let healthPeriod = Interval.seconds(600)

    /// Applies what a gateway received of an item's tag.
    func receive(_ new: TagReadings, of record: inout ItemRecord, _ effects: inout SiteEffects) {
        let now = effects.now.instant
        // Before that, the health of a former process may be on its way.
        guard new.hasAny, record.error == nil, isSettled(at: now) else { return }
        var readings = record.health?.readings ?? TagReadings()
        readings.update(with: new)
        record.health?.readings = readings
        let former = record.health
        let health = ItemHealth(
            item: record.item.id, readings: readings, wasLow: former?.published.isLow ?? false,
            stamp: effects.stamp(of: now))
        if let former, former.published.isLow == health.isLow {
            guard former.published.readings != readings, now - former.publishedAt >= Self.healthPeriod else { return }
        }
        effects.publish(.itemHealth(item: record.item.id), health)
        Self.set(TagHealth(health, at: now), of: &record, &effects)
    }

    /// Continues with the health that a former process, or another aggregator, has published.
    mutating func follow(health payload: [UInt8], of id: String, _ topic: Topic, _ effects: inout SiteEffects) {
        guard let place = place(of: id), let health = try? ItemHealth(parsing: payload, on: topic),
            health.stamp.boot != effects.boot
        else { return }
        // What a predecessor has published comes back when this aggregator publishes it again.
        if let known = table[place].health?.published, health.stamp.at <= known.stamp.at { return }
        guard hasNewTag.remove(id) == nil else { return effects.publish(.clearing(topic)) }
        Self.set(TagHealth(health, at: effects.now.instant), of: &table[place], &effects)
    }

    /// Forgets the health of a tag that the item no longer has.
    func clearHealth(of id: String, _ effects: inout SiteEffects) {
        guard table[id]?.health != nil else { return }
        effects.publish(.clearing(.itemHealth(item: id)))
        effects.devices.append(.battery(item: id, nil))
    }

    private static func set(_ health: TagHealth, of record: inout ItemRecord, _ effects: inout SiteEffects) {
        let former = record.health.flatMap { Device.Battery($0.published.readings) }
        record.health = health
        let battery = Device.Battery(health.published.readings)
        if battery != former { effects.devices.append(.battery(item: record.item.id, battery)) }
    }
}

import Beacons
import HomeAssistant
import Messages

/// The health of an item's tag, as far as the tag reports it.
///
/// Nothing of it is on the disk: the broker retains what was published, and a new process continues with that.
struct TagHealth: Sendable {
    /// Changed values are published no more often than this, unless the battery becomes low or good.
    static let period = Interval.seconds(600)

    /// What was published last, by this aggregator or another one.
    var published: ItemHealth
    var publishedAt: Instant
    /// The newest values, published or not.
    var readings: TagReadings

    init(_ published: ItemHealth, at now: Instant) {
        (self.published, publishedAt, readings) = (published, now, published.readings)
    }
}

extension ItemRecord {
    /// Applies what a gateway received of the item's tag.
    mutating func receive(_ new: TagReadings, _ effects: inout SiteEffects) {
        let now = effects.now.instant
        var readings = health?.readings ?? TagReadings()
        readings.update(with: new)
        health?.readings = readings
        let newer = ItemHealth(
            item: item.id, readings: readings, wasLow: health?.published.isLow ?? false, stamp: effects.stamp(of: now))
        if let former = health, former.published.isLow == newer.isLow {
            guard former.published.readings != readings, now - former.publishedAt >= TagHealth.period else { return }
        }
        effects.publish(.itemHealth(item: item.id), newer)
        follow(newer, &effects)
    }

    /// Continues with a health that was published.
    mutating func follow(_ newer: ItemHealth, _ effects: inout SiteEffects) {
        let former = health.flatMap { Device.Battery($0.published.readings) }
        health = TagHealth(newer, at: effects.now.instant)
        let battery = Device.Battery(newer.readings)
        if battery != former { effects.devices.append(.battery(item: item.id, battery)) }
    }
}

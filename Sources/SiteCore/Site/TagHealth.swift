import Beacons
import HomeAssistant
import Messages

/// The health of an item's tag.
///
/// Of what is published, nothing is on the disk: the broker retains it, and a new process continues with that.
struct TagHealth: Sendable {
    /// Changed values are published no more often than this, unless the battery becomes low or good.
    static let period = Interval.seconds(600)
    /// The error of a battery's age: gateways state whole seconds, and their clocks are known within fractions of one.
    static let tolerance = Interval.seconds(2)

    /// What was published last, by this aggregator or another one; `nil`: nothing yet.
    var published: ItemHealth?
    var publishedAt: Instant?
    /// The newest values, published or not.
    var readings = TagReadings()
    /// When the tag reported the percentage and the voltage in `readings`, as far as gateways state it. One gateway may receive only the one, and another
    /// only the other.
    private(set) var percentAt: Instant? = nil
    private(set) var voltageAt: Instant? = nil
    /// Whether a gateway has stated it to this process. Then one of an earlier release, which does not, is not believed.
    var isDated = false
    /// The discharge that the event `low` reports, which is on the disk; `nil`: none.
    @IndirectOptional var discharge: Discharge? = nil
    /// How the tag is received; `nil` before it is received for the first time.
    @IndirectOptional var meter: ReceptionMeter? = nil

    /// Takes what a tag has reported. Each gateway repeats what it received last, so an older battery is no news.
    ///
    /// - Parameter at: when the tag reported its battery; `nil`: the gateway does not state it.
    mutating func update(with new: TagReadings, batteryAt at: Instant?) {
        var new = new
        if new.batteryPercent != nil, !takes(at, &percentAt) { new.batteryPercent = nil }
        if new.batteryMillivolts != nil, !takes(at, &voltageAt) { new.batteryMillivolts = nil }
        if at != nil, new.hasBattery { isDated = true }
        readings.update(with: new)
    }

    /// Whether a value of this time is no older than the last one, whose time follows.
    private func takes(_ at: Instant?, _ last: inout Instant?) -> Bool {
        guard let at else { return !isDated }
        if let last, at + Self.tolerance < last { return false }
        last = max(last ?? at, at)
        return true
    }

    /// Takes over what was published at an instant: what gateways received before is no news.
    mutating func follow(_ newer: ItemHealth, at published: Instant) {
        readings = newer.readings
        if percentAt == nil, readings.batteryPercent != nil { percentAt = published }
        if voltageAt == nil, readings.batteryMillivolts != nil { voltageAt = published }
    }

    /// Measures the reception; see `ReceptionMeter.note`.
    fileprivate mutating func measure(
        _ state: RangedState, of item: String, from gateway: String, day: Int64, at now: Moment
    ) -> Bool {
        if meter == nil { meter = ReceptionMeter(at: gateway, day: day) }
        return meter?.note(
            state, of: item, from: gateway, day: day, isSynchronised: now.isSynchronised, at: now.instant) ?? false
    }
}

/// A battery is low, which was reported.
struct Discharge: Sendable {
    /// The notification of that; `nil`: it is acknowledged, or nobody wants one.
    var notification: ItemNotification?
    /// Whether the item, which is away, probably fell silent because the battery is empty.
    var isEmpty = false
}

extension ItemRecord {
    /// Why the item is away, if it has probably not left: its battery was low, and it fell silent where it was.
    var probableCause: ProbableCause? { presence == .away && health?.discharge?.isEmpty == true ? .battery : nil }

    /// Whether it matters how the item falls silent.
    var followsDeparture: Bool { item.sleeps || sleep.isOfCarried || health?.discharge != nil }

    /// Begins the discharge that an event reports, unless it is known.
    mutating func begin(_ event: ItemEvent, at now: Instant) {
        guard health?.discharge == nil else { return }
        var newer = health ?? TagHealth()
        newer.discharge = Discharge(notification: ItemNotification(event, at: now))
        health = newer
    }

    /// Measures the reception at the gateway that receives the item best; returns whether to publish it.
    mutating func measure(_ state: RangedState, from gateway: String, at now: Moment) -> Bool {
        if health == nil { health = TagHealth() }
        let (id, day) = (item.id, ReceptionMeter.day(of: now.wall, item.id))
        return health?.measure(state, of: id, from: gateway, day: day, at: now) ?? false
    }

    /// Continues with a health that was published. If the battery is low there, the event was published before.
    mutating func follow(_ newer: ItemHealth, _ effects: inout SiteEffects) {
        let former = health?.published.flatMap { Device.Battery($0.readings) }
        var health = health ?? TagHealth()
        (health.published, health.publishedAt) = (newer, effects.now.instant)
        health.follow(newer, at: effects.now.instant - max(.zero, effects.now.wall - newer.stamp.at))
        if newer.isLow == true, health.discharge == nil { health.discharge = Discharge() }
        self.health = health
        let battery = Device.Battery(newer.readings)
        if battery != former { effects.devices.append(.battery(item: item.id, battery)) }
    }
}

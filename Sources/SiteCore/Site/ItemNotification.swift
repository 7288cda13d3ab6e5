import Beacons
import Messages
import People
import Text

/// The notification of one event of an item: when it is published, when it is repeated, and when it ends.
///
/// Time is a parameter of `advance`. A notification is published only while it is true: one of `left` waits while the item's presence is
/// unknown, for example because a gateway is down. One of `low` does not depend on the presence.
struct ItemNotification: Hashable, Sendable {
    /// What happened to the item.
    let kind: Notification.Kind
    /// The event that the notification reports.
    let id: EventID
    /// When the event happened, as in the event.
    private(set) var since: WallTime
    /// The item's last room, or its present one.
    let room: String?
    /// When the event happened, on the aggregator's clock. One that became known later than `after` counts as that old then.
    let happenedAt: Instant
    /// What was published last; `nil`: nothing yet.
    private(set) var published: Notification?
    /// When it was published last.
    private var publishedAt: Instant?
    /// Whether the time of an alarm is over. It is no longer published, but people keep their message for as long as it is true.
    private(set) var isExpired = false

    /// What the broker retains.
    var retained: Notification? { isExpired ? nil : published }

    /// The result of `advance`.
    enum Step: Hashable, Sendable {
        case nothing
        case publish(Notification)
        /// The time of an alarm is over.
        case expired
        /// The notification has ended.
        case over
    }

    /// What a notification depends on, besides time.
    struct Circumstances: Sendable {
        var item: RegistryItem
        var presence: Presence
        /// The language of the message.
        var texts = Texts.english
        /// The level of the battery of the item's tag, if it is known.
        var battery: String?
        /// Why the item is away, if it has probably not left.
        var probableCause: ProbableCause?
        /// By how much the local clock is ahead of UTC at a time.
        var utcOffset: @Sendable (WallTime) -> Interval
        /// Whether it is about to be decided whether the item is back, or somebody went along: a notification of `left` waits for that.
        var isAsked = false
    }

    /// The notification of an event; `nil` for a move.
    init?(_ event: ItemEvent, at happenedAt: Instant) {
        switch event.change {
        case .moved: return nil
        case .left(let from): (kind, room) = (.left, from)
        case .returned(let to): (kind, room) = (.returned, to)
        case .forgotten(let room, _): (kind, self.room) = (.forgotten, room)
        case .taken(let from): (kind, room) = (.taken, from)
        case .alone(let room): (kind, self.room) = (.alone, room)
        case .low: (kind, room) = (.low, nil)
        }
        id = event.id
        since = event.stamp.at
        self.happenedAt = happenedAt
    }

    /// Corrects the event's time, if it is one of a clock that somebody has set now.
    mutating func correct(_ times: ClosedRange<WallTime>, by correction: Interval) {
        if times.contains(since) { since = since + correction }
    }

    /// Whether an absence of the item is so short that nobody is notified of it: then the return is not notified either.
    func isBrief(_ absence: Interval, _ notify: Notify) -> Bool {
        kind == .left && published == nil && absence < .seconds(Double(notify.afterSeconds))
    }

    /// Returns what is due at `now`.
    mutating func advance(to now: Moment, _ circumstances: Circumstances, stamp: Stamp) -> Step {
        let notify = circumstances.item.notifySettings
        guard circumstances.presence != opposite else { return .over }
        guard isRequested(notify, circumstances.item) else {
            return isBrief(now.instant - happenedAt, notify) && notify.returned ? .nothing : .over
        }
        guard !isExpired else { return .nothing }
        if let end = end(notify, isPublished: published != nil), now.instant >= end {
            isExpired = published != nil && kind.isAlarm
            return isExpired ? .expired : .over
        }
        guard let dueAt = dueAt(notify), dueAt <= now.instant,
            circumstances.presence == presence ?? circumstances.presence,
            !(kind == .left && circumstances.isAsked), notify.permits(now.wall, circumstances.utcOffset)
        else { return .nothing }
        publishedAt = now.instant
        var nextAt = repetition(notify).map { notify.nextPermitted(now.wall(at: $0), circumstances.utcOffset) }
        if let end = until(notify), let next = nextAt, next >= now.wall(at: end) { nextAt = nil }
        let notification = Notification(
            id: id, kind: kind, message: message(circumstances, notify), item: circumstances.item.id,
            count: (published?.count ?? 0) + 1, nextAt: nextAt, since: since, stamp: stamp)
        published = notification
        return .publish(notification)
    }

    /// When `advance` has to be called next, if nothing else happens. While the notification waits for the permitted hours or the presence,
    /// that is at once.
    func nextDeadline(_ notify: Notify, now: Instant) -> Instant? {
        guard !isExpired else { return nil }
        let end = end(notify, isPublished: published != nil)
        return [dueAt(notify), end].compactMap { $0 }.min().map { max($0, now) }
    }

    /// When the notification is published or repeated next; `nil`: not again, unless the settings change.
    private func dueAt(_ notify: Notify) -> Instant? {
        published == nil ? happenedAt + grace(notify) : repetition(notify)
    }

    /// How long the item may be away before anybody is notified.
    private func grace(_ notify: Notify) -> Interval {
        kind == .left ? .seconds(Double(notify.afterSeconds)) : .zero
    }

    /// A return is published once, and so is a battery: it runs for days or weeks after that.
    private func repetition(_ notify: Notify) -> Instant? {
        guard kind != .returned, kind != .low, let publishedAt else { return nil }
        let next = notify.repeatSeconds.map { publishedAt + .seconds(Double($0)) }
        return next.flatMap { next in until(notify).map { next < $0 } ?? true ? next : nil }
    }

    /// The presence with which the notification is true; `nil`: any.
    private var presence: Presence? {
        switch kind {
        case .left, .taken: .away
        case .returned, .forgotten, .alone: .home
        case .low: nil
        }
    }

    // The presence that ends the notification: what it reports is no longer true.
    private var opposite: Presence? { presence.map { $0 == .home ? .away : .home } }

    private func isRequested(_ notify: Notify, _ item: RegistryItem) -> Bool {
        switch kind {
        case .left: notify.left
        case .returned: notify.returned
        // Whoever names owners wants to know.
        case .forgotten, .taken, .alone: true
        case .low: notify.left || notify.returned || item.ownership != nil
        }
    }

    /// After `until` there is no repetition. A battery is low until it is replaced.
    private func until(_ notify: Notify) -> Instant? {
        kind == .low ? nil : notify.untilSeconds.map { happenedAt + .seconds(Double($0)) }
    }

    /// When the notification ends, published or not. `until` does not end it before it could be published once: what people have to do with it may
    /// be decided that late. Nor does `until` end it before others had the time to read it.
    private func end(_ notify: Notify, isPublished: Bool) -> Instant? {
        guard let until = until(notify) else { return nil }
        guard isPublished else { return max(until, happenedAt + grace(notify) + Household.patience) }
        guard let publishedAt, published?.count == 1 else { return until }
        return max(until, publishedAt + Self.shortest)
    }

    /// How long a notification is published at least.
    private static let shortest = Interval.seconds(60)

    /// Whether an alarm that is no longer published anywhere ended because its time is over, and not because somebody acknowledged it.
    func isExpiring(_ notify: Notify, at now: Instant) -> Bool {
        isExpired || kind.isAlarm && end(notify, isPublished: true).map { now >= $0 - Self.tolerance } ?? false
    }

    /// By how much two aggregators may differ in when a notification ends.
    private static let tolerance = Interval.seconds(10)

    private func message(_ circumstances: Circumstances, _ notify: Notify) -> String {
        let texts = circumstances.texts
        let last = room.map { texts.localized(" (last: {room})", ["room": $0]) } ?? ""
        let values = [
            "item": circumstances.item.name, "place": room.map { " (\($0))" } ?? "", "last": last,
            "level": circumstances.battery.map { " (\($0))" } ?? "",
        ]
        /// A message of the user's own.
        func filled(_ text: String) -> String {
            Texts.filled(text, ["name": circumstances.item.name, "room": room ?? ""])
        }
        return switch kind {
        case .left:
            circumstances.probableCause == nil
                ? notify.leftText.map(filled)
                    ?? texts.localized("Are you forgetting something? {item} has left{last}.", values)
                : texts.localized(
                    "Probably an empty battery: {message}",
                    [
                        "message": notify.leftText.map(filled)
                            ?? texts.localized("{item} is no longer received{last}.", values)
                    ])
        case .returned: notify.returnedText.map(filled) ?? texts.localized("{item} is back{place}.", values)
        case .forgotten: texts.localized("Are you forgetting something? {item} is still at home{place}.", values)
        case .taken: texts.localized("{item} has left, and none of its owners went along{last}.", values)
        case .alone: texts.localized("{item} is alone{place}.", values)
        case .low: texts.localized("The battery of {item} is nearly empty{level}.", values)
        }
    }

    /// A notification on the disk. It has wall clock times, because a monotonic clock ends with the machine's run.
    struct Stored: Hashable, Sendable {
        var kind: Notification.Kind
        var id: EventID
        var since: WallTime
        var room: String?
        var happenedAt: WallTime
        var published: Notification?
        var isExpired = false
    }

    func stored(at now: Moment) -> Stored {
        Stored(
            kind: kind, id: id, since: since, room: room, happenedAt: now.wall(at: happenedAt),
            published: published, isExpired: isExpired)
    }

    /// Continues after a restart. A wrong wall clock delays the notification by no more than a new one would wait.
    init(_ stored: Stored, notify: Notify, at now: Moment) {
        (kind, id, since, room, published) = (stored.kind, stored.id, stored.since, stored.room, stored.published)
        happenedAt = now.instant - max(.zero, now.wall - stored.happenedAt)
        if let published {
            publishedAt = now.instant - max(.zero, now.wall - published.stamp.at)
            isExpired =
                stored.isExpired || kind.isAlarm && end(notify, isPublished: true).map { $0 <= now.instant } ?? false
        }
    }
}

extension RegistryItem {
    var notifySettings: Notify { notify ?? Notify(left: false, returned: false) }
}

extension Notify {
    /// Whether notifications are permitted at this time of the local day.
    func permits(_ time: WallTime, _ utcOffset: (WallTime) -> Interval) -> Bool {
        let minute = (time + utcOffset(time)).minuteOfDay
        let (from, to) = (self.from?.minute ?? 0, self.to?.minute ?? 1440)
        if from == to { return true }
        return from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// The first moment from `time` on at which notifications are permitted.
    func nextPermitted(_ time: WallTime, _ utcOffset: (WallTime) -> Interval) -> WallTime {
        guard !permits(time, utcOffset) else { return time }
        let local = time + utcOffset(time)
        let minutes = ((from?.minute ?? 0) - local.minuteOfDay + 1440) % 1440
        let past = local.milliseconds - local.milliseconds.floored(to: 60_000)
        let next = time + .milliseconds(Int64(minutes) * 60_000 - past)
        // The clocks may be changed until then.
        return next + (utcOffset(time) - utcOffset(next))
    }
}

extension WallTime {
    fileprivate var minuteOfDay: Int {
        Int((milliseconds - milliseconds.floored(to: 86_400_000)) / 60_000)
    }
}

extension Int64 {
    /// The next multiple of `step` at or below it.
    fileprivate func floored(to step: Int64) -> Int64 {
        let rest = self % step
        return self - (rest < 0 ? rest + step : rest)
    }
}

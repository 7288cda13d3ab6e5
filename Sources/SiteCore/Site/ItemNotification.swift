import Beacons
import Messages

/// What an item's owner is told of one leaving or one return: when it is said, when again, and when it is over.
///
/// It knows no clock: `advance` is told the time. It only says what is so now: of a leaving nothing while it is not known whether the item
/// is still away, as when a gateway died.
struct ItemNotification: Hashable, Sendable {
    /// Which of the two.
    let kind: Notification.Kind
    /// The event that it tells of.
    let id: EventID
    /// When that happened, as the event says it.
    let since: WallTime
    /// Where the item was last, or is now.
    let room: String?
    /// When that happened, on our clock.
    let happenedAt: Instant
    /// What was said last; `nil`: nothing yet.
    private(set) var said: Notification?
    /// When it is to be said, or said again; `nil`: not again.
    private(set) var dueAt: Instant?

    /// What is to be done now.
    enum Step: Hashable, Sendable {
        case nothing
        /// This is to be said.
        case say(Notification)
        /// There is nothing to be said of it any more.
        case over
    }

    /// All that it depends on besides time.
    struct Circumstances: Sendable {
        var item: RegistryItem
        var presence: Presence
        /// By how much the local clock is ahead of UTC.
        var utcOffset: Interval
    }

    /// The notification of an event; `nil` where that is not one to tell of.
    init?(_ event: ItemEvent, at happenedAt: Instant, notify: Notify) {
        switch event.change {
        case .moved: return nil
        case .left(let from): (kind, room, dueAt) = (.left, from, happenedAt + .seconds(Double(notify.afterSeconds)))
        case .returned(let to): (kind, room, dueAt) = (.returned, to, happenedAt)
        }
        id = event.id
        since = event.stamp.at
        self.happenedAt = happenedAt
    }

    /// Whether the item has not yet been away for as long as it takes to be told: a return from that is none to tell of, either.
    func isBrief(at now: Instant, _ notify: Notify) -> Bool {
        kind == .left && said == nil && now < happenedAt + .seconds(Double(notify.afterSeconds))
    }

    /// Lets time pass.
    mutating func advance(to now: Moment, _ circumstances: Circumstances, stamp: Stamp) -> Step {
        let notify = circumstances.item.wishes
        guard circumstances.presence != opposite else { return .over }
        guard isWanted(notify) else { return isBrief(at: now.instant, notify) && notify.returned ? .nothing : .over }
        let end = end(notify)
        if let end, now.instant >= end { return .over }
        guard let dueAt, dueAt <= now.instant, circumstances.presence == (kind == .left ? .away : .home),
            notify.permits(now.wall, circumstances.utcOffset)
        else { return .nothing }
        // A return is said once.
        self.dueAt = kind == .left ? notify.repeatSeconds.map { now.instant + .seconds(Double($0)) } : nil
        var nextAt = self.dueAt.map { notify.nextPermitted(now.wall(at: $0), circumstances.utcOffset) }
        if let end, let next = nextAt, next >= now.wall(at: end) { (self.dueAt, nextAt) = (nil, nil) }
        let notification = Notification(
            id: id, kind: kind, message: message(circumstances.item.name, notify), item: circumstances.item.id,
            count: (said?.count ?? 0) + 1, nextAt: nextAt, since: since, stamp: stamp)
        said = notification
        return .say(notification)
    }

    /// When `advance` has to be asked again, if nothing else happens: at the latest once a second while it waits for hours or presence.
    func nextDeadline(_ notify: Notify, now: Instant) -> Instant? {
        let brief = kind == .left && said == nil ? happenedAt + .seconds(Double(notify.afterSeconds)) : nil
        return [dueAt, end(notify), brief].compactMap { $0 }.min().map { max($0, now) }
    }

    // What ends it without a word: what it tells of is no longer so.
    private var opposite: Presence { kind == .left ? .home : .away }

    private func isWanted(_ notify: Notify) -> Bool { kind == .left ? notify.left : notify.returned }

    /// When it is over, said or not; it can be said once in any case, but for the hours.
    private func end(_ notify: Notify) -> Instant? {
        notify.untilSeconds.map { happenedAt + .seconds(Double(max($0, kind == .left ? notify.afterSeconds + 1 : 0))) }
    }

    private func message(_ name: String, _ notify: Notify) -> String {
        switch kind {
        case .left:
            notify.leftText ?? "Are you forgetting something? \(name) has left\(room.map { " (last: \($0))" } ?? "")."
        case .returned: notify.returnedText ?? "\(name) is back\(room.map { " (\($0))" } ?? "")."
        }
    }
}

extension ItemNotification {
    /// As it is kept on disk: monotonic clocks end with the machine, so that the wall's has to do.
    struct Kept: Hashable, Sendable {
        var kind: Notification.Kind
        var id: EventID
        var since: WallTime
        var room: String?
        var happenedAt: WallTime
        var dueAt: WallTime?
        var said: Notification?
    }

    func kept(at now: Moment) -> Kept {
        Kept(
            kind: kind, id: id, since: since, room: room, happenedAt: now.wall(at: happenedAt),
            dueAt: dueAt.map(now.wall(at:)), said: said)
    }

    /// Goes on where it was before a restart. A wall clock that lies shall not silence it: it is due no later than it would be anew.
    init(_ kept: Kept, notify: Notify, at now: Moment) {
        (kind, id, since, room, said) = (kept.kind, kept.id, kept.since, kept.room, kept.said)
        happenedAt = now.instant - max(.zero, now.wall - kept.happenedAt)
        let longest = Interval.seconds(Double(kept.said == nil ? notify.afterSeconds : notify.repeatSeconds ?? 0))
        dueAt = kept.dueAt.map { now.instant + min(max(.zero, $0 - now.wall), longest) }
    }
}

extension RegistryItem {
    /// Of what its owner wants to be told.
    var wishes: Notify { notify ?? Notify(left: false, returned: false) }
}

extension Notify {
    /// Whether something may be said at this time of the local day.
    func permits(_ time: WallTime, _ utcOffset: Interval) -> Bool {
        let minute = (time + utcOffset).minuteOfDay
        let (from, to) = (self.from?.minute ?? 0, self.to?.minute ?? 1440)
        if from == to { return true }
        return from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// The first moment from `time` on at which something may be said.
    func nextPermitted(_ time: WallTime, _ utcOffset: Interval) -> WallTime {
        guard !permits(time, utcOffset) else { return time }
        let local = time + utcOffset
        let minutes = ((from?.minute ?? 0) - local.minuteOfDay + 1440) % 1440
        let past = local.milliseconds - local.milliseconds.floored(to: 60_000)
        return time + .milliseconds(Int64(minutes) * 60_000 - past)
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

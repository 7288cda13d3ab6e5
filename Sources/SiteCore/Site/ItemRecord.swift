import Beacons
import Locating
import Messages

/// The state of one item: what the gateways report, where it is believed to be, and what was published.
struct ItemRecord: Sendable {
    @Indirect var item: RegistryItem
    /// Why the item cannot be located, as a sentence; `nil`: it can.
    var error: String?
    var presenceByGateway = ItemPresence()
    /// The sleep of an item that `sleeps`, or how an item that somebody carries fell silent.
    @Indirect var sleep: Sleep
    /// The newest applied event of the item, by gateway. An older one that arrives later changes nothing.
    var newest: ByGateway<(id: EventID, stamp: Stamp)> = [:]
    /// The belief about the item's room; `nil` while no gateway has ranged the item since it was away.
    @Indirect private(set) var locator: Locator? = nil
    /// The version of the surroundings that the belief follows, and the revision of the sensors; 0: it follows none.
    private var followed = (surroundings: UInt64(0), sensors: UInt64(0))
    /// The estimate of an instant; `nil` once something new has arrived, and while the record is in the table.
    @IndirectOptional private var estimate: (value: RoomEstimate, at: Instant)? = nil
    /// The last ranged state of each gateway that has the item inside.
    private(set) var ranged: ByGateway<Ranged> = [:]

    private(set) var presence = Presence.unknown
    /// The presence before it became `unknown`, and until when it held. An earlier event that arrives later belongs to this presence.
    @IndirectOptional private var known: (presence: Presence, until: Instant)? = nil
    /// The reported room, and which of its changes are events.
    var reported = ReportedRoom()
    /// The reported room. A change from a room that is set is a move.
    var room: String? {
        get { reported.room }
        set { reported = ReportedRoom(newValue) }
    }
    /// The item's room before a restart, and how it was received if it was still.
    @IndirectOptional var remembered: (room: String, rest: Locator.Rest?)? = nil
    /// Since when the item is in the room, or away.
    var since: WallTime?
    var lastSeenAt: WallTime?
    /// The notification of the item's last `left` or `returned`, until it ends.
    @IndirectOptional var notification: ItemNotification? = nil
    /// The health of the item's tag; `nil`: the tag was not received, and nothing of it was published.
    @IndirectOptional var health: TagHealth? = nil

    @Indirect var published: PublishedLocation? = nil
    private(set) var publishedAt: Instant?
    /// Its `last_seen_at`.
    private(set) var publishedSeenAt: WallTime?
    /// The probability that the item has left by now: 1 when it is away, more than 0 while it is silent for unusually long, else 0.
    var awayProbability = 0.0
    var confidence = 0.0
    private var confidenceBefore = 0.0
    private(set) var lookedAt: Instant?
    /// Whether the confidence was lower at the last look than at the look before.
    private(set) var isFading = false
    /// Whether an RSSI has changed by more than noise since the last look.
    private var isStirred = false
    /// The number of looks in a row that found nothing changed, up to `idleLooksAtLongestRest`.
    private var idleLooks: UInt8 = 0
    private static let idleLooksAtLongestRest: UInt8 = 10
    /// When the item's room message was last published.
    var roomPublishedAt: Instant?
    /// Whether a change waits to be published until a second has passed.
    var isDirty = true

    /// The record of an item of which nothing is known.
    init(_ item: RegistryItem, error: String?) {
        _sleep = Self.awake
        self.item = item
        self.error = error
    }

    /// The sleep of all items that do not sleep.
    private static let awake = Indirect(wrappedValue: Sleep())

    /// Continues with the state that a former process stored.
    mutating func restore(_ state: StoredSite.Item, at now: Moment) {
        change(to: state.presence, at: now.instant)
        (room, since, lastSeenAt) = (state.room, state.since, state.lastSeenAt)
        remembered = state.room.map { ($0, state.rest.map { ($0.variance, $0.rssi) }) }
        // A move becomes certain within seconds; what has waited for longer may be a correction.
        if let since, (Interval.zero ... .seconds(60)).contains(now.wall - since) {
            reported = ReportedRoom(room, announced: state.announced)
        }
        presenceByGateway = ItemPresence(restoring: state.gateways)
        sleep = Sleep(restingSince: state.restingSince, isReceived: state.gateways.values.contains(false))
        if state.isLow { health = TagHealth(discharge: Discharge(isEmpty: state.isEmpty)) }
        for notification in [state.notification, state.lowNotification].compactMap(\.self) {
            set(ItemNotification(notification, notify: item.notifySettings, at: now))
        }
    }

    /// Stands where a record was taken out for a while, so that nothing is copied when the record changes.
    static let hollow = ItemRecord(
        RegistryItem(
            id: "", name: "", beacon: BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0)),
        error: nil)

    /// Whether a ranged state is older than an applied event of the same gateway. States are not acknowledged and may arrive late: such a state
    /// would bring back an item that has left.
    func isOvertaken(_ stamp: Stamp, from gateway: String) -> Bool {
        guard let newest = newest[gateway]?.stamp else { return false }
        return newest.boot == stamp.boot && newest.uptime > stamp.uptime
    }

    /// Applies a ranged state of a gateway.
    ///
    /// The belief begins with the first one, and follows `surroundings` from then on.
    mutating func apply(
        _ state: RangedState, from gateway: String, at now: Instant, in surroundings: inout Surroundings
    ) {
        if locator == nil {
            var fresh = surroundings.freshLocator(at: now)
            if let remembered {
                // Gateways that restarted, too, are about to receive the item.
                fresh = fresh.countingSilence(from: now + ItemLocations.firstWord)
                fresh.remember(room: remembered.room, rest: remembered.rest, at: now)
                self.remembered?.rest = nil
            }
            (locator, followed) = (fresh, (surroundings.version, 0))
        }
        if state.sightings > 0, followsDeparture, let rssi = state.rssi {
            sleep.receive(rssi, at: gateway, at: now)
        }
        let (former, newer) = (ranged[gateway], Ranged(state))
        ranged[gateway] = newer.holding(until: former?.holdsUntil)
        isStirred = isStirred || former.map { abs(($0.rssi ?? 0) - (newer.rssi ?? 0)) >= Self.noise } ?? true
        receive(newer, from: gateway, at: now, in: surroundings.model)
    }

    /// The gateway that ranged the item with the highest RSSI.
    var strongestGateway: String? {
        var best: (gateway: String, rssi: Double)?
        for (gateway, state) in ranged {
            guard let rssi = state.rssi else { continue }
            if let best, (best.rssi, gateway) >= (rssi, best.gateway) { continue }
            best = (gateway, rssi)
        }
        return best?.gateway
    }

    /// Whether it is open that the item, which left, is back; see `ReturnDoubt`.
    mutating func isReturnOpen(_ entering: Entering?, at now: Instant) -> Bool {
        let rssi = ranged.values.reduce(entering?.rssi) { best, state in state.rssi.map { max($0, best ?? $0) } ?? best
        }
        let isReceived = ranged.values.contains { $0.sightings > 1 }
        return presenceByGateway.doubt.isOpen(rssi, isReceived: isReceived, entering, at: now)
    }

    /// The belief about its room at an instant; `nil` while no gateway has ranged it since it was away.
    mutating func estimate(at now: Instant) -> RoomEstimate? {
        if let estimate, estimate.at == now { return estimate.value }
        guard let value = locator?.estimate(at: now) else { return nil }
        estimate = (value, now)
        return value
    }

    /// How likely the published room is by an estimate; `nil` if no gateway has ranged the item.
    func confidence(by estimate: RoomEstimate?) -> Double? {
        guard let estimate, estimate.room != nil else { return nil }
        return room.map { estimate.share(of: $0) ?? 0 }
    }

    /// Applies the estimate of the room; returns a move where it shows one.
    mutating func locate(_ gateways: Gateways, at now: Instant) -> ReportedRoom.Move? {
        let estimate = estimate(at: now)
        var move: ReportedRoom.Move?
        // Before a gateway has ranged the item, the belief knows only which gateways do not receive it.
        if let estimate, !ranged.isEmpty { move = reported.update(with: estimate, at: now) }
        if room == nil, estimate?.room == nil, let near = strongestGateway.flatMap(gateways.room) {
            reported.guess(near)
        }
        confidence = confidence(by: estimate) ?? 0
        return move
    }

    /// Forgets the last estimate, which is cheap to make again.
    mutating func forgetEstimate() { estimate = nil }

    /// The item exited at a gateway: it is not expected in that room, if it was there before a restart.
    mutating func exited(from room: String?) {
        guard let room, room == remembered?.room else { return }
        remembered = nil
        if locator != nil { locator?.remembered = nil }
    }

    func retainsRoom(at now: Instant) -> Bool { item.sleeps && sleep.isSilent(at: now) }

    var restingSince: WallTime? { item.sleeps && presence == .home ? sleep.restingSince : nil }

    /// Forgets the room: an item may return to any.
    mutating func forgetRoom() {
        (room, remembered, locator, estimate) = (nil, nil, nil, nil)
        ranged.change { _, state in state.holding(until: nil) }
    }

    /// - Parameter hash: that of the payload.
    mutating func publish(_ location: ItemLocation, _ nearest: NearestGateway?, _ hash: Int, at now: Instant) {
        (published, publishedAt, publishedSeenAt, isDirty) = (
            PublishedLocation(location, nearest, hash), now, location.lastSeenAt, false
        )
    }

    /// When the location is published again because the broker retains another one; `nil`: the broker has it, as far as is known. What was
    /// published just before may still be on its way back.
    var correctsAt: Instant? {
        published?.isReplaced == true ? publishedAt.map { $0 + ItemLocations.roundTrip } : nil
    }

    /// Replaces the names of rooms that have other ones now; returns whether the item's room is one of them.
    mutating func rename(by names: [String: String]) -> Bool {
        let former = room
        reported.rename(by: names)
        if let room = remembered?.room { remembered?.room = names[room] ?? room }
        if locator != nil { locator?.rename(by: names) }
        guard room != former else { return false }
        isDirty = true
        return true
    }

    /// Continues with a newer model of the site. States of gateways that the former model did not know are taken now: the broker may deliver
    /// them before the `info` of their gateways.
    ///
    /// - Parameter instant: the instant of a gateway's stamp.
    private mutating func adopt(_ newer: LocatorModel, instant: (String, Stamp) -> Instant) {
        guard let former = locator?.model, former !== newer else { return }
        let unheard = ranged.filter { former.index(ofGateway: $0.key) == nil }
        estimate = nil
        locator?.adopt(newer)
        for (gateway, state) in unheard.sorted(by: { $0.key < $1.key }) {
            receive(state, from: gateway, at: instant(gateway, state.stamp), in: newer)
        }
    }

    /// Whether nothing has changed around the item since it was looked at last.
    func isUpToDate(with surroundings: borrowing Surroundings) -> Bool {
        followed == (surroundings.version, surroundings.sensorsOfBeliefs.revision)
    }

    /// Has the belief follow what has changed around the item since it was looked at last.
    ///
    /// - Parameter instant: the instant of a gateway's stamp.
    mutating func follow(_ surroundings: Surroundings, instant: (String, Stamp) -> Instant) {
        guard locator != nil else { return }
        if followed.sensors != surroundings.sensorsOfBeliefs.revision {
            locator?.sensors = surroundings.sensorsOfBeliefs
            (followed.sensors, estimate) = (surroundings.sensorsOfBeliefs.revision, nil)
        }
        guard followed.surroundings != surroundings.version else { return }
        adopt(surroundings.model, instant: instant)
        estimate = nil
        for (index, gateway) in surroundings.model.gateways.enumerated() {
            if let lost = surroundings.lost[gateway], lost > followed.surroundings { locator?.lost(gateway: index) }
            if let since = surroundings.scanning[gateway] { locator?.scans(gateway: index, since: since) }
            locator?.set(isDeaf: surroundings.isDeaf(gateway), gateway: index)
        }
        followed.surroundings = surroundings.version
    }

    /// - Parameter model: the one that the belief follows; asking the belief for it would copy the belief.
    private mutating func receive(
        _ state: Ranged, from gateway: String, at instant: Instant, in model: LocatorModel
    ) {
        estimate = nil
        guard let index = model.index(ofGateway: gateway) else { return }
        if let power = (item.measuredPower ?? state.measuredPower), power.isPlausible {
            locator?.claims(measuredPower: Double(power.dBm))
        }
        if let rssi = state.rssi, state.proximity != .unknown || state.sightings > 0 {
            locator?.report(
                gateway: index, rssi: rssi, of: state.currentSightings, at: instant, holds: state.holds)
            ranged[gateway] = state.holding(until: instant + state.holds)
        } else {
            // A gateway without a report, as after a restart, is about to have one.
            if ranged[gateway]?.holdsUntil != nil { locator?.silent(gateway: index) }
            ranged[gateway] = state.holding(until: nil)
        }
    }

    /// Whether the item is published as home, without any room: nobody notices a correction of its first one.
    var hasNoPublishedRoom: Bool { reported.announced == nil && published?.presence == .home && published?.room == nil }

    /// The ``awayProbability`` that is published of an item that is home; `nil` if it is low.
    var publishedAwayProbability: Double? {
        presence == .home && awayProbability >= Self.leastAwayProbability ? awayProbability : nil
    }

    /// Whether the probability of having left differs from the published one by a step.
    var hasNewAwayProbability: Bool {
        let (now, former) = (publishedAwayProbability, published?.awayProbability)
        return (now == nil) != (former == nil) || abs((now ?? 0) - (former ?? 0)) >= ItemLocations.smallestChange
    }

    private static let leastAwayProbability = 0.1

    /// The last presence that was known; `unknown`: none was.
    var lastKnown: Presence { known?.presence ?? presence }
    /// Whether the item has been home or away, as far as is known.
    var wasLocated: Bool { lastKnown != .unknown }
    /// Whether all that is known of the item are exits at gateways that had it before it was added.
    var hasOnlyExited: Bool { !wasLocated && presenceByGateway.words.isEmpty && !newest.isEmpty }

    mutating func change(to newer: Presence, at now: Instant) {
        if newer != .unknown {
            known = nil
        } else if presence != .unknown {
            known = (presence, now)
        }
        presence = newer
    }

    /// For how long a gateway's event may be on its way, while both run: the gateway writes it to its disk first.
    static let transit = Interval.seconds(5)

    /// When a change of the item happened. A gateway's event may be on its way while this aggregator's clock dates a change of the room, and
    /// two clocks differ a little: within `transit`, no change is dated before the one that came first, or later than now.
    ///
    /// - Parameter time: when it happened by the clock that dates it; `nil`: now.
    func date(_ time: WallTime?, now: Moment) -> WallTime {
        guard var time else { return now.wall }
        if now.isSynchronised, time - now.wall <= Self.transit { time = min(time, now.wall) }
        // What differs by more keeps its time: its gateway or this aggregator was down, or a clock was set.
        guard let since, since <= now.wall, since - time <= Self.transit else { return time }
        return max(time, since)
    }

    mutating func look(at now: Instant) {
        isFading = confidenceBefore - confidence >= 0.05
        idleLooks = isChanging ? 0 : min(idleLooks + 1, Self.idleLooksAtLongestRest)
        (confidenceBefore, lookedAt, isStirred) = (confidence, now, false)
    }

    /// Whether anything has changed since the last look.
    private var isChanging: Bool {
        isDirty || isFading || isStirred || abs(confidence - confidenceBefore) >= Self.unrest
    }

    /// When the item has to be looked at next for its belief and its location; `nil` if only a message can change anything.
    ///
    /// While anything changes, that is one `step` after the last look. An item at rest is looked at after `rest` first, and after twice as long
    /// with each look that finds nothing changed, up to `longest`.
    func nextLook(step: Interval, rest: Interval, longest: Interval, now: Instant) -> Instant? {
        let next = lookedAt.map { $0 + step } ?? now
        if isChanging { return next }
        var earliest = presenceByGateway.expires
        guard presence == .home || hasOnlyExited else { return earliest }
        for state in ranged.values {
            if let lapse = state.holdsUntil, lapse >= now { earliest = min(earliest ?? lapse, lapse) }
        }
        let rested = lookedAt.map { $0 + min(rest * Double(1 << Int(max(1, idleLooks) - 1)), longest) } ?? now
        return min(earliest ?? rested, rested)
    }

    /// The change of confidence from one look to the next after which the belief is not at rest.
    private static let unrest = 0.02
    /// The change of an RSSI, in dB, below which it is noise.
    private static let noise = 2.0

    /// Goes back to the presence that held at an instant whose event arrives only now.
    mutating func goBack(to instant: Instant) {
        guard let known, instant < known.until else { return }
        change(to: known.presence, at: instant)
    }

    /// Notes that a gateway received the item. If the clock was set back since, the former time is in the future, and no longer counts.
    mutating func see(at time: WallTime, now: WallTime) {
        lastSeenAt = if let former = lastSeenAt, former <= now { max(former, time) } else { time }
    }

    /// Corrects what was dated by a clock that somebody has set now, and publishes the location again, as that has such a time.
    mutating func correct(_ times: ClosedRange<WallTime>, by correction: Interval) {
        if let seen = lastSeenAt, times.contains(seen) { lastSeenAt = seen + correction }
        notification?.correct(times, by: correction)
        health?.discharge?.notification?.correct(times, by: correction)
        isDirty = true
    }

    /// The gateway scans and no longer receives the item.
    mutating func silent(_ gateway: String) {
        forget(gateway)
        if let index = locator?.model.index(ofGateway: gateway) { locator?.silent(gateway: index) }
    }

    /// The gateway is down or does not scan: from now on, its states no longer count.
    ///
    /// - Parameter isScanning: whether the gateway scans from now on: it has begun another run.
    mutating func lost(_ gateway: String, at now: Instant, isScanning: Bool = false) {
        locator?.advance(to: now)
        forget(gateway)
        guard let index = locator?.model.index(ofGateway: gateway) else { return }
        locator?.lost(gateway: index)
        if isScanning { locator?.scans(gateway: index, since: now) }
    }

    private mutating func forget(_ gateway: String) {
        if ranged[gateway] != nil { isStirred = true }
        (ranged[gateway], estimate) = (nil, nil)
    }
}

import Beacons
import Locating
import Messages

/// One item: what the gateways say of it, where it is believed to be, what was published of it.
struct ItemRecord: Sendable {
    @Indirect var item: RegistryItem
    /// Why nothing can be said of it.
    var error: String?
    var stay = Stay()
    /// Its sleep, if it sleeps.
    var sleep = Sleep()
    /// The newest event of it that was applied, by gateway: an older one that comes in later changes nothing.
    var newest: [String: (id: EventID, stamp: Stamp)] = [:]
    /// The belief about its room; `nil` while no gateway has ranged it since it was away.
    @Indirect private(set) var locator: Locator? = nil
    /// The version of the surroundings that the belief follows.
    private var followed: UInt64 = 0
    /// What the belief came to at that instant, as long as nothing new came in.
    @Indirect private var estimate: (value: RoomEstimate, at: Instant)? = nil
    /// The last ranged state from each gateway that has it inside.
    private(set) var ranged: [String: RangedState] = [:]
    /// Until when the belief counts what each of those gateways ranged.
    private var holds: [String: Instant] = [:]

    private(set) var presence = Presence.unknown
    /// What was known of it before that became `unknown`, and until when: what happened before that, and is heard of later, happened to this.
    private var known: (presence: Presence, until: Instant)?
    /// The room that is reported, and which changes are events.
    var reported = ReportedRoom()
    /// The room that is reported. One that is set is known: a change from it is a move.
    var room: String? {
        get { reported.room }
        set { reported = ReportedRoom(newValue) }
    }
    /// The room in which it was before a restart.
    var remembered: String?
    /// A return whose event waits until all gateways had the time to report.
    struct Returning: Sendable {
        /// When it was, by the gateway's clock.
        var at: WallTime?
        /// The room of the gateway that received the item first.
        var room: String?
        /// When the event no longer waits.
        var until: Instant
    }
    var returning: Returning?
    /// Since when it is in that room, or away.
    var since: WallTime?
    var lastSeenAt: WallTime?
    /// What its owner is told of its leaving or return, while there is something to tell.
    @Indirect var notification: ItemNotification? = nil

    /// What was published last, and when.
    @Indirect private(set) var published: ItemLocation? = nil
    private(set) var publishedAt: Instant?
    /// How sure its room is, and was when it was last looked at.
    var confidence = 0.0
    private var confidenceBefore = 0.0
    /// When it was last looked at.
    private(set) var lookedAt: Instant?
    /// Whether its room was less sure then than the time before.
    private(set) var isFading = false
    /// Whether a gateway has ranged it otherwise since then, by more than noise.
    private var isStirred = false
    /// When its room was last said to readers of the `mqtt_room` kind.
    var roomSaidAt: Instant?
    /// Something changed that is to be published once a second has passed.
    var isDirty = true

    /// An item of which nothing is known.
    init(_ item: RegistryItem, error: String?) {
        self.item = item
        self.error = error
    }

    /// Stands where a record was taken out for a while, so that nothing is copied when the record changes.
    static let hollow = ItemRecord(
        RegistryItem(
            id: "", name: "", beacon: BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0)),
        error: nil)

    /// Whether a gateway ranged this before an event of it that was applied: states are not acknowledged, and may come in late. It would
    /// bring back what has left.
    func isOvertaken(_ stamp: Stamp, from gateway: String) -> Bool {
        guard let newest = newest[gateway]?.stamp else { return false }
        return newest.boot == stamp.boot && newest.uptime > stamp.uptime
    }

    /// Takes what a gateway ranged.
    ///
    /// The belief begins with the first one, and follows `surroundings` from then on.
    mutating func take(_ state: RangedState, from gateway: String, at now: Instant, in surroundings: Surroundings) {
        if locator == nil {
            var fresh = surroundings.freshLocator(at: now)
            if let remembered { fresh.remember(room: remembered) }
            (locator, followed) = (fresh, surroundings.version)
        }
        if item.sleeps, state.sightings > 0, let rssi = state.rssi { sleep.receive(rssi, at: gateway, at: now) }
        let former = ranged.updateValue(state, forKey: gateway)
        isStirred = isStirred || former.map { abs(($0.rssi ?? 0) - (state.rssi ?? 0)) >= Self.noise } ?? true
        hear(state, from: gateway, at: now)
    }

    /// The belief about its room at an instant; `nil` while no gateway has ranged it since it was away.
    mutating func estimate(at now: Instant) -> RoomEstimate? {
        if let estimate, estimate.at == now { return estimate.value }
        guard let value = locator?.estimate(at: now) else { return nil }
        estimate = (value, now)
        return value
    }

    /// Whether its room stays as it is: an item that sleeps is silent.
    func keepsRoom(at now: Instant) -> Bool { item.sleeps && sleep.isSilent(at: now) }

    /// Since when it is resting, if it sleeps.
    var restingSince: WallTime? { item.sleeps && presence == .home ? sleep.restingSince : nil }

    /// Who comes back may come back anywhere.
    mutating func forgetRoom() { (room, remembered, locator, estimate, holds) = (nil, nil, nil, nil, [:]) }

    /// It was published so.
    mutating func publish(_ location: ItemLocation, at now: Instant) {
        (published, publishedAt, isDirty) = (location, now, false)
    }

    /// Goes on with a newer model of the site. What was ranged at gateways that the old one did not know is heard now: the broker hands out
    /// what it keeps of beacons before it says where their gateways are.
    ///
    /// - Parameter instant: when what a gateway stamped so happened.
    private mutating func adopt(_ newer: LocatorModel, instant: (String, Stamp) -> Instant) {
        guard let former = locator?.model, former !== newer else { return }
        let unheard = ranged.filter { former.index(ofGateway: $0.key) == nil }
        estimate = nil
        locator?.adopt(newer)
        for (gateway, state) in unheard.sorted(by: { $0.key < $1.key }) {
            hear(state, from: gateway, at: instant(gateway, state.stamp))
        }
    }

    /// Has the belief follow what has changed around the item since it was looked at last.
    ///
    /// - Parameter instant: when what a gateway stamped so happened.
    mutating func follow(_ surroundings: Surroundings, instant: (String, Stamp) -> Instant) {
        guard followed != surroundings.version, locator != nil else { return }
        adopt(surroundings.model, instant: instant)
        estimate = nil
        for (index, gateway) in surroundings.model.gateways.enumerated() {
            if let lost = surroundings.lost[gateway], lost > followed { locator?.lost(gateway: index) }
            if let since = surroundings.listening[gateway] { locator?.listens(gateway: index, since: since) }
            if surroundings.isDeaf(gateway) { locator?.deaf(gateway: index) } else { locator?.receives(gateway: index) }
        }
        followed = surroundings.version
    }

    private mutating func hear(_ state: RangedState, from gateway: String, at instant: Instant) {
        estimate = nil
        guard let index = locator?.model.index(ofGateway: gateway) else { return }
        if let power = (item.measuredPower ?? state.measuredPower), power.isPlausible {
            locator?.claims(measuredPower: Double(power.dBm))
        }
        if let rssi = state.rssi, state.proximity != .unknown || state.sightings > 0 {
            locator?.report(
                gateway: index, rssi: rssi, of: state.sightings, at: instant, holds: Locator.messageHolds)
            holds[gateway] = instant + Locator.messageHolds
        } else {
            locator?.silent(gateway: index)
            holds[gateway] = nil
        }
    }

    /// It is known, or not known any more, from now on.
    mutating func take(_ newer: Presence, at now: Instant) {
        if newer != .unknown {
            known = nil
        } else if presence != .unknown {
            known = (presence, now)
        }
        presence = newer
    }

    /// It was looked at, and its room was judged.
    mutating func look(at now: Instant) {
        isFading = confidenceBefore - confidence >= 0.05
        (confidenceBefore, lookedAt, isStirred) = (confidence, now, false)
    }

    /// When it is to be looked at next for the sake of its belief and of what is to be published: one `step` after the last look while
    /// anything is in motion; `nil` where only time that passes elsewhere changes anything.
    func nextLook(step: Interval, rest: Interval, now: Instant) -> Instant? {
        let next = lookedAt.map { $0 + step } ?? now
        if isDirty || isFading || isStirred || abs(confidence - confidenceBefore) >= Self.unrest { return next }
        var earliest = stay.expires
        guard presence == .home else { return earliest }
        for lapse in holds.values where lapse >= now { earliest = min(earliest ?? lapse, lapse) }
        let rested = lookedAt.map { $0 + rest } ?? now
        return min(earliest ?? rested, rested)
    }

    /// The change of confidence from one look to the next after which the belief is not at rest.
    private static let unrest = 0.02
    /// dB: less than that is noise.
    private static let noise = 2.0

    /// Something happened to it at that instant, and is heard of now.
    mutating func goBack(to instant: Instant) {
        guard let known, instant < known.until else { return }
        take(known.presence, at: instant)
    }

    mutating func see(at time: WallTime) {
        lastSeenAt = max(lastSeenAt ?? time, time)
    }

    /// The gateway listens, and does not hear it any more.
    mutating func silent(_ gateway: String) {
        forget(gateway)
        if let index = locator?.model.index(ofGateway: gateway) { locator?.silent(gateway: index) }
    }

    /// The gateway is dead or deaf: it leaves the evidence at once.
    mutating func lost(_ gateway: String) {
        forget(gateway)
        if let index = locator?.model.index(ofGateway: gateway) { locator?.lost(gateway: index) }
    }

    private mutating func forget(_ gateway: String) {
        if ranged.removeValue(forKey: gateway) != nil { isStirred = true }
        (holds[gateway], estimate) = (nil, nil)
    }
}

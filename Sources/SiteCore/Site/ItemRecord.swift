import Beacons
import Locating
import Messages

/// One item: what the gateways say of it, where it is believed to be, what was published of it.
struct ItemRecord: Sendable {
    var item: RegistryItem
    /// Why nothing can be said of it.
    var error: String?
    var stay = Stay()
    /// The newest event of it that was applied, by gateway: an older one that comes in later changes nothing.
    var newest: [String: (id: EventID, stamp: Stamp)] = [:]
    var locator: Locator
    /// The last ranged state from each gateway that has it inside.
    var ranged: [String: RangedState] = [:]

    private(set) var presence = Presence.unknown
    /// What was known of it before that became `unknown`, and until when: what happened before that, and is heard of later, happened to this.
    private var known: (presence: Presence, until: Instant)?
    var room: String?
    /// Since when it is in that room, or away.
    var since: WallTime?
    var lastSeenAt: WallTime?
    /// What its owner is told of its leaving or return, while there is something to tell.
    var notification: ItemNotification?

    /// What was published last, and when.
    var published: (location: ItemLocation, at: Instant)?
    /// How sure its room is, and was at the last step.
    var confidence = 0.0
    private var confidenceBefore = 0.0
    /// Whether its room became less sure in the last step.
    private(set) var isFading = false
    /// When its room was last said to readers of the `mqtt_room` kind.
    var roomSaidAt: Instant?
    /// Something changed that is to be published once a second has passed.
    var isDirty = true

    init(_ item: RegistryItem, error: String?, locator: Locator) {
        self.item = item
        self.error = error
        self.locator = locator
    }

    /// Whether a gateway ranged this before an event of it that was applied: states are not acknowledged, and may come in late. It would
    /// bring back what has left.
    func isOvertaken(_ stamp: Stamp, from gateway: String) -> Bool {
        guard let newest = newest[gateway]?.stamp else { return false }
        return newest.boot == stamp.boot && newest.uptime > stamp.uptime
    }

    /// Takes what a gateway ranged.
    mutating func take(_ state: RangedState, from gateway: String, at now: Moment) {
        ranged[gateway] = state
        hear(state, from: gateway, at: now.instant)
    }

    /// Goes on with a newer model of the site. What was ranged at gateways that the old one did not know is heard now: the broker hands out
    /// what it keeps of beacons before it says where their gateways are.
    ///
    /// - Parameter instant: when what a gateway stamped so happened.
    mutating func adopt(_ newer: LocatorModel, instant: (String, Stamp) -> Instant) {
        let unheard = ranged.filter { locator.model.index(ofGateway: $0.key) == nil }
        locator.adopt(newer)
        for (gateway, state) in unheard.sorted(by: { $0.key < $1.key }) {
            hear(state, from: gateway, at: instant(gateway, state.stamp))
        }
    }

    private mutating func hear(_ state: RangedState, from gateway: String, at instant: Instant) {
        guard let index = locator.model.index(ofGateway: gateway) else { return }
        if let power = (item.measuredPower ?? state.measuredPower), power.isPlausible {
            locator.claims(measuredPower: Double(power.dBm))
        }
        if let rssi = state.rssi, state.proximity != .unknown || state.sightings > 0 {
            locator.report(
                gateway: index, rssi: rssi, of: state.sightings, at: instant, holds: Locator.messageHolds)
        } else {
            locator.silent(gateway: index)
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

    /// A second has passed, and its room was judged.
    mutating func step() {
        isFading = confidenceBefore - confidence >= 0.05
        confidenceBefore = confidence
    }

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
        ranged[gateway] = nil
        if let index = locator.model.index(ofGateway: gateway) { locator.silent(gateway: index) }
    }

    /// The gateway is dead or deaf: it leaves the evidence at once.
    mutating func lost(_ gateway: String) {
        ranged[gateway] = nil
        if let index = locator.model.index(ofGateway: gateway) { locator.lost(gateway: index) }
    }

    /// The gateway hears from now on: its silence counts, too.
    mutating func listens(_ gateway: String, since: Instant) {
        if let index = locator.model.index(ofGateway: gateway) { locator.listens(gateway: index, since: since) }
    }
}

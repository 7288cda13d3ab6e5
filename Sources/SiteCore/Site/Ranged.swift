import Beacons
import Locating
import Messages

/// What an item's record stores of a ranged state, without what its key and the gateway's record have already.
struct Ranged: Sendable {
    /// dBm: the current RSSI, or the mean since the previous state if the gateway states none; `nil`: there were no sightings.
    var rssi: Double?
    /// Metres; `nil`: unknown.
    var accuracy: Double?
    var stamp: Stamp
    /// Until when the belief counts the state; `nil`: it does not.
    private(set) var holdsUntil: Instant?
    var validFor: UInt32
    private var count: UInt32
    private var currentCount: UInt32
    var measuredPower: MeasuredPower?
    var proximity: Proximity

    init(_ state: RangedState) {
        (rssi, accuracy, stamp) = (state.current?.rssi ?? state.rssi, state.accuracy, state.stamp)
        (validFor, measuredPower, proximity) = (state.validFor, state.measuredPower, state.proximity)
        count = UInt32(clamping: state.sightings)
        currentCount = UInt32(clamping: state.current?.sightings ?? state.sightings)
    }

    /// How often the gateway repeats the state at least.
    var period: Interval { .seconds(Double(validFor) / Validity.periods) }
    /// How long the belief counts the state: a fifth longer than its period, because the next one may come late.
    var holds: Interval { max(Locator.messageHolds, period * 1.2) }
    var sightings: Int { Int(count) }
    /// How many of the sightings show the current RSSI.
    var currentSightings: Int { Int(currentCount) }

    /// The same state, counted until another instant.
    func holding(until instant: Instant?) -> Ranged {
        var state = self
        state.holdsUntil = instant
        return state
    }
}

/// The gateway that receives an item best.
struct NearestGateway: Sendable {
    var id: String
    var proximity: Proximity?
    /// The estimate of the distance to it, in metres. A plan gives the location another accuracy.
    var distance: Double?

    init(_ id: String, _ state: Ranged?) { (self.id, proximity, distance) = (id, state?.proximity, state?.accuracy) }
}

/// What an item's record stores of the location that was published last: what the next one is compared with.
struct PublishedLocation: Sendable {
    var room: String?
    var nearest: NearestGateway?
    var error: String?
    var restingSince: WallTime?
    var confidence: Double?
    var awayProbability: Double?
    /// Metres.
    var accuracy: Double?
    var presence: Presence
    /// The hash of the payload.
    let hash: Int
    /// Whether the broker has delivered another payload since; `nil`: this one has not come back yet.
    var isReplaced: Bool?

    var proximity: Proximity? { nearest?.proximity }

    init(_ location: ItemLocation, _ nearest: NearestGateway?, _ hash: Int) {
        self.hash = hash
        (room, self.nearest) = (location.room, nearest)
        (error, restingSince) = (location.error, location.restingSince)
        (confidence, accuracy, awayProbability) = (location.confidence, location.accuracy, location.awayProbability)
        presence = location.presence
    }

    func location(of item: RegistryItem, _ stamp: Stamp) -> ItemLocation {
        ItemLocation(
            item: item.id, name: item.name, presence: presence, room: room, confidence: confidence,
            proximity: proximity, accuracy: accuracy, restingSince: restingSince, stamp: stamp, error: error)
    }
}

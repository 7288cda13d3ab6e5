import Beacons
import Locating

/// The sleep of an item that `sleeps`: its beacon advertises only while the item moves, so that silence does not mean that it left.
///
/// An item that somebody carries may not be known to sleep. How it fell silent is evidence of where its carrier is. Of an item with a low battery, it
/// is evidence of whether the battery is empty.
struct Sleep: Sendable {
    private enum State: Sendable {
        /// A gateway receives the item, or did so a moment ago.
        case awake
        /// No gateway receives the item, and nothing looked like an exit before.
        case resting(since: WallTime)
        /// No gateway receives the item, after what looked like an exit.
        case left
    }

    /// After so long without a report, nothing new follows about the room: gateways notice a silence one after the other.
    private static let silence = Interval.seconds(15)

    private var state = State.awake
    /// Whether somebody carries the item.
    var isOfCarried = false
    /// Whether the item faded before it fell silent last: a departure is likelier than a rest.
    private(set) var hasFaded = false
    /// Whether the item fell silent last without having moved away from where it was received.
    private(set) var hasStayed = false
    /// How sure the item's room was when a gateway received the item last; `nil` after a restart.
    private(set) var confidence: Double?
    private var departure = Departure()

    init() {}

    /// Restores what was known before a restart.
    ///
    /// - Parameter isReceived: whether a gateway had not exited the item.
    init(restingSince: WallTime?, isReceived: Bool) {
        if let restingSince {
            state = .resting(since: restingSince)
        } else if !isReceived {
            state = .left
        }
    }

    var restingSince: WallTime? { if case .resting(let since) = state { since } else { nil } }

    /// Whether nothing new is known of the item's room: it is resting, or is about to be.
    func isSilent(at now: Instant) -> Bool {
        if restingSince != nil { return true }
        return departure.lastSeen.map { now - $0 > Self.silence } ?? false
    }

    /// The item's room was estimated while a gateway received the item.
    mutating func note(confidence: Double) { self.confidence = confidence }

    mutating func receive(_ rssi: Double, at gateway: String, at now: Instant) {
        state = .awake
        departure.receive(rssi, at: gateway, at: now)
    }

    /// A gateway reported an exit, with the RSSI of its last sighting.
    mutating func exited(_ gateway: String, rssi: Double, lastSeen: Instant) {
        guard case .awake = state else { return }
        departure.receive(rssi, at: gateway, at: lastSeen)
    }

    /// Decides about an item that every gateway has exited: whether the item sleeps at home, and is not away.
    mutating func fallsAsleep(since: WallTime, wasAway: Bool) -> Bool {
        if case .awake = state {
            let hasLeft = wasAway || departure.isLikely
            (hasFaded, hasStayed) = (departure.logOdds > 0, departure.isUnlikely && !wasAway)
            state = hasLeft ? .left : .resting(since: since)
            departure.forget()
        }
        return restingSince != nil
    }
}

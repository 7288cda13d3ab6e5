import Beacons

/// Which of several aggregators is active, as one of them decides it.
///
/// The active one holds the seat: a connection with the client id that all of them share. The broker allows one connection for each client
/// id, so it ends the connection of a paused or separated predecessor, which publishes nothing over it any more. Whoever loses the seat
/// waits until nothing arrives from the successor: two aggregators never take the seat from each other in turns.
struct Seat: Sendable {
    /// How long nothing arrives from the active one until another takes the seat.
    static let silence = Interval.seconds(9)
    /// How often the active one is asked whether it lives.
    static let askPeriod = Interval.seconds(3)
    /// After a connect: the active one responds within this time.
    static let patience = Interval.seconds(4)
    /// After `offline`, or after the seat was lost, the events of the former holder are on their way.
    static let pause = Interval.seconds(1)
    /// How long the first message over the seat may take to come back.
    static let claimTime = Interval.seconds(15)

    /// What this aggregator is.
    enum Role: Hashable, Sendable {
        /// Follows, and publishes nothing of the site.
        case standby
        /// Connects with the shared client id, since then.
        case claiming(since: Instant)
        /// Holds the seat, and has received its own message over it: everything that its predecessor published came before.
        case active
    }

    /// What is to be done.
    enum Step: Hashable, Sendable {
        /// Connect with the shared client id.
        case claim
        /// End that connection.
        case release
        /// Ask whether the active one lives.
        case ask
    }

    private(set) var role = Role.standby
    /// Whether another aggregator was active since this one was last, or started.
    private(set) var followsAnother = false
    /// When another aggregator was active last, as far as is known.
    private(set) var receivedAt: Instant?
    /// Differs between aggregators, so that they do not claim at the same moment.
    private let offset: Interval
    private(set) var isConnected = false
    /// From then on this aggregator has received what the broker stored for it, and the response of an active one.
    private var followsFrom = Instant.zero
    private var claimsAt = Instant.zero
    private var asksAt = Instant.zero

    init(name: String) {
        offset = .milliseconds(Int64(name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 997 }))
    }

    var isActive: Bool { role == .active }

    // MARK: What happens

    mutating func connected(at now: Instant) {
        isConnected = true
        followsFrom = now + Self.patience
        (claimsAt, asksAt) = (followsFrom + offset, now)
    }

    mutating func disconnected() { isConnected = false }

    /// The active one may be asked the next question at once.
    mutating func mayAsk(at now: Instant) { asksAt = now }

    /// Another aggregator has done what only an active one does.
    mutating func receivedAnother(at now: Instant) {
        (receivedAt, claimsAt) = (now, max(claimsAt, now + Self.silence))
        if role == .standby { followsAnother = true }
    }

    /// An active aggregator has responded: another one, as this one is none, or this one while it still was.
    mutating func receivedResponse(at now: Instant) {
        (receivedAt, claimsAt) = (now, max(claimsAt, now + Self.silence))
    }

    /// The active one is gone. Who has just connected leaves the seat to those who have followed.
    mutating func receivedOffline(at now: Instant) {
        if role == .standby { claimsAt = min(claimsAt, max(now + Self.pause, followsFrom) + offset) }
    }

    /// The broker has ended the connection with the shared client id, or another aggregator has.
    mutating func lost(at now: Instant) {
        guard role != .standby else { return }
        (role, asksAt) = (.standby, now)
        claimsAt = now + Self.pause * 2 + offset
    }

    /// The first message over the seat has come back; returns whether this aggregator is active from now on.
    mutating func receivedItself() -> Bool {
        guard case .claiming = role else { return false }
        role = .active
        return true
    }

    /// What the former active one left has been taken over.
    mutating func tookOver() { followsAnother = false }

    // MARK: What is to be done

    mutating func advance(to now: Instant) -> Step? {
        guard isConnected else { return nil }
        switch role {
        case .active: return nil
        case .claiming(let since):
            guard now >= since + Self.claimTime else { return nil }
            (role, claimsAt) = (.standby, now + Self.silence + offset)
            return .release
        case .standby:
            if now >= claimsAt {
                role = .claiming(since: now)
                return .claim
            }
            guard now >= asksAt else { return nil }
            asksAt = now + Self.askPeriod
            return .ask
        }
    }
}

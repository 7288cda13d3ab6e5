import Beacons
import Messages

/// Decides whether an item that left a moment ago is back, or was received once more on its way out.
///
/// An item that somebody carries away is received weakly for up to a minute, with silences that are long enough for an exit. Without this rule
/// each of these sightings would be a `returned`, with a `left` 11 s later.
struct ReturnDoubt: Sendable {
    /// How long after a departure a weak signal may belong to it.
    static let recent = Interval.seconds(120)
    /// An item that is received so well is not on its way out, in dBm.
    static let goodRSSI = -84.0
    /// An item that is still received so long after its first weak sighting is back.
    static let lasting = Interval.seconds(30)
    /// Gateways report one advertisement within this time.
    private static let atOnce = Interval.seconds(2)

    struct Sighting {
        let at: Instant
        let entering: Entering?
        /// The last report that counted as a late sighting.
        var lastLate: Instant?
    }

    private var leftAt: Instant?
    /// The number of sightings after `lasting`, up to 2. Beside an optional moment it takes no memory.
    private var lateSightings: UInt8 = 0
    /// The first weak sighting since the item left, while it is open whether the item is back; with its enter, if that was one.
    @IndirectOptional private(set) var sighting: Sighting? = nil

    /// When an item that is still received is back; `nil` if nothing is open, or the item was not received then.
    func nextDeadline(at now: Instant) -> Instant? {
        guard let end = sighting.map({ $0.at + Self.lasting }), end > now else { return nil }
        return end
    }

    mutating func left(at now: Instant) { leftAt = now }

    /// A gateway received the item so often since its last message. Of a slow tag that is once.
    mutating func receive(sightings: Int, at now: Instant) {
        guard let sighting, now - sighting.at >= Self.lasting, sightings > 0 else { return }
        if sightings == 1, let lastLate = sighting.lastLate, now - lastLate < Self.atOnce { return }
        self.sighting?.lastLate = now
        lateSightings = UInt8(min(2, Int(lateSightings) + min(2, sightings)))
    }

    /// Nothing is open: no gateway has the item inside, or it is back.
    mutating func close() { if sighting != nil { sighting = nil } }

    /// Whether it is open that an item is back which a gateway has inside.
    ///
    /// - Parameters:
    ///   - rssi: the highest RSSI; `nil`: it is not known, as of a gateway of an earlier version.
    ///   - isReceived: whether a gateway received the item more than once between its last two messages.
    mutating func isOpen(
        _ rssi: Double?, isReceived: Bool, _ entering: Entering?, at now: Instant
    ) -> Bool {
        guard let sighting else {
            guard let leftAt, now - leftAt < Self.recent, let rssi, rssi < Self.goodRSSI else { return false }
            (self.sighting, lateSightings) = (Sighting(at: now, entering: entering), 0)
            return true
        }
        if let rssi, rssi >= Self.goodRSSI { return false }
        return !(isReceived || lateSightings > 1) || now - sighting.at < Self.lasting
    }
}

/// An enter, by which an item may return.
struct Entering {
    var room: String?
    /// When it happened, by the gateway's clock.
    var at: WallTime
    var cause: ItemEvent.Cause
    /// The RSSI of the sighting, in dBm.
    var rssi: Double?
    /// Whether another room's gateway received the item at about the same time, so that the room is a guess.
    var isContested = false
}

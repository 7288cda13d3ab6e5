import Beacons

/// Whether a gateway has received nothing for so long that its adapter may be deaf, although it responds.
///
/// Nobody can distinguish a deaf adapter from a house where nobody is. So each silence is reported that lasts twice as long as every one
/// before that ended: a house that is empty each working day is reported on the first.
struct RadioSilence: Sendable {
    /// A shorter silence is never reported.
    static let shortest = Interval.seconds(600)
    /// When a silence is reported if nothing was received since the start.
    static let first = Interval.seconds(3600)
    /// A longer silence is always reported.
    static let certain = Interval.seconds(86_400)

    private var lastReceived: Instant?
    /// The longest silence that ended while the radio scanned.
    private var longestEnded = Interval.zero
    private var problem: String?

    /// The radio has stopped scanning: a silence until it scans again is none of the house.
    mutating func interrupt() { lastReceived = nil }

    /// Records when an advertisement was received last, or the radio began to scan; `nil` while silence has another reason. Returns the problem
    /// that has begun or ended, or `nil` if nothing changed.
    mutating func note(_ received: Instant?, hasReceived: Bool, at now: Instant) -> (problem: String, hasBegun: Bool)? {
        if let received, let lastReceived { longestEnded = max(longestEnded, received - lastReceived) }
        lastReceived = received
        let limit = hasReceived ? min(max(Self.shortest, longestEnded + longestEnded), Self.certain) : Self.first
        let isLong = received.map { now - $0 >= limit } ?? false
        guard isLong != (problem != nil) else { return nil }
        if let problem {
            self.problem = nil
            return (problem, false)
        }
        let begun =
            "nothing was received for \(Int(limit.seconds) / 60) min, though the adapter responds: if there are beacons in range, "
            + "unplug the adapter and plug it in again, or restart the machine"
        problem = begun
        return (begun, true)
    }
}

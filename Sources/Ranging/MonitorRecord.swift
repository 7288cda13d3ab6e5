import Beacons

/// What a monitor remembers of one beacon, however many regions it belongs to.
struct MonitorRecord: Sendable {
    enum Phase: Sendable {
        /// Not inside: it left, or has not entered yet.
        case idle
        /// In range.
        case inside
        /// It was inside, and since then the gateway was blind or down.
        case unsure
    }

    /// How far an exit is.
    enum Stage: Sendable {
        /// Heard lately.
        case fresh
        /// Silent for a quarter of what is required.
        case suspect
        /// Its exit waits for the radio to be proven; then the silence counts from a quarter before that.
        case held
        /// Its exit is due and waits for the radio to be proven.
        case due
    }

    var beacon: BeaconIdentity
    var regions: [Int]
    var isConfigured: Bool
    var phase: Phase = .idle
    var stage: Stage = .fresh
    /// Whether the radio has listened without a break since the last sighting.
    var isContinuous = false
    /// Whether the radio was proven in this silence, which counts from a quarter before that.
    var isProven = false
    /// Whether the last sighting can be dated: not after a restart that took nobody knows how long.
    var isDated = true
    /// Whether it was entered and last heard before a restart that took nobody knows how long: that may become known.
    var awaitsDowntime = false
    /// Whether a snapshot young enough said that it is inside: then it is, as soon as the radio listens.
    var isTrusted = false
    var hasEntered = false
    /// Whether it left, and the radio has listened ever since.
    var hasLeft = false
    /// Whether it is known for how long it had been inside when it was last heard: not once it is heard after such a restart.
    var isEnterDated = true
    var enteredAt: Instant
    var lastSeen: Instant
    /// Where the silence counts from: the last sighting, the radio's recovery, or a quarter of it before the radio's proof, whichever came last.
    var silentSince: Instant
    var lastRSSI: RSSI?
    var candidateSince: Instant
    var candidateLast: Instant
    var candidateSightings = 0
    /// How often its place was used, by this beacon or one that it displaced.
    var sightings: UInt32 = 0

    init(_ beacon: BeaconIdentity, regions: [Int], isConfigured: Bool, at now: Instant) {
        self.beacon = beacon
        self.regions = regions
        self.isConfigured = isConfigured
        enteredAt = now
        lastSeen = now
        silentSince = now
        candidateSince = now
        candidateLast = now
    }

    /// From the enter to the last sighting; `nil` where nobody knows how long ago it entered.
    var insideFor: Interval? { isEnterDated ? lastSeen - enteredAt : nil }

    /// Longer without a sighting, and confirming an enter begins anew.
    private static let confirmation = Interval.seconds(60)

    /// Notes a sighting; returns the gap before it, if something can be learned from that.
    mutating func note(_ rssi: RSSI?, at now: Instant, listening: Bool) -> Interval? {
        let gap = isContinuous && listening && hasEntered ? now - lastSeen : nil
        isContinuous = listening
        isProven = false
        if sightings < .max { sightings += 1 }
        isEnterDated = isEnterDated && isDated
        isDated = true
        lastSeen = max(lastSeen, now)
        silentSince = lastSeen
        lastRSSI = rssi
        return gap
    }

    /// The restart took `downtime`, as is known now.
    mutating func date(downtime: Interval) {
        awaitsDowntime = false
        enteredAt = enteredAt - downtime
        if !isDated { lastSeen = lastSeen - downtime }
        (isDated, isEnterDated) = (true, true)
    }

    /// Counts the sighting just noted towards an enter; whether it is the one that was missing.
    mutating func confirms(_ settings: Monitor.Settings) -> Bool {
        guard (lastRSSI ?? RSSI(dBm: -100)!) >= settings.enterRSSI else { return false }
        if candidateSightings == 0 || lastSeen - candidateLast >= Self.confirmation {
            candidateSightings = 0
            candidateSince = lastSeen
        }
        candidateLast = lastSeen
        candidateSightings += 1
        return candidateSightings >= settings.enterSightings
    }
}

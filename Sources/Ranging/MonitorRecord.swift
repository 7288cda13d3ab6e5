import Beacons

/// The state of one beacon in a monitor, however many regions it belongs to.
struct MonitorRecord: Sendable {
    enum Presence: Sendable {
        /// The beacon left, or has not entered yet.
        case outside(hasLeft: Bool, Candidate?)
        case inside(Silence)
        /// The beacon was inside, and since then the radio did not scan or the gateway was down. Trusted: a recent snapshot has the beacon
        /// inside, so it is inside as soon as the radio scans.
        case unsure(Silence, isTrusted: Bool)
    }

    /// Sightings that may become an enter.
    struct Candidate: Sendable {
        var since: Instant
        var last: Instant
        var sightings: Int
    }

    /// The steps of a silence towards an exit.
    enum Silence: Sendable {
        /// The beacon was received lately.
        case fresh
        /// The beacon was silent for a quarter of the required silence. Proven: the radio proved in this silence that it scans, and the silence
        /// counts from a quarter of the required silence before that proof.
        case suspect(isProven: Bool)
        /// The silence is suspect and waits for a proof of the radio. Then it counts from a quarter of the required silence before that proof.
        case held
        /// The exit is due and waits for a proof of the radio.
        case due
        /// The exit is due, but the gateway receives hardly any advertisement.
        case doubted

        var isFresh: Bool { if case .fresh = self { true } else { false } }
    }

    /// Which dates of a beacon are known after restarts of unknown length.
    enum Dates: Sendable {
        case known
        /// The beacon was received since the restart. Datable: the downtime may become known.
        case enterUnknown(isDatable: Bool)
        /// The beacon was not received since the restart.
        case unknown(isSpanKnown: Bool, isDatable: Bool)
    }

    var beacon: BeaconIdentity
    var regions: [Int]
    var isConfigured: Bool
    var presence = Presence.outside(hasLeft: false, nil)
    /// Whether the gateway cannot receive the beacon: its silence does not count before it is received.
    var isHeld = false
    /// Whether the radio has scanned without a break since the last sighting.
    var isContinuous = false
    /// When the beacon entered; `nil` if it never did.
    var enteredAt: Instant?
    var dates = Dates.known
    var lastSeen: Instant
    /// Where the silence counts from: the last sighting, the radio's recovery, or a quarter of the silence before the radio's proof,
    /// whichever came last.
    var silentSince: Instant
    var lastRSSI: RSSI?
    /// How often the place was used, by this beacon or one that it displaced.
    var sightings: UInt32 = 0
    private var levels = Levels()

    init(_ beacon: BeaconIdentity, regions: [Int], isConfigured: Bool, at now: Instant) {
        self.beacon = beacon
        self.regions = regions
        self.isConfigured = isConfigured
        lastSeen = now
        silentSince = now
    }

    var hasEntered: Bool { enteredAt != nil }

    /// The step of the silence towards an exit; `fresh` outside.
    var silence: Silence {
        get {
            switch presence {
            case .outside: .fresh
            case .inside(let silence), .unsure(let silence, _): silence
            }
        }
        set {
            switch presence {
            case .outside: break
            case .inside: presence = .inside(newValue)
            case .unsure(_, let isTrusted): presence = .unsure(newValue, isTrusted: isTrusted)
            }
        }
    }

    var isOutside: Bool { if case .outside = presence { true } else { false } }
    var isInside: Bool { if case .inside = presence { true } else { false } }
    var isUnsure: Bool { if case .unsure = presence { true } else { false } }

    /// Whether the last sighting can be dated; not after a restart of unknown length.
    var isDated: Bool { if case .unknown = dates { false } else { true } }

    /// Whether the RSSI was low at the last sighting, or just before it, as of a beacon that leaves.
    var isFaded: Bool { levels.isLow(lastRSSI) }

    /// The time from the enter to the last sighting; `nil` if the time of the enter is unknown.
    var insideFor: Interval? {
        guard let enteredAt else { return nil }
        switch dates {
        case .known, .unknown(isSpanKnown: true, _): return lastSeen - enteredAt
        case .enterUnknown, .unknown: return nil
        }
    }

    /// After this time without a sighting, the confirmation of an enter begins again.
    private static let confirmation = Interval.seconds(60)

    /// Records a sighting. Returns the gap before it, if it can be learned from, and whether the RSSI was low before or after the gap.
    mutating func note(_ rssi: RSSI?, at now: Instant, scanning: Bool) -> (gap: Interval, isFaded: Bool)? {
        isHeld = false
        let gap = isContinuous && scanning && hasEntered ? now - lastSeen : nil
        isContinuous = scanning
        if sightings < .max { sightings += 1 }
        if case .unknown(_, let isDatable) = dates { dates = .enterUnknown(isDatable: isDatable) }
        lastSeen = max(lastSeen, now)
        silentSince = lastSeen
        lastRSSI = rssi
        let isFaded = levels.note(rssi)
        return gap.map { ($0, isFaded) }
    }

    /// Applies the downtime of the restart, which is known now.
    mutating func date(downtime: Interval) {
        switch dates {
        case .unknown(_, isDatable: true): lastSeen = lastSeen - downtime
        case .enterUnknown(isDatable: true): break
        case .known, .enterUnknown, .unknown: return
        }
        enteredAt = enteredAt.map { $0 - downtime }
        dates = .known
    }

    /// Counts the last sighting towards an enter. Returns the time of the first confirming sighting once there are enough.
    mutating func confirms(_ settings: Monitor.Settings) -> Instant? {
        guard case .outside(let hasLeft, var candidate) = presence,
            (lastRSSI ?? RSSI(dBm: -100)!) >= settings.enterRSSI
        else { return nil }
        if let before = candidate, lastSeen - before.last >= Self.confirmation { candidate = nil }
        var now = candidate ?? Candidate(since: lastSeen, last: lastSeen, sightings: 0)
        now.last = lastSeen
        now.sightings += 1
        presence = .outside(hasLeft: hasLeft, now)
        return now.sightings >= settings.enterSightings ? now.since : nil
    }
}

/// A beacon's usual RSSI and its recent RSSI, because the RSSI falls before a beacon leaves.
private struct Levels: Sendable {
    /// The numbers of sightings in the mean of the usual RSSI and of the recent one.
    private static let usualMemory: Float = 64
    private static let lateMemory: Float = 4
    /// The dB by which the recent mean, or a single sighting, is low: more than the scatter indoors.
    private static let lowMean: Float = 6
    private static let lowSighting: Float = 10

    private var usual: Float = 0
    private var late: Float = 0
    private var count: Float = 0

    /// Whether the RSSI is low with this recorded sighting, or was low just before it.
    func isLow(_ rssi: RSSI?) -> Bool {
        let level = rssi.map { Float($0.dBm) } ?? usual
        return count >= 8 && (late < usual - Self.lowMean || level < usual - Self.lowSighting)
    }

    /// Records an RSSI; returns whether the RSSI was low just before this sighting, or is low with it.
    mutating func note(_ rssi: RSSI?) -> Bool {
        guard let rssi else { return false }
        let level = Float(rssi.dBm)
        let isLow = isLow(rssi)
        count = min(Self.usualMemory, count + 1)
        usual += (level - usual) / count
        late += (level - late) / min(Self.lateMemory, count)
        return isLow
    }
}

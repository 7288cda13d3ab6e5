import Beacons

/// The state of one beacon in a monitor, however many regions it belongs to.
struct MonitorRecord: Sendable {
    /// Where the beacon is.
    enum Presence: Sendable {
        /// It left, or has not entered yet.
        case outside(hasLeft: Bool, Candidate?)
        case inside(Silence)
        /// It was inside, and since then the gateway was blind or down. Trusted: a snapshot young enough has it inside, and so it is as
        /// soon as the radio scans.
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
        /// Received lately.
        case fresh
        /// Silent for a quarter of what is required. Proven: the silence counts from a quarter before the radio's proof.
        case suspect(isProven: Bool)
        /// Its exit waits for the radio to be proven; then the silence counts from a quarter before that.
        case held
        /// Its exit is due and waits for the radio to be proven.
        case due
        /// Its exit is due, but the gateway receives hardly anything of anybody.
        case doubted

        var isFresh: Bool { if case .fresh = self { true } else { false } }
    }

    /// What is known of when a beacon entered and was last received, after restarts that took nobody knows how long.
    enum Dates: Sendable {
        case known
        /// It was received since. Datable: the downtime may become known.
        case enterUnknown(isDatable: Bool)
        /// It was not received since.
        case unknown(isSpanKnown: Bool, isDatable: Bool)
    }

    var beacon: BeaconIdentity
    var regions: [Int]
    var isConfigured: Bool
    var presence = Presence.outside(hasLeft: false, nil)
    /// Whether the radio has scanned without a break since the last sighting.
    var isContinuous = false
    /// When it entered; `nil`: it never did.
    var enteredAt: Instant?
    var dates = Dates.known
    var lastSeen: Instant
    /// Where the silence counts from: the last sighting, the radio's recovery, or a quarter of it before the radio's proof, whichever came last.
    var silentSince: Instant
    var lastRSSI: RSSI?
    /// How often its place was used, by this beacon or one that it displaced.
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

    /// How far its exit is; fresh outside.
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

    /// Whether the radio was proven in this silence, which counts from a quarter before that.
    var isProven: Bool { if case .suspect(isProven: true) = silence { true } else { false } }

    /// Whether the last sighting can be dated: not after a restart that took nobody knows how long.
    var isDated: Bool { if case .unknown = dates { false } else { true } }

    /// From the enter to the last sighting; `nil` where nobody knows how long ago it entered.
    var insideFor: Interval? {
        guard let enteredAt else { return nil }
        switch dates {
        case .known, .unknown(isSpanKnown: true, _): return lastSeen - enteredAt
        case .enterUnknown, .unknown: return nil
        }
    }

    /// Longer without a sighting, and confirming an enter begins anew.
    private static let confirmation = Interval.seconds(60)

    /// Notes a sighting; returns the gap before it, if something can be learned from that, and whether the RSSI was low beside it.
    mutating func note(_ rssi: RSSI?, at now: Instant, scanning: Bool) -> (gap: Interval, isFaded: Bool)? {
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

    /// The restart took `downtime`, as is known now.
    mutating func date(downtime: Interval) {
        switch dates {
        case .unknown(_, isDatable: true): lastSeen = lastSeen - downtime
        case .enterUnknown(isDatable: true): break
        case .known, .enterUnknown, .unknown: return
        }
        enteredAt = enteredAt.map { $0 - downtime }
        dates = .known
    }

    /// Counts the sighting just noted towards an enter; the first of those that confirmed it, if none is missing any more.
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

/// A beacon's usual RSSI, and that of late: who leaves fades before.
private struct Levels: Sendable {
    /// The usual one is a mean over about so many sightings, that of late over these.
    private static let usualMemory: Float = 64
    private static let lateMemory: Float = 4
    /// The mean of late is low by so many dB, a single sighting by these: more than it scatters by indoors.
    private static let lowMean: Float = 6
    private static let lowSighting: Float = 10

    private var usual: Float = 0
    private var late: Float = 0
    private var count: Float = 0

    /// Whether the RSSI was low just before this sighting, or is with it.
    mutating func note(_ rssi: RSSI?) -> Bool {
        guard let rssi else { return false }
        let level = Float(rssi.dBm)
        let isLow = count >= 8 && (late < usual - Self.lowMean || level < usual - Self.lowSighting)
        count = min(Self.usualMemory, count + 1)
        usual += (level - usual) / count
        late += (level - late) / min(Self.lateMemory, count)
        return isLow
    }
}

import Beacons
import Ranging

/// One gateway in a house for some days: its monitor, the tags there, strangers' advertisements, and times when nothing is received.
///
/// It is no `House` of Simulation: tags have a reception and losses instead of positions, because a study of exits needs weeks with a known
/// share of losses.
struct MonitoredHouse {
    /// An exit of a tag.
    struct Exit {
        var tag: Int
        /// When it was reported, in seconds.
        var at: Double
        /// For how long the tag had been away; `nil`: it had not left.
        var delay: Double?
    }

    /// What the gateway publishes of one tag.
    struct Report {
        enum Word {
            case entered
            /// After this silence.
            case exited(Range<Instant>)
            case ranged(isReceived: Bool, LongSilence?)
        }

        var tag: Int
        /// In seconds.
        var at: Double
        var word: Word
    }

    private(set) var exits: [Exit] = []
    /// What the gateway publishes, in order, if that is asked for.
    private(set) var reports: [Report] = []
    /// Absences that began, and those of them for which an exit was reported.
    private(set) var absences = 0
    private(set) var reported = 0
    /// Gaps of tags that were there: longer than ``times``, by the hour in which they ended.
    private(set) var fixed: [(time: Double, at: Double)] = []

    /// Fixed times that are compared, in seconds.
    static let times = [60.0, 180]
    private static let uuid = BeaconUUID(high: 1, low: 2)

    private var tags: [HouseTag]
    private var monitor: Monitor
    private var lastSeen: [Double]
    private var hasReported: [Int: Int] = [:]
    private var proofAt: Double?
    private var random: Random
    private let interference: [ClosedRange<Double>]
    private var board: ProximityBoard?
    private var windowEnd = 1.0
    /// The tags that were received in this window.
    private var received: Set<Int> = []

    /// Runs the tags' days.
    ///
    /// - Parameters:
    ///   - strangers: advertisements of no region per second.
    ///   - strangersLeave: when the strangers leave.
    ///   - interference: when nothing at all is received, though the controller responds.
    init(
        _ plans: [HouseTag.Plan], days: Double, strangers: Double = 0, strangersLeave: Double = .infinity,
        interference: [ClosedRange<Double>] = [], isReported: Bool = false, seed: UInt64
    ) {
        if isReported { board = ProximityBoard(heartbeat: .seconds(10)) }
        let end = days * 86_400
        tags = plans.enumerated().map { HouseTag($1, until: end, seed: seed &* 1000 &+ UInt64($0)) }
        lastSeen = plans.map { _ in 0 }
        random = Random(seed: ~seed)
        self.interference = interference
        monitor = Monitor(at: .zero)
        _ = monitor.setRegions([Region(id: "tags", identifier: "Tags", scope: .uuid(Self.uuid))], at: .zero)
        _ = monitor.radio(scanning: true, at: .zero)
        var stranger = strangers > 0 ? random.exponential(mean: 1 / strangers) : .infinity
        while true {
            let first = tags.indices.min { tags[$0].next.time < tags[$1].next.time }!
            let (time, rssi) = tags[first].next
            let now = min(time, stranger)
            guard now < end else { break }
            pass(to: now)
            let isBlocked = interference.contains { $0.contains(now) }
            if stranger < time {
                if !isBlocked { monitor.receivedSomething(at: Self.instant(now)) }
                stranger += random.exponential(mean: 1 / strangers)
                if stranger > strangersLeave { stranger = .infinity }
                continue
            }
            if !isBlocked { receive(first, rssi, at: now) }
            tags[first].advance()
        }
        pass(to: end)
        for tag in tags {
            for absence in tag.plan.absences where absence.upperBound < end { absences += absence.isEmpty ? 0 : 1 }
        }
        reported = hasReported.values.reduce(0, +)
    }

    private mutating func receive(_ tag: Int, _ rssi: Int8, at time: Double) {
        let absences = tags[tag].plan.absences
        if !absences.contains(where: { $0.lowerBound > lastSeen[tag] && $0.upperBound <= time }) {
            for limit in Self.times where time - lastSeen[tag] > limit { fixed.append((limit, time)) }
        }
        lastSeen[tag] = time
        if board != nil { received.insert(tag) }
        monitor.receivedSomething(at: Self.instant(time))
        note(
            monitor.receive(
                Sighting(
                    beacon: Self.beacon(tag), rssi: RSSI(dBm: rssi),
                    measuredPower: MeasuredPower(dBm: -59), address: DeviceAddress(bits: UInt64(tag), kind: .random),
                    at: Self.instant(time))) ?? [], at: time)
    }

    /// Deadlines, and the controller's responses, up to a moment.
    private mutating func pass(to time: Double) {
        while board != nil, windowEnd <= time {
            passWithin(to: windowEnd)
            report()
            windowEnd += 1
        }
        passWithin(to: time)
    }

    /// Ends a window of ranging: publishes what a gateway would.
    private mutating func report() {
        for tag in tags.indices {
            let beacon = Self.beacon(tag)
            guard monitor.state(of: beacon) == .inside else { continue }
            let isReceived = received.contains(tag)
            let ranged = RangedBeacon(
                identity: beacon, proximity: .near, accuracyMetres: nil, rssiMean: isReceived ? -65 : nil,
                sightings: isReceived ? 1 : 0,
                measuredPower: MeasuredPower(dBm: -59), addresses: 1, at: Self.instant(windowEnd))
            let silence = isReceived ? nil : monitor.longSilence(of: beacon, at: Self.instant(windowEnd))
            if let posting = board?.update(with: ranged, silence: silence) {
                reports.append(
                    Report(
                        tag: tag, at: windowEnd,
                        word: .ranged(isReceived: posting.sightings > 0, posting.silence)))
            }
        }
        received.removeAll(keepingCapacity: true)
    }

    private mutating func passWithin(to time: Double) {
        while true {
            let deadline = monitor.nextDeadline.map { Double($0.nanoseconds) / 1e9 } ?? .infinity
            if let proof = proofAt, proof <= min(deadline, time) {
                proofAt = nil
                note(monitor.proven(at: Self.instant(proof)), at: proof)
            } else if deadline < time {
                note(monitor.advance(to: monitor.nextDeadline!), at: deadline)
            } else {
                return
            }
        }
    }

    private mutating func note(_ transitions: [MonitorOutput], at now: Double) {
        for transition in transitions {
            if case .proofRequested = transition { proofAt = now + 0.1 }
            guard case .beacon(let change) = transition, let event = change.event else { continue }
            let tag = Int(change.identity.minor)
            if board != nil { report(event, change, at: now) }
            guard event == .exit else { continue }
            let absence = tags[tag].plan.absences.last { $0.lowerBound <= now }
            // At the edge of the range, a tag that is away is received now and then.
            let isAway = absence.map { $0.upperBound > lastSeen[tag] } ?? false
            exits.append(Exit(tag: tag, at: now, delay: isAway ? now - absence!.lowerBound : nil))
            if isAway, now <= absence!.upperBound { hasReported[tag, default: 0] += 1 }
        }
    }

    private mutating func report(_ event: MonitorOutput.Event, _ change: BeaconTransition, at now: Double) {
        let tag = Int(change.identity.minor)
        guard event == .exit else { return reports.append(Report(tag: tag, at: now, word: .entered)) }
        _ = board?.remove(change.identity)
        reports.append(Report(tag: tag, at: now, word: .exited((change.lastSeen ?? change.at)..<change.at)))
    }

    /// False exits of tags that were there, between these hours.
    func falseExits(from: Double, to: Double) -> Double {
        Double(exits.count { $0.delay == nil && $0.at >= from * 3600 && $0.at < to * 3600 })
    }

    /// Gaps longer than a fixed time, between these hours.
    func fixedExits(_ time: Double, from: Double, to: Double) -> Double {
        Double(fixed.count { $0.time == time && $0.at >= from * 3600 && $0.at < to * 3600 })
    }

    /// The delays of true exits after this hour, sorted.
    func delays(from: Double) -> [Double] { exits.filter { $0.at >= from * 3600 }.compactMap(\.delay).sorted() }

    private static func beacon(_ tag: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: 1, minor: UInt16(tag))
    }

    private static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
}

import Beacons
import Glibc

/// Estimates the room of one item from what the gateways receive.
///
/// A recursive Bayesian filter: the motion model spreads the belief, and each observation multiplies it by the likelihood. Evidence counts
/// by time, not by report, so frequent reports of one gateway do not count more. Dwell and hysteresis follow from the filter.
package struct Locator: Sendable {
    /// How long a single sighting counts at least. Sightings of an item that sends rarely count for longer.
    package static let sightingHolds = Interval.seconds(5)
    /// How long a published mean counts. Gateways repeat it every 10 s while nothing changes.
    package static let messageHolds = Interval.seconds(12)

    /// Seconds between two steps of the filter.
    private static let step = 0.1
    /// Seconds of the filter's time: a longer time between two steps is divided.
    private static let longest = 1.0
    /// Seconds: of a longer time between two steps only the last part counts; by then the item may be anywhere.
    private static let forgotten = 60.0

    /// A report is evidence for at most so long before it, and not before the last step: up to then, the former reports count. So reports of
    /// several gateways that follow each other count together.
    private static let backdating = Interval.seconds(5)

    package private(set) var model: LocatorModel
    private(set) var smoothed: SmoothedRSSI
    /// The posterior of each place.
    private(set) var belief: [Double]
    /// The mean log-likelihood of each place over the last seconds of the filter's time; 0 for the likeliest place.
    private(set) var recentLikelihood: [Double]
    private var observation = Observation()
    /// Since when each gateway scans; `never`: it is not known to scan. The items of a site share this array and the next while no gateway comes
    /// or goes, so neither is written without a change.
    private var scanningSince: [Instant]
    private static let never = Instant(nanoseconds: .max)
    private var signs: [Signs]
    /// What is known of a gateway.
    private struct Signs: OptionSet, Sendable {
        let rawValue: UInt8
        /// The gateway reported or scans, and was not lost since.
        static let live = Signs(rawValue: 1)
        /// The gateway receives nothing of any item.
        static let deaf = Signs(rawValue: 2)
    }
    private var silenceCountsFrom = Instant(nanoseconds: .min / 4)
    private(set) var stillness = Stillness()
    private var steppedTo: Instant?
    /// The seconds that `recentLikelihood` covers. Beside an optional moment it takes no memory.
    private var recentSeconds: Float = 0
    private(set) var lastReceived: Instant?
    /// Counts the steps, for tests of what time costs. Beside an optional moment it takes no memory.
    package private(set) var steps: UInt32 = 0
    /// Since when the item is received without a pause, and until when its last report counts. While an item is off or away, the silence of
    /// a gateway is no evidence of distance.
    private var receivedSince = Instant.zero
    private var receivedUntil: Instant?
    /// dBm: the mean over the last seconds of the filter's time of the highest RSSI, as of a usual tag; `nan` before the item was received.
    /// Beside an optional moment it takes no memory.
    private var strongestMean = Float.nan
    /// The reported room, as an index of the model's rooms.
    private(set) var reported: Int?
    /// When the item was received for the first time.
    private var begun: Instant?
    /// When each gateway was lost last, of those that were.
    private var lostAt: [Int: Instant] = [:]
    /// The room that was known before a restart.
    package var remembered: String?
    /// The reported room that became impossible.
    private var displaced: Int?
    /// The occupancy sensors of the rooms, as of their last change.
    package var sensors = OccupancySensors()

    package init(model: LocatorModel) {
        self.model = model
        smoothed = SmoothedRSSI(gateways: model.gateways.count)
        scanningSince = Array(repeating: Self.never, count: model.gateways.count)
        signs = Array(repeating: [], count: model.gateways.count)
        observation.scannedRooms = model.stateSpace.frame.scannedRooms { _ in false }
        belief = model.stateSpace.prior
        recentLikelihood = Array(repeating: 0, count: belief.count)
    }

    /// The same locator for an item about which no silence counts before a moment.
    package func countingSilence(from moment: Instant) -> Locator {
        var locator = self
        locator.silenceCountsFrom = moment
        return locator
    }

    /// Sets the room in which the item was before a restart, and how it was received while still. The item is likely to be there still.
    package mutating func remember(room: String, rest: Rest?, at now: Instant) {
        guard lastReceived == nil else { return }
        remembered = room
        expectRemembered()
        observation.received = (rest?.rssi ?? [:]).compactMap { id, rssi in
            model.index(ofGateway: id).map { ($0, rssi + model.offsets[$0]) }
        }.sorted { $0.gateway < $1.gateway }
        guard let rest, !observation.received.isEmpty else { return }
        stillness = Stillness(fading: rest.variance, means: observation.received, at: now)
        model.weigh(observation, into: &recentLikelihood)
        let most = recentLikelihood.max() ?? 0
        for place in recentLikelihood.indices { recentLikelihood[place] -= most }
        recentSeconds = Float(Tuning.recentSpan)
    }

    /// How a still item is received: the variance between sightings in dB², and the mean RSSI in dBm at each gateway.
    package typealias Rest = (variance: Double, rssi: [String: Double])

    /// How the item is received; `nil`: it is not still.
    package func rest(at now: Instant) -> Rest? {
        guard stillnessShare(at: now) == 1 else { return nil }
        let means = stillness.means.map { (model.gateways[$0.gateway], $0.rssi - model.offsets[$0.gateway]) }
        return (stillness.fading, Dictionary(means, uniquingKeysWith: { $1 }))
    }

    /// The prior of an item that was not received since a restart.
    private mutating func expectRemembered() {
        guard let room = remembered.flatMap({ model.rooms.firstIndex(of: $0) }) else { return }
        let mass = roomMasses()[room]
        guard mass > 0, mass < 1 else { return }
        for (place, other) in model.stateSpace.places.enumerated() {
            belief[place] *= other == room ? Tuning.remembered / mass : (1 - Tuning.remembered) / (1 - mass)
        }
    }

    /// Adds a report of one gateway: one sighting, or the mean of several sightings since its last report.
    ///
    /// - Parameters:
    ///   - rssi: dBm, as received. A value outside -127 to 20 is ignored, and so is a report older than that gateway's last one.
    ///   - holds: How long the report counts; `nil` for a sighting, which counts for a few of the item's own intervals.
    package mutating func report(
        gateway: Int, rssi: Double, of sightings: Int = 1, at: Instant, holds: Interval? = nil
    ) {
        guard rssi >= -127, rssi <= 20, smoothed.holds(gateway) else { return }
        if let lastReceived, at > lastReceived { advance(to: max(steppedTo ?? lastReceived, at - Self.backdating)) }
        lastReceived = max(lastReceived ?? at, at)
        begun = begun ?? at
        if receivedUntil.map({ at > $0 }) ?? true { receivedSince = at }
        let rest = stillness.since
        stillness.add(rssi + model.offsets[gateway], of: sightings, gateway: gateway, at: at)
        // The item was moved while nobody watched: what it was like before counts no more.
        if let rest, let begun, rest < begun, stillness.since == at { recentSeconds = 0 }
        let expires = smoothed.add(rssi + model.offsets[gateway], gateway: gateway, at: at, holds: holds)
        receivedUntil = max(receivedUntil ?? at, expires)
        set(.live, of: gateway, to: true)
        set(.deaf, of: gateway, to: false)
    }

    /// Sets the measured power of the item's beacon in dBm. A strong beacon has a high RSSI even at a distance.
    package mutating func claims(measuredPower: Double) {
        observation.excess = Float(max(-30, min(30, measuredPower - Tuning.usualPower)))
    }

    private mutating func set(_ sign: Signs, of gateway: Int, to isSo: Bool) {
        guard signs[gateway].contains(sign) != isSo else { return }
        if isSo { signs[gateway].insert(sign) } else { signs[gateway].remove(sign) }
        guard sign == .live else { return }
        let signs = signs
        observation.scannedRooms = model.stateSpace.frame.scannedRooms { signs[$0].contains(.live) }
    }

    /// The gateway scans from this moment on. From then on its silence counts.
    package mutating func scans(gateway: Int, since: Instant) {
        guard smoothed.holds(gateway), scanningSince[gateway] == Self.never else { return }
        scanningSince[gateway] = since
        set(.live, of: gateway, to: true)
    }

    /// The gateway scans, but does not receive the item any more. Its former reports count until another gateway receives the item: before
    /// that, the item itself may be silent, and all gateways lose it.
    package mutating func silent(gateway: Int) {
        guard smoothed.holds(gateway), let lastReceived else { return }
        smoothed.end(gateway, at: lastReceived)
        lostAt[gateway] = nil
    }

    /// Sets whether the gateway scans and receives nothing of any item: then its silence is no evidence. See `Reception`.
    package mutating func set(isDeaf: Bool, gateway: Int) {
        if smoothed.holds(gateway) { set(.deaf, of: gateway, to: isDeaf) }
    }

    /// The gateway is down or does not scan. Neither its reports nor its silence count, until it `scans` again.
    package mutating func lost(gateway: Int) {
        guard smoothed.holds(gateway) else { return }
        smoothed.forget(gateway)
        if scanningSince[gateway] != Self.never { scanningSince[gateway] = Self.never }
        if signs[gateway].contains(.live), let at = steppedTo ?? lastReceived { lostAt[gateway] = at }
        set(.live, of: gateway, to: false)
    }

    /// Advances the filter to a moment. Call this about once a second while the item is received.
    package mutating func advance(to now: Instant) {
        guard let lastReceived else { return }
        if now > lastReceived { stepAll(to: lastReceived) }
        stepAll(to: now)
    }

    /// Advances the filter to a moment, unless the last step is too recent.
    private mutating func stepAll(to now: Instant) {
        guard let last = steppedTo else {
            steppedTo = now
            return step(seconds: Self.step * stillness.pace(at: now), to: now)
        }
        guard (now - last).seconds >= Self.step else { return }
        steppedTo = now
        var start = max(last, now - .seconds(Self.forgotten))
        // What is observed changes when the last report ends: the steps meet there.
        if let receivedUntil, start < receivedUntil, receivedUntil < now {
            pass(from: start, to: receivedUntil)
            start = receivedUntil
        }
        pass(from: start, to: now)
        // An item that moves needs the memory again with the next report.
        if observation.isStill { observation.forgetReports() }
    }

    /// Advances the filter from one moment to another.
    ///
    /// The filter's time determines the number of steps. So an item at rest costs a step or two, however long ago the last call is.
    private mutating func pass(from start: Instant, to end: Instant) {
        let seconds = stillness.seconds(from: start, to: end)
        // A rounding error is no step of its own.
        let count = max(1, (seconds / Self.longest - 1e-9).rounded(.up))
        let part = (end - start).seconds / count
        for left in (0..<Int(count)).reversed() {
            step(seconds: seconds / count, to: end - .seconds(part * Double(left)))
        }
    }

    /// Advances the filter by one step, and applies the observation at its end.
    ///
    /// - Parameter seconds: the seconds of the filter's time.
    private mutating func step(seconds: Double, to now: Instant) {
        steps &+= 1
        observation.received.removeAll(keepingCapacity: true)
        observation.silent.removeAll(keepingCapacity: true)
        let known = knownUntil(now)
        let from = max(receivedSince, silenceCountsFrom)
        smoothed.forEach(at: known) { gateway, report in
            switch report {
            case .rssi(let rssi): observation.received.append((gateway, rssi))
            case .quiet(let since):
                let scanning = scanningSince[gateway]
                guard scanning != Self.never, !signs[gateway].contains(.deaf),
                    SmoothedRSSI.isSilent(since: max(since, scanning, from), at: known)
                else { return }
                observation.silent.append(UInt32(truncatingIfNeeded: gateway))
            }
        }
        observation.isReceived = !observation.received.isEmpty
        observation.isStill = stillness.pace(at: now) < Tuning.stillPace
        model.step(
            &belief, recent: &recentLikelihood, recentSeconds: &recentSeconds, observation: observation,
            seconds: seconds)
        if observation.isReceived {
            follow(seconds: seconds)
            decide(at: now)
            learnPower(seconds: seconds)
        }
    }

    /// Averages the highest RSSI.
    private mutating func follow(seconds: Double) {
        let strongest = Float(observation.received.reduce(-.infinity) { max($0, $1.rssi) }) - observation.excess
        guard !strongestMean.isNaN else { return strongestMean = strongest }
        strongestMean += Float(1 - exp(-seconds / Tuning.weakSpan)) * (strongest - strongestMean)
    }

    /// Learns the power of the tag from what the gateways receive better than the plan predicts. Without a plan nothing is learned, as names
    /// contain no distances.
    private mutating func learnPower(seconds: Double) {
        guard let cells = model.cells, !belief.isEmpty else { return }
        var likeliest = 0
        belief.withUnsafeBufferPointer { belief in
            for place in belief.indices where belief[place] > belief[likeliest] { likeliest = place }
        }
        var power = observation.power ?? TagPower()
        power.add(cells.excess(likeliest, observation), seconds: seconds)
        observation.power = power
    }

    /// Until when it is known which gateways receive the item: until the last report, as long as that report counts. Since then the item
    /// itself may be silent, so that the end of one gateway's report is no evidence about rooms.
    private func knownUntil(_ now: Instant) -> Instant {
        guard let lastReceived, let receivedUntil, now <= receivedUntil else { return now }
        return min(now, lastReceived)
    }

    /// Changes the reported room once another one is clearly likelier.
    private mutating func decide(at now: Instant) {
        if reported == nil, let room = remembered.flatMap({ model.rooms.firstIndex(of: $0) }) {
            reported = room
            let absent = services(room).filter { !signs[$0].contains(.live) || smoothed.lastReport(of: $0) == nil }
            for gateway in absent { lostAt[gateway] = begun }
        }
        var masses = reportableMasses()
        forEachSensor(at: now) { masses[$0] *= exp($1) }
        guard let best = masses.indices.max(by: { masses[$0] < masses[$1] }) else { return }
        if let reported, best != reported, isHeld(at: now) {
            // Since the restart nobody has watched the item: once the gateway had the time to start, a room that is nearly certain counts more.
            let isGone = services(reported).allSatisfy {
                !signs[$0].contains(.live) && lostAt[$0] == begun && !mayStart($0, at: now)
            }
            guard isGone,
                masses[best] - masses[reported] > Tuning.doubtAfterRest.lead * (masses[best] + masses[reported])
            else { return }
            displaced = best
        }
        guard best != reported else { return }
        // Outside of the house, too, some gateway is the strongest. That is no sign of a room, unless the former room is impossible.
        if let reported, masses[reported] > 0, strongestMean < Tuning.weak { return }
        // A room that was excluded, as its gateways received nothing for a while, is not a new one when they receive the item again.
        let reluctance = best == displaced ? 0 : stillness.reluctance(at: now)
        if let reported {
            guard masses[best] > masses[reported] * exp(Tuning.margin + reluctance) else { return }
            displaced = masses[reported] == 0 ? displaced ?? reported : nil
        }
        reported = best
    }

    /// Whether the reported room lost all of its gateways and the item has not moved since, as far as the others show. A gateway brings its
    /// evidence back only a while after it scans again.
    func isHeld(at now: Instant) -> Bool {
        let gateways = model.stateSpace.frame.services.lazy.filter { $0.room == reported }.map(\.gateway)
        return gateways.first != nil && gateways.allSatisfy { isAbsent($0, at: now) && restsSinceLoss(of: $0) }
    }

    /// The gateways of a room.
    private func services(_ room: Int) -> [Int] {
        model.stateSpace.frame.services.filter { $0.room == room }.map(\.gateway)
    }

    /// Whether a gateway is not live, or was lost before and scans for too short a time for its silence to count.
    private func isAbsent(_ gateway: Int, at now: Instant) -> Bool {
        guard signs[gateway].contains(.live) else { return true }
        let since = scanningSince[gateway]
        return since != Self.never && (now - since).seconds < Tuning.unreceived && restsSinceLoss(of: gateway)
    }

    /// Whether the item has not moved since a gateway that was lost received it last.
    private func restsSinceLoss(of gateway: Int) -> Bool {
        guard let lost = lostAt[gateway], let rest = stillness.since else { return false }
        return rest - stillness.pauses <= min(lost, smoothed.lastReport(of: gateway) ?? lost)
    }

    /// Whether a gateway that is not live may be about to start: its room is none without a gateway.
    private func mayStart(_ gateway: Int, at now: Instant) -> Bool {
        (lostAt[gateway] ?? begun).map { (now - $0).seconds < Tuning.restart } ?? true
    }

    /// The posterior of each room.
    func roomMasses() -> [Double] {
        var masses = Array(repeating: 0.0, count: model.rooms.count)
        for (place, room) in model.stateSpace.places.enumerated() { masses[room] += belief[place] }
        return masses
    }

    /// The posterior of each room that may be reported.
    ///
    /// A room whose gateways all scan and do not receive the item is impossible while others receive the item. The same holds for a gateway
    /// that is starting or may be, unless the item was in its room. A deaf gateway does not exclude its room if a plan gives the room in
    /// another way.
    func reportableMasses() -> [Double] {
        var masses = roomMasses()
        guard let now = steppedTo, observation.isReceived else { return masses }
        withUnsafeTemporaryAllocation(of: (isServed: Bool, isReceived: Bool).self, capacity: masses.count) { rooms in
            rooms.initialize(repeating: (false, false))
            var next = 0
            for (gateway, room) in model.stateSpace.frame.services {
                rooms[room].isServed = true
                let isAbsent =
                    room == reported
                    ? isAbsent(gateway, at: now) : !signs[gateway].contains(.live) && !mayStart(gateway, at: now)
                let isOut = isAbsent || (signs[gateway].contains(.deaf) && model.stateSpace.plan != nil)
                if isOut || smoothed.hasReceived(gateway, at: now, &next) { rooms[room].isReceived = true }
            }
            func isImpossible(_ room: Int) -> Bool { rooms[room].isServed && !rooms[room].isReceived }
            guard masses.indices.contains(where: { masses[$0] > 0 && !isImpossible($0) }) else { return }
            for room in masses.indices where isImpossible(room) { masses[room] = 0 }
        }
        return masses
    }

    /// Whether every gateway that scans has received the item since the last pause, or had the time to.
    func isSettled(at now: Instant) -> Bool {
        guard lastReceived != nil, (now - receivedSince).seconds < Tuning.arrival else { return lastReceived != nil }
        return signs.indices.allSatisfy {
            !signs[$0].contains(.live) || smoothed.lastReport(of: $0).map { $0 >= receivedSince } ?? false
        }
    }

    /// Replaces the model. The belief is carried over by places that are the same, else by rooms, also renamed ones; the RSSI values by gateways.
    package mutating func adopt(_ newer: LocatorModel) {
        guard newer !== model else { return }
        let heirs = newer.stateSpace.frame.heirs(of: model.stateSpace.frame)
        if lastReceived == nil {
            belief = newer.stateSpace.prior  // An item that was never received may also be in a new room.
        } else if !newer.stateSpace.hasPlaces(of: model.stateSpace, heirs: heirs) {
            belief = newer.stateSpace.belief(ofRooms: roomMasses(), heirs: heirs)
        }
        let former = newer.gateways.map { model.index(ofGateway: $0) }
        let signs = former.map { $0.map { self.signs[$0] } ?? [] }
        let lost = former.enumerated().compactMap { gateway, before in
            before.flatMap { lostAt[$0] }.map { (gateway, $0) }
        }
        lostAt = Dictionary(uniqueKeysWithValues: lost)
        scanningSince = former.map { $0.map { scanningSince[$0] } ?? Self.never }
        self.signs = signs
        observation.scannedRooms = newer.stateSpace.frame.scannedRooms { signs[$0].contains(.live) }
        let shifts = zip(former, newer.offsets).map { before, offset in before.map { offset - model.offsets[$0] } ?? 0 }
        smoothed = smoothed.carried(from: former, adding: shifts)
        stillness = stillness.carried(from: former, adding: shifts)
        (reported, displaced) = (reported.flatMap { heirs[$0] }, displaced.flatMap { heirs[$0] })
        recentLikelihood = newer.carried(recentLikelihood, from: model, to: heirs)
        model = newer
        if lastReceived == nil { expectRemembered() }
    }

    /// The weight of the recent log-likelihoods: 1 while the item is received, less the longer it is not.
    func freshness(at now: Instant) -> Double {
        guard let receivedUntil, now > receivedUntil else { return 1 }
        return exp(-Tuning.leave * (now - receivedUntil).seconds)
    }

    /// The smoothed RSSI at all gateways, in the model's order: NaN for a gateway that does not receive the item, infinite for one that
    /// does not scan.
    func rssiValues(at now: Instant) -> [Float] {
        var reported: [Float] = []
        reported.reserveCapacity(scanningSince.count)
        smoothed.forEach(at: knownUntil(now)) { gateway, report in
            switch report {
            case .rssi(let rssi): reported.append(Float(rssi))
            case .quiet: reported.append(scanningSince[gateway] == Self.never ? .infinity : .nan)
            }
        }
        return reported
    }
}

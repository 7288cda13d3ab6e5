import Beacons
import Glibc

/// The belief about one item: in which room it is, from what the gateways hear of it.
///
/// A recursive Bayesian filter: the belief spreads by the motion model, and each moment's levels are weighed by the signatures.
/// Evidence counts by time, not by report, so that a chatty gateway is not believed more. Dwell and hysteresis fall out of it.
public struct Locator: Sendable {
    /// How long a single sighting counts at least. Sightings of an item that sends rarely count for longer.
    public static let sightingHolds = Interval.seconds(5)
    /// How long a published mean does: it is repeated every 10 s while nothing changes.
    public static let messageHolds = Interval.seconds(12)

    /// Seconds between two steps of the filter.
    private static let step = 0.1
    /// Seconds: more time than this between two steps is taken in pieces.
    private static let longest = 1.0
    /// Seconds: of a longer time between two steps only the last so many are taken; by then the item may be anywhere.
    private static let forgotten = 60.0

    /// What is known of the site.
    public private(set) var model: LocatorModel
    private var levels: Levels
    /// How likely each place is.
    private(set) var belief: [Double]
    /// The mean log-likelihood of each place over the last seconds of the belief's time, 0 for the likeliest.
    private(set) var look: [Double]
    private var lookedFor = 0.0
    private var hearing = Hearing()
    /// Since when each gateway listens; `nil`: it is not known to.
    private var listeningSince: [Instant?]
    /// The gateways that were heard of, or listen, and were not lost since.
    private var live: [Bool]
    /// The gateways that receive nothing of any item.
    private var deaf: [Bool]
    private(set) var stillness: Stillness
    private var steppedTo: Instant?
    private var latest: Instant?
    /// Since when the item is heard without a pause, and until when its last report says something: what is off, or away, is no
    /// evidence that a gateway is far.
    private var heardSince = Instant.zero
    private var heardUntil: Instant?
    private var said: Int?
    /// When the item was received for the first time.
    private var begun: Instant?
    /// When each gateway was lost last.
    private var lostAt: [Instant?]
    /// The room that was known before a restart.
    private var remembered: String?
    /// The room that was reported before it was excluded.
    private var displaced: Int?

    /// An item of which nothing was heard yet.
    public init(model: LocatorModel) {
        self.model = model
        levels = Levels(gateways: model.gateways.count)
        stillness = Stillness(gateways: model.gateways.count)
        listeningSince = Array(repeating: nil, count: model.gateways.count)
        live = Array(repeating: false, count: model.gateways.count)
        deaf = live
        lostAt = listeningSince
        hearing.attended = model.ground.frame.attended(by: live)
        belief = model.ground.start
        look = Array(repeating: 0, count: belief.count)
    }

    /// The item was in a room when the process before this one ended: it is likely to be there still.
    public mutating func remember(room: String) {
        guard latest == nil else { return }
        remembered = room
        expectRemembered()
    }

    /// The prior of an item of which nothing was received since a restart.
    private mutating func expectRemembered() {
        guard let remembered, let room = model.rooms.firstIndex(of: remembered) else { return }
        let mass = roomMasses()[room]
        guard mass > 0, mass < 1 else { return }
        for (place, other) in model.ground.places.enumerated() {
            belief[place] *= other == room ? Tuning.remembered / mass : (1 - Tuning.remembered) / (1 - mass)
        }
    }

    /// Takes what one gateway heard at a moment: one sighting, or the mean of several, all since its last report.
    ///
    /// `rssi` in dBm, as it was received; anything outside -127 to 20 is ignored, as is what is older than that gateway's last report. A report
    /// counts for as long as it `holds`; a sighting, `nil`, for a few of the item's own intervals.
    public mutating func report(
        gateway: Int, rssi: Double, of sightings: Int = 1, at: Instant, holds: Interval? = nil
    ) {
        guard rssi >= -127, rssi <= 20, levels.holds(gateway) else { return }
        if let latest, at > latest { advance(to: latest) }
        latest = max(latest ?? at, at)
        begun = begun ?? at
        if heardUntil.map({ at > $0 }) ?? true { heardSince = at }
        heardUntil = max(heardUntil ?? at, at + (holds ?? Self.sightingHolds))
        stillness.hear(rssi + model.offsets[gateway], of: sightings, gateway: gateway, at: at)
        levels.add(rssi + model.offsets[gateway], gateway: gateway, at: at, holds: holds)
        setLive(gateway, true)
        deaf[gateway] = false
    }

    /// Takes what the item's beacon gives at 1 m, in dBm: one that is stronger than usual is loud even where it is far.
    public mutating func claims(measuredPower: Double) {
        hearing.excess = max(-30, min(30, measuredPower - Tuning.usualPower))
    }

    private mutating func setLive(_ gateway: Int, _ isLive: Bool) {
        guard live[gateway] != isLive else { return }
        live[gateway] = isLive
        hearing.attended = model.ground.frame.attended(by: live)
    }

    /// The gateway is alive and hearing from this moment on: from now on its silence counts too.
    public mutating func listens(gateway: Int, since: Instant) {
        guard levels.holds(gateway), listeningSince[gateway] == nil else { return }
        listeningSince[gateway] = since
        setLive(gateway, true)
    }

    /// The gateway does not hear the item any more, though it listens: what it said before no longer counts.
    public mutating func silent(gateway: Int) {
        guard levels.holds(gateway) else { return }
        levels.forget(gateway)
    }

    /// The gateway scans, and receives nothing of any item: its silence is no evidence. See `Reception`.
    public mutating func deaf(gateway: Int) {
        if levels.holds(gateway) { deaf[gateway] = true }
    }

    /// The gateway receives again, if not this item: its silence counts.
    public mutating func receives(gateway: Int) {
        if levels.holds(gateway) { deaf[gateway] = false }
    }

    /// The gateway is dead or blind: neither what it said nor its silence counts, until it `listens` again.
    public mutating func lost(gateway: Int) {
        guard levels.holds(gateway) else { return }
        levels.forget(gateway)
        listeningSince[gateway] = nil
        if live[gateway] { lostAt[gateway] = steppedTo ?? latest }
        setLive(gateway, false)
    }

    /// Lets time pass: call it about once a second while the item is heard.
    public mutating func advance(to now: Instant) {
        guard let latest else { return }
        if now > latest { take(to: latest) }
        take(to: now)
    }

    /// Steps up to a moment, unless that is too near to the last step.
    private mutating func take(to now: Instant) {
        guard let last = steppedTo else {
            steppedTo = now
            return step(seconds: Self.step, to: now)
        }
        let elapsed = (now - last).seconds
        guard elapsed >= Self.step else { return }
        steppedTo = now
        let span = min(elapsed, Self.forgotten)
        let pieces = max(1, Int((span / Self.longest).rounded(.up)))
        let piece = span / Double(pieces)
        for left in (0..<pieces).reversed() { step(seconds: piece, to: now - .seconds(piece * Double(left))) }
    }

    /// Moves on to a moment, and weighs what is heard there.
    private mutating func step(seconds: Double, to now: Instant) {
        hearing.heard.removeAll(keepingCapacity: true)
        hearing.silent.removeAll(keepingCapacity: true)
        for gateway in model.gateways.indices {
            if let level = levels.level(gateway, at: now) {
                hearing.heard.append((gateway, level))
            } else if !deaf[gateway], let since = listeningSince[gateway],
                levels.isSilent(gateway, at: now, since: max(since, heardSince))
            {
                hearing.silent.append(gateway)
            }
        }
        model.step(
            &belief, look: &look, lookedFor: &lookedFor, hearing: hearing, seconds: seconds * stillness.pace(at: now))
        if !hearing.heard.isEmpty { decide(at: now) }
    }

    /// Changes the reported room once another one is clearly likelier.
    private mutating func decide(at now: Instant) {
        if said == nil { said = remembered.flatMap { name in model.rooms.firstIndex { $0 == name } } }
        let masses = sayableMasses()
        guard let best = masses.indices.max(by: { masses[$0] < masses[$1] }) else { return }
        guard best != said, !isHeld(at: now) else { return }
        // A room that was excluded, as its gateways received nothing for a while, is not a new one when they receive the item again.
        let reluctance = best == displaced ? 0 : stillness.reluctance(at: now)
        if let said {
            guard masses[best] > masses[said] * exp(Tuning.margin + reluctance) else { return }
            displaced = masses[said] == 0 ? displaced ?? said : nil
        }
        said = best
    }

    /// Whether the reported room lost all of its gateways and the item has not moved since, as far as the others show.
    ///
    /// A gateway that restarts takes its evidence along. That is no sign of a move.
    private func isHeld(at now: Instant) -> Bool {
        guard let said else { return false }
        var isServed = false
        for (gateway, room) in model.ground.frame.services where room == said {
            guard !live[gateway], let lost = lostAt[gateway], let since = stillness.since, since < lost else {
                return false
            }
            isServed = true
        }
        return isServed
    }

    /// Whether a gateway that is not live may be about to start: its room is none without a gateway.
    private func mayStart(_ gateway: Int, at now: Instant) -> Bool {
        guard let since = lostAt[gateway] ?? begun else { return true }
        return (now - since).seconds < Tuning.restart
    }

    /// The belief in each room.
    func roomMasses() -> [Double] {
        var masses = Array(repeating: 0.0, count: model.rooms.count)
        for (place, room) in model.ground.places.enumerated() { masses[room] += belief[place] }
        return masses
    }

    /// The belief in each room that may be reported.
    ///
    /// A room whose gateways all scan and receive nothing of the item is impossible while others receive it. The same holds for a gateway that may
    /// be starting, unless the item was in its room. A deaf gateway does not exclude its room if a plan gives the room in another way.
    func sayableMasses() -> [Double] {
        var masses = roomMasses()
        guard let now = steppedTo, !hearing.heard.isEmpty else { return masses }
        withUnsafeTemporaryAllocation(of: (isServed: Bool, isReceived: Bool).self, capacity: masses.count) { rooms in
            rooms.initialize(repeating: (false, false))
            for (gateway, room) in model.ground.frame.services {
                rooms[room].isServed = true
                let isAbsent = !live[gateway] && (room == said || !mayStart(gateway, at: now))
                let isOut = isAbsent || (deaf[gateway] && model.ground.plan != nil)
                if isOut || levels.hasReceived(gateway, at: now) { rooms[room].isReceived = true }
            }
            func isImpossible(_ room: Int) -> Bool { rooms[room].isServed && !rooms[room].isReceived }
            guard masses.indices.contains(where: { masses[$0] > 0 && !isImpossible($0) }) else { return }
            for room in masses.indices where isImpossible(room) { masses[room] = 0 }
        }
        return masses
    }

    /// Whether all gateways that scan have received the item since it is received without a pause, or had the time to.
    func isSettled(at now: Instant) -> Bool {
        guard latest != nil else { return false }
        if (now - heardSince).seconds >= Tuning.arrival { return true }
        return live.indices.allSatisfy { !live[$0] || levels.hasReceived($0, since: heardSince) }
    }

    /// How fast the belief's time runs: 1 while the item moves, less the longer it is still.
    func pace(at now: Instant) -> Double { stillness.pace(at: now) }

    /// The room that is said, as an index of the model's rooms.
    var saidRoom: Int? { said }

    /// The gateway that hears the item best, as an index of the model's.
    func strongest(at now: Instant) -> Int? {
        model.gateways.indices
            .compactMap { gateway in levels.level(gateway, at: now, lead: 0).map { (gateway, $0) } }
            .max { $0.1 < $1.1 }?.0
    }

    /// Goes on with a newer model of the site: the belief is carried over by the rooms' names, the levels by the gateways' ids.
    public mutating func adopt(_ newer: LocatorModel) {
        guard newer !== model else { return }
        let masses = roomMasses()
        var shares = Array(repeating: 0.0, count: newer.rooms.count)
        for (room, name) in model.rooms.enumerated() {
            if let index = newer.ground.frame.roomIndices[name] { shares[index] = masses[room] }
        }
        belief = newer.ground.start.enumerated().map { place, share in
            max(share * shares[newer.ground.places[place]], 1e-12)
        }
        // Of what was never heard nothing is known: it may as well be in a room that nobody had heard of.
        if latest == nil { belief = newer.ground.start }
        let sum = belief.reduce(0, +)
        for place in belief.indices { belief[place] /= sum }
        let former = newer.gateways.map { model.index(ofGateway: $0) }
        listeningSince = former.map { $0.flatMap { listeningSince[$0] } }
        lostAt = former.map { $0.flatMap { lostAt[$0] } }
        deaf = former.map { $0.map { deaf[$0] } ?? false }
        live = former.map { $0.map { live[$0] } ?? false }
        hearing.attended = newer.ground.frame.attended(by: live)
        levels = levels.carried(from: former)
        stillness = stillness.carried(from: former)
        said = said.flatMap { newer.ground.frame.roomIndices[model.rooms[$0]] }
        displaced = displaced.flatMap { newer.ground.frame.roomIndices[model.rooms[$0]] }
        look = look(in: newer)
        model = newer
        if latest == nil { expectRemembered() }
    }

    /// The looks in the places of a newer model: as they are, or of each place's room. A room that is new looks like the least likely one.
    private func look(in newer: LocatorModel) -> [Double] {
        if newer.ground.places == model.ground.places, newer.rooms == model.rooms { return look }
        var rooms: [String: Double] = [:]
        for (place, room) in model.ground.places.enumerated() {
            rooms[model.rooms[room]] = max(rooms[model.rooms[room]] ?? -.infinity, look[place])
        }
        let least = rooms.values.min() ?? 0
        return newer.ground.places.map { rooms[newer.rooms[$0]] ?? least }
    }

    /// How much the looks count: 1 while the item is received, less the longer it is not.
    func freshness(at now: Instant) -> Double {
        guard let heardUntil, now > heardUntil else { return 1 }
        return exp(-Tuning.leave * (now - heardUntil).seconds)
    }

    /// The levels of all gateways at a moment, in the model's order: NaN of a gateway that receives nothing of the item, infinite of one that does
    /// not scan.
    func levels(at now: Instant) -> [Float] {
        model.gateways.indices.map { gateway in
            if let level = levels.level(gateway, at: now) { return Float(level) }
            return listeningSince[gateway] == nil ? .infinity : .nan
        }
    }
}

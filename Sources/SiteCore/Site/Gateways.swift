import Beacons
import Locating
import Messages

/// The gateways of the site: which are there, what each reports of itself, and its numbered events, each taken once and in order.
struct Gateways: Sendable {
    /// How often receiver offsets are learned from the gateways' beacons.
    static let offsetsPeriod = Interval.seconds(600)
    /// For how long a gateway had published nothing when the former process ended, if it was down: several heartbeats.
    private static let downtime = Interval.seconds(300)

    private var records: [String: GatewayRecord] = [:]
    private var configuredRooms: [String: String] = [:]
    /// The beacons of gateways, and some of former ones: all other beacons without an item are strangers.
    private var beacons: Set<BeaconIdentity> = []
    /// More gateways publish than are tracked.
    private var areTooMany = false
    /// What the gateways receive of each other's beacons, and the receiver offsets that follow, in dB.
    private var mutual = MutualReception()
    private(set) var learnedOffsets: [String: Double] = [:]
    /// The receiver offsets that people set, in dB: the learned ones complete them.
    private var setOffsets: [String: Double] = [:]
    private var nextOffsets: Instant
    /// When the former process last wrote what it knew.
    private var formerUntil: WallTime?
    /// Whether a gateway is new, or has another room or receiver offset. The model of the site follows with the next step.
    private(set) var isModelStale = false

    init(at now: Instant) { nextOffsets = now + Self.offsetsPeriod }

    /// The record of a gateway; setting it to `nil` removes the gateway.
    subscript(id: String) -> GatewayRecord? {
        _read { yield records[id] }
        _modify { yield &records[id] }
    }

    /// The room of a gateway: as configured, or else as the gateway reports.
    func room(of id: String) -> String? { configuredRooms[id] ?? records[id]?.room }

    /// The configured rooms of gateways that report another room.
    var overridingRooms: [String: String] { configuredRooms.filter { overrides($0.value, of: $0.key) } }

    /// Whether the configuration gives a gateway another room than the gateway reports.
    func isOverridden(_ id: String) -> Bool { configuredRooms[id].map { overrides($0, of: id) } ?? false }

    private func overrides(_ room: String, of id: String) -> Bool { records[id]?.info.map { $0.room != room } ?? false }

    /// The instant of a stamp of a gateway, on the aggregator's clock; `nil` if the clock of its run is not known.
    func instant(of stamp: Stamp, at id: String, now: Instant) -> Instant? {
        // The subscript would copy the record.
        records.index(forKey: id).flatMap { records.values[$0].instant(of: stamp, now: now) }
    }

    /// The instant of a stamp by the wall clocks, which count only for runs that had ended before they became known; `nil` if they cannot date it: the
    /// gateway's was not synchronised, or the stamp would be of after the end of its run, so that one of the two clocks is wrong.
    func instantByWall(of stamp: Stamp, at id: String, now: Moment) -> Instant? {
        let (end, instant) = (ended(id, now: now.instant), now.instant - (now.wall - stamp.at))
        guard stamp.isClockSynchronised, instant <= end + ItemLocations.clockTolerance else { return nil }
        return max(.zero, min(end, instant))
    }

    /// When the runs of a gateway before the present one had ended.
    private func ended(_ id: String, now: Instant) -> Instant {
        records.index(forKey: id).flatMap { records.values[$0].presentBegan(now: now) } ?? now
    }

    /// The run id of a gateway, as its `info` names it.
    func boot(of id: String) -> Boot? { records.index(forKey: id).flatMap { records.values[$0].info?.stamp.boot } }

    var ids: Dictionary<String, GatewayRecord>.Keys { records.keys }
    var all: Dictionary<String, GatewayRecord>.Values { records.values }
    var count: Int { records.count }

    func alive(at now: Instant) -> Int { records.values.count { $0.isAlive(at: now) } }

    /// What is wrong with gateways, as sentences for `info`.
    func problems(at now: Moment) -> [String] {
        let lost = records.values.flatMap {
            [$0.clash(at: now.instant), $0.clockProblem(at: now), $0.lost].compactMap { $0 }
        }
        .sorted()
        guard areTooMany else { return lost }
        return [
            "more than \(GatewayRecord.most) gateways publish under this prefix: those beyond are ignored; "
                + "remove gateways that are gone with gateways remove, or give a part of them another prefix"
        ] + lost
    }

    // MARK: Which there are

    /// Sets the rooms that the configuration gives to gateways.
    mutating func configure(_ gateways: [GatewaySettings]) {
        configuredRooms = Dictionary(gateways.compactMap { gateway in gateway.room.map { (gateway.id, $0) } }) { $1 }
    }

    /// Continues with the gateways that a former process stored.
    mutating func restore(_ stored: StoredSite) {
        formerUntil = stored.writtenAt
        for gateway in stored.gateways {
            records[gateway.id] = GatewayRecord(id: gateway.id)
            records[gateway.id]?.events = EventIntake(restoring: gateway.applied)
        }
        for state in stored.states {
            for gateway in state.gateways.keys { records[gateway]?.note(item: state.id) }
        }
        isModelStale = true
    }

    /// Whether a gateway whose last info the broker retains was down long before the former process ended, and so is not about to connect.
    func wasDown(_ info: GatewayInfo) -> Bool {
        guard let formerUntil, info.stamp.isClockSynchronised else { return false }
        return formerUntil - info.stamp.at > Self.downtime
    }

    enum Admission: Sendable { case known, new, ignored }

    /// Makes a record for a gateway that published something, unless there are too many.
    mutating func admit(_ id: String, _ effects: inout SiteEffects) -> Admission {
        if records[id] != nil { return .known }
        guard records.count < GatewayRecord.most else {
            effects.refuse("too_many_gateways")
            if !areTooMany {
                areTooMany = true
                effects.infoChanged()
            }
            return .ignored
        }
        records[id] = GatewayRecord(id: id)
        // Written at once, so that its past events count also after a crash.
        effects.unwritten.gateways.insert(id)
        effects.add(.storeSiteNow)
        return .new
    }

    /// Forgets a gateway, and with `clearing` clears what the broker keeps of it.
    mutating func remove(_ id: String, clearing: Bool = true, _ effects: inout SiteEffects) {
        guard let record = records.removeValue(forKey: id) else { return }
        // A gateway that is still ignored is noticed when it publishes again.
        areTooMany = false
        mutual.forget(id)
        if clearing {
            effects.publish(.clearing(.gatewayAvailability(gateway: id)))
            effects.publish(.clearing(.gatewayInfo(gateway: id)))
            for topic in record.retained { effects.publish(.clearing(topic)) }
        }
        effects.unwritten.gateways.insert(id)
        effects.add(.storeSite)
    }

    /// The broker is connected: it may have lost what it retained, and messages.
    mutating func connected() {
        for id in records.keys { records[id]?.isHeld = false }
        missedMessages()
    }

    mutating func disconnected(at now: Instant) {
        for id in records.keys { records[id]?.disconnected(at: now) }
    }

    /// Publishes `offline` for gateways that are gone and of which the broker has nothing.
    mutating func publishLost(_ effects: inout SiteEffects) {
        for id in records.keys where records[id]?.isLost(at: effects.now.instant) == true {
            records[id]?.isHeld = true
            effects.publish(Message(.gatewayAvailability(gateway: id), .offline))
        }
    }

    // MARK: What they report of themselves

    /// What is new in a gateway's `info`.
    struct Change: Sendable {
        var room: Bool
        /// The version of the program, or the address of the adapter.
        var device: Bool
    }

    /// Applies the `info` of a gateway that has a record.
    ///
    /// - Parameter isLive: Whether the gateway published the `info` just now; `false` for a retained or queued message.
    mutating func receive(_ info: GatewayInfo, of id: String, isLive: Bool, _ effects: inout SiteEffects) -> Change {
        let (before, clash) = (records[id]?.info, records[id]?.clash(at: effects.now.instant))
        records[id]?.apply(info, isLive: isLive, at: effects.now.instant)
        if clash == nil, let sentence = records[id]?.clash(at: effects.now.instant) {
            effects.warn(sentence)
            effects.infoChanged()
        }
        if let beacon = info.beacon?.identity, beacons.insert(beacon).inserted, beacons.count > GatewayRecord.most {
            beacons = Set(records.values.compactMap { $0.info?.beacon?.identity })
        }
        if records[id]?.events.hasUnstoredBoots == true { effects.unwritten.gateways.insert(id) }
        let isRoomNew = before == nil || before?.room != info.room
        let isOffsetNew = before?.rssiOffset != info.rssiOffset
        isModelStale = isModelStale || isRoomNew || isOffsetNew
        let isDeviceNew = before?.version != info.version || before?.radio.address != info.radio.address
        return Change(room: isRoomNew, device: isDeviceNew)
    }

    /// What was received by or of a gateway at another place teaches nothing.
    mutating func forgetReception(of id: String) { mutual.forget(id) }

    /// Checks whether a gateway is alive and scans; returns whether it scans if one of the two has changed, and else `nil`.
    mutating func weigh(_ id: String, at now: Instant) -> Bool? {
        guard let record = records[id] else { return nil }
        let seen = (alive: record.isAlive(at: now), isScanning: record.isScanning(at: now))
        guard seen != record.isTakenAs else { return nil }
        records[id]?.isTakenAs = seen
        return seen.isScanning
    }

    /// The site with the gateways that have reported, their rooms and receiver offsets.
    ///
    /// - Parameter former: the gateways of before; those that have not reported since a restart belong to the site as well.
    mutating func makeSite(_ settings: SiteConfiguration, and former: [Site.Gateway] = []) -> Site {
        isModelStale = false
        let present = records.filter { $0.value.info != nil }
        // A gateway's own offset takes precedence over the learned one, and `[[gateway]]` over both.
        let own = present.compactMapValues { $0.info?.rssiOffset }
        let set = settings.setOffsets(over: own)
        if set != setOffsets { (setOffsets, nextOffsets) = (set, .zero) }
        var rooms = present.mapValues(\.room)
        for gateway in former where records[gateway.id] != nil && rooms[gateway.id] == nil {
            rooms[gateway.id] = .some(gateway.room)
        }
        return settings.site(of: rooms, offsets: learnedOffsets.merging(own) { $1 })
    }

    /// Receives a ranged state of a gateway's own beacon at another gateway.
    mutating func receive(
        proximity payload: [UInt8], ofSender beacon: BeaconIdentity, at gateway: String, _ topic: Topic
    ) throws(PayloadRefusal) {
        guard beacons.contains(beacon) else { return }
        let senders = records.values.filter { $0.info?.beacon?.identity == beacon }
        // Two gateways with the same beacon cannot be distinguished.
        guard !payload.isEmpty, senders.count == 1, let claim = senders[0].info?.beacon else { return }
        let state = try RangedState(parsing: payload, on: topic)
        guard let rssi = state.rssi, records[gateway] != nil else { return }
        mutual.add(
            senders[0].id, by: gateway, rssi: rssi, of: state.sightings, measuredPower: Double(claim.measuredPower.dBm))
    }

    /// Applies the receiver offsets that the gateways' beacons show; whether one has changed by a decibel.
    mutating func learnOffsets(_ effects: inout SiteEffects) -> Bool {
        guard effects.now.instant >= nextOffsets else { return false }
        nextOffsets = effects.now.instant + Self.offsetsPeriod
        let offsets = mutual.offsets(besides: setOffsets).mapValues { ($0 * 2).rounded() / 2 }
        func hasChanged(_ gateway: String) -> Bool {
            abs((offsets[gateway] ?? 0) - (learnedOffsets[gateway] ?? 0)) >= 1
        }
        guard Set(learnedOffsets.keys).union(offsets.keys).contains(where: hasChanged) else { return false }
        learnedOffsets = offsets
        let list = offsets.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value > 0 ? "+" : "")\($0.value) dB" }
        effects.note("Receiver offsets learned from the gateways' beacons: \(list.joined(separator: ", "))")
        return true
    }

    // MARK: Their numbered events

    /// Asks a gateway that is alive for the events that are missing, if it is time.
    ///
    /// - Parameter isUrgent: whether everything waits for the response.
    mutating func ask(_ id: String, isUrgent: Bool, _ effects: inout SiteEffects) {
        guard records[id]?.isAlive(at: effects.now.instant) == true,
            let question = records[id]?.events.nextQuestion(at: effects.now.instant, isUrgent: isUrgent)
        else { return }
        let transaction = JSONValue.string(Self.ownTransactions(effects) + question.transaction)
        effects.publish(
            Message(
                .request(.events, to: id),
                bytes: Request.bytes(of: question.requested, transaction: transaction)))
    }

    /// Receives the response of a gateway to `request/events`.
    ///
    /// - Returns: whether the response belongs to a request of this process.
    mutating func receive(
        response payload: [UInt8], of id: String, _ effects: inout SiteEffects
    ) throws(PayloadRefusal) -> Bool {
        guard records[id] != nil else { return false }
        let response = try Response<EventsResponse>(parsing: payload)
        // The broker may deliver responses to requests of a former process.
        let own = Self.ownTransactions(effects)
        guard case .done(let body) = response.outcome, let transaction = response.transaction?.string,
            transaction.hasPrefix(own)
        else { return false }
        let now = effects.now.instant
        let question = String(transaction.dropFirst(own.count))
        guard let forgotten = records[id]?.events.receive(body, transaction: question, at: now) else { return false }
        effects.unwritten.gateways.insert(id)
        if let clock = body.now { records[id]?.learn(clock.boot, uptime: clock.uptime, at: now) }
        for seqs in forgotten.seqs {
            let count = seqs.upperBound - seqs.lowerBound + 1
            let events = count == 1 ? "event \(seqs.lowerBound)" : "events \(seqs.lowerBound) to \(seqs.upperBound)"
            let sentence = "\(id) dropped \(events) of its run \(forgotten.boot) before they arrived here"
            records[id]?.lost = sentence
            effects.warn(sentence)
        }
        return true
    }

    /// How the transactions of this process begin.
    private static func ownTransactions(_ effects: borrowing SiteEffects) -> String { "\(effects.boot)-" }

    /// Messages of the broker were dropped unread: events may be among them, and are asked for.
    mutating func missedMessages() {
        for id in records.keys { records[id]?.events.missedSomething() }
    }

    /// The site was written to the disk.
    mutating func areOnDisk() {
        for id in records.keys { records[id]?.events.isOnDisk() }
    }

    /// Removes and returns the waiting events of all gateways, ordered by time. The events of one gateway stay in the order of their numbers.
    mutating func drainPastEvents(at now: Moment) -> [(event: LoggedEvent, gateway: String, at: Instant)] {
        var past: [(event: LoggedEvent, gateway: String, at: Instant)] = []
        for id in records.keys.sorted() {
            var latest: Instant?
            let ended = ended(id, now: now.instant)
            for event in records[id]?.events.drainReady(at: now.instant, isLate: true) ?? [] {
                let stamp = event.stamp
                let known =
                    instant(of: stamp, at: id, now: now.instant) ?? instantByWall(of: stamp, at: id, now: now)
                // Without a clock, an item is taken to have stayed as long as possible: enters are early, exits late.
                let atMost = latest ?? (event.transition == .enter ? .zero : ended)
                let at = max(known ?? atMost, latest ?? .zero)
                latest = at
                past.append((event, id, at))
            }
        }
        // Stable, so that what happened at one instant stays in its gateway's order.
        let order = past.indices.sorted { (past[$0].at, $0) < (past[$1].at, $1) }
        return order.map { (past[$0].event, past[$0].gateway, past[$0].at) }
    }
}

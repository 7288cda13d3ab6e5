import Beacons
import Messages

/// Tracks the announced devices of one writer, so that each change is published once and each removal is published
/// once. Home Assistant logs a warning for an empty payload of an unknown device.
///
/// A change costs the same however many devices there are: `mark` queues a device, and `announce` publishes some of those
/// that wait. What was published is remembered by its hash, not by its bytes.
public struct Announcer: Sendable {
    /// The published state of one device.
    private struct PublishedState {
        /// The hash of the payload.
        var hash: Int
        var device: Device
        /// Whether the device must be published again although it has not changed.
        var isStale = false
    }

    /// A device that the broker retained from an earlier run.
    private struct Found {
        /// Components that the device may have no longer, with their platforms.
        var components: [String: String]
        /// The payload to publish before the device is cleared.
        var leaving: [UInt8]?
    }

    /// The messages for some of the devices that wait.
    public struct Portion: Sendable {
        /// The messages, in the order of their publication.
        public var messages: [ForeignMessage] = []
        /// Whether Home Assistant has to take in a device: until then it misses what is not retained.
        public var hasNews = false
    }

    /// The delay before a cleared device is announced again. Home Assistant needs about a second to remove its
    /// entities; an earlier announcement would create new entity ids.
    static let removal = Interval.seconds(2)
    /// The time for which a clearing counts as the echo of this process's own.
    static let echo = Interval.seconds(10)
    /// The limit of devices from earlier runs, and of the bytes of their final payloads.
    static let mostFound = 16_384
    static let mostFoundBytes = 16 << 20
    /// The limit of gateways that announce themselves: twice the gateways of a site.
    static let mostOthers = 1024

    private let origin: Device.Origin
    private let version: String
    private let prefix: TopicPrefix
    private let own: TopicPrefix
    /// Whether devices are announced; if so, foreign payloads on their topics are cleared.
    private let isOn: Bool
    private var published: [DeviceID: PublishedState] = [:]
    /// The devices that wait for their turn; those before `head` had it.
    private var queue: [DeviceID] = []
    private var head = 0
    private var waiting: Set<DeviceID> = []
    /// The devices that the broker retained from an earlier run, each until its turn.
    private var found: [DeviceID: Found] = [:]
    private var foundBytes = 0
    private var isFull = false
    private var isGathering = true
    /// The devices of gateways with their own discovery.
    private var others: Set<DeviceID> = []
    private var foreign = ForeignDevices()
    /// Devices to announce again, with the time: another client cleared the device, or its foreign payload was cleared.
    private var againAt: [DeviceID: Instant] = [:]
    /// When this process cleared a device.
    private var clearedAt: [DeviceID: Instant] = [:]
    private var corrections: [DeviceID: Corrections] = [:]

    /// Creates an announcer without published devices.
    ///
    /// - Parameters:
    ///   - prefix: Home Assistant's topic prefix.
    ///   - own: this project's topic prefix.
    ///   - isOn: whether devices are announced; otherwise foreign payloads are only reported.
    public init(
        _ origin: Device.Origin, version: String, under prefix: TopicPrefix, own: TopicPrefix = .standard,
        isOn: Bool = true
    ) {
        self.origin = origin
        self.version = version
        self.prefix = prefix
        self.own = own
        self.isOn = isOn
    }

    /// Marks everything for publication, because the broker or Home Assistant may have lost it.
    public mutating func begin() {
        for id in published.keys { published[id]?.isStale = true }
        isGathering = true
    }

    /// Queues all devices, once what the broker retains has arrived: those in `ids` in their order, then those to be taken back.
    public mutating func start(_ ids: [DeviceID]) {
        isGathering = false
        (queue, head, waiting) = ([], 0, [])
        for id in ids { mark(id) }
        // Children before their parent, the reverse of their publication.
        let former = Set(published.keys).union(found.keys)
        for id in former.sorted(by: { ($0.generation, $0.text) > ($1.generation, $1.text) }) { mark(id) }
    }

    /// Queues a device that was added, changed or removed.
    public mutating func mark(_ id: DeviceID) {
        if waiting.insert(id).inserted { queue.append(id) }
    }

    /// Whether devices wait for their turn.
    public var isWaiting: Bool { !waiting.isEmpty }

    /// Handles a lost connection: announcements of others arrive again with the next one if they still exist.
    public mutating func connectionLost() {
        others = []
        foreign.connectionLost()
        clearedAt = [:]
        isGathering = true
    }

    /// The foreign payloads on this project's topics, now or within the last hour, each in a sentence.
    public func problems(at now: Instant) -> [String] {
        let full =
            "More than \(Self.mostFound) devices of an earlier time stand on Home Assistant's topics: those beyond stay"
        return foreign.problems(at: now) + (isFull ? [full] : [])
    }

    // MARK: Retained payloads

    /// Records the retained payload of a device's topic. The cost is at most the parsing of one payload.
    ///
    /// - Parameter isWanted: whether the device will be announced.
    /// - Returns: the gateways with a distance entity in an item's device of an earlier run.
    @discardableResult
    public mutating func take(
        _ payload: [UInt8], of id: DeviceID, isRequested: Bool = false, at now: Instant
    ) -> [String] {
        if payload.isEmpty {
            handleClearing(of: id, isRequested: isRequested, at: now)
            return []
        }
        if let published = published[id], payload.hashValue == published.hash {
            // The topic has this process's payload again.
            foreign.isGone(id)
            others.remove(id)
            return []
        }
        guard !foreign.isKnown(payload, of: id, at: now) else { return [] }
        let announcement = Announcement(payload)
        if isGathering, announcement?.origin == origin, published[id] == nil, !id.isGateway {
            // The payload will be replaced or cleared in any case, with its components removed by name, so it need not
            // be compared.
            note(announcement, of: id, isRequested: isRequested)
            return announcement?.sources ?? []
        }
        if let reason = announcement.map({ $0.deviation(from: id, under: own) }) ?? "no discovery payload" {
            found[id] = nil
            others.remove(id)
            foreign.note(payload, of: id, reason, at: now)
            return []
        }
        foreign.isGone(id)
        if announcement?.origin != origin {
            guard others.count < Self.mostOthers else { return [] }
            others.insert(id)
            found[id] = nil
            // The last writer to announce a device owns it.
            (published[id], againAt[id]) = (nil, nil)
        } else if isGathering, published[id] == nil {
            note(announcement, of: id, isRequested: isRequested)
        }
        return []
    }

    private mutating func note(_ announcement: Announcement?, of id: DeviceID, isRequested: Bool) {
        guard let announcement else { return }
        guard found.count < Self.mostFound || found[id] != nil else {
            isFull = true
            return
        }
        var leaving = isRequested ? nil : announcement.leaving
        if foundBytes + (leaving?.count ?? 0) > Self.mostFoundBytes { leaving = nil }
        foundBytes += leaving?.count ?? 0
        var components = announcement.components
        if !id.isGateway { components = components.filter { !Device.keysOfEachItem.contains($0.key) } }
        found[id] = Found(components: isRequested ? components : [:], leaving: leaving)
    }

    private mutating func handleClearing(of id: DeviceID, isRequested: Bool, at now: Instant) {
        found[id] = nil
        let (wasForeign, wasOthers) = (foreign.isGone(id), others.remove(id) != nil)
        if let at = clearedAt.removeValue(forKey: id), now - at < Self.echo, !wasOthers { return }
        published[id]?.isStale = true
        if isRequested, wasOthers || wasForeign || published[id] != nil { correct(id, at: now) }
    }

    /// Schedules a device that another client cleared for a new announcement.
    private mutating func correct(_ id: DeviceID, at now: Instant) {
        guard againAt[id] == nil else { return }
        againAt[id] = (corrections[id]?.nextAllowed(at: now) ?? now) + Self.removal
    }

    /// Whether one more correction of a device is allowed; if so, it is counted.
    private mutating func mayCorrect(_ id: DeviceID, at now: Instant) -> Bool {
        corrections[id, default: Corrections(at: now)].use(at: now)
    }

    /// Forgets a device that another aggregator announces from now on: it is neither announced nor cleared.
    public mutating func disown(_ id: DeviceID) {
        foundBytes -= found[id]?.leaving?.count ?? 0
        (published[id], found[id], againAt[id]) = (nil, nil, nil)
        waiting.remove(id)
    }

    /// Releases a device: another writer's payload is cleared with the next announcement.
    public mutating func release(_ id: DeviceID) {
        if others.remove(id) != nil { found[id] = Found(components: [:]) }
        mark(id)
    }

    // MARK: Publication

    /// Whether there is something to announce or to clear.
    public func isDue(at now: Instant) -> Bool {
        isWaiting || againAt.contains { $0.value <= now && !foreign.stands($0.key) }
            || isOn && foreign.standing.contains { (corrections[$0]?.nextAllowed(at: now) ?? now) <= now }
    }

    /// Publishes what is due, at most `most` of the devices that wait. Call it about once a second.
    ///
    /// - Parameter device: makes a device; `nil`: there is none with this id any more, and it is taken back.
    public mutating func announce(most: Int, at now: Instant, _ device: (DeviceID) -> Device?) -> Portion {
        var portion = Portion(messages: clearForeign(at: now))
        for id in againAt.filter({ $0.value <= now && !foreign.stands($0.key) }).keys.sorted(by: { $0.text < $1.text })
        {
            mark(id)
        }
        var left = most
        while left > 0, head < queue.count {
            let id = queue[head]
            head += 1
            guard waiting.remove(id) != nil else { continue }
            announce(id, device(id), to: &portion, at: now)
            left -= 1
        }
        if head == queue.count { (queue, head) = ([], 0) }
        clearedAt = clearedAt.filter { now - $0.value < Self.echo }
        corrections = corrections.filter { !$0.value.isFresh(at: now) }
        return portion
    }

    /// Publishes one device before its turn.
    public mutating func announce(_ id: DeviceID, as device: Device?, at now: Instant) -> Portion {
        var portion = Portion()
        waiting.remove(id)
        announce(id, device, to: &portion, at: now)
        return portion
    }

    private mutating func announce(
        _ id: DeviceID, _ device: Device?, to portion: inout Portion, at now: Instant
    ) {
        defer {
            foundBytes -= found[id]?.leaving?.count ?? 0
            found[id] = nil
        }
        guard let device, !others.contains(id), !foreign.stands(id) else {
            if published[id] != nil || found[id] != nil { portion.messages += clearing(id, at: now) }
            if device == nil { againAt[id] = nil }
            return
        }
        if let at = againAt[id], at > now { return }
        if let at = clearedAt[id], at + Self.removal > now {
            againAt[id] = at + Self.removal
            return
        }
        if againAt.removeValue(forKey: id) != nil, !mayCorrect(id, at: now) { return correct(id, at: now) }
        publish(device, to: &portion)
    }

    private mutating func publish(_ device: Device, to portion: inout Portion) {
        let payload = device.payload(by: origin, version: version)
        let (former, hash) = (published[device.id], payload.hashValue)
        guard former?.hash != hash || former?.isStale == true else { return }
        var gone: [String: String] = [:]
        if let components = former.map(\.device.components) ?? found[device.id]?.components, !components.isEmpty {
            let present = device.components
            gone = components.filter { present[$0.key] == nil }
        }
        if !gone.isEmpty {
            portion.messages.append(
                message(device.id, device.payload(by: origin, version: version, without: gone)))
        }
        portion.messages.append(message(device.id, payload))
        if former.map({ $0.isStale || !$0.device.hasSameHead(as: device) }) ?? true { portion.hasNews = true }
        published[device.id] = PublishedState(hash: hash, device: device)
    }

    private mutating func clearing(_ id: DeviceID, at now: Instant) -> [ForeignMessage] {
        let (former, found) = (published.removeValue(forKey: id), found[id])
        guard !others.contains(id), !foreign.stands(id) else { return [] }
        var messages: [ForeignMessage] = []
        if let device = former?.device, device.hasDisabled {
            messages.append(message(id, device.payload(by: origin, version: version, isLeaving: true)))
        } else if former == nil, let leaving = found?.leaving {
            messages.append(message(id, leaving))
        }
        messages.append(message(id, []))
        clearedAt[id] = now
        return messages
    }

    /// Clears foreign payloads, if a correction is allowed.
    private mutating func clearForeign(at now: Instant) -> [ForeignMessage] {
        guard isOn else { return [] }
        var messages: [ForeignMessage] = []
        for id in foreign.standing.sorted(by: { $0.text < $1.text }) {
            guard mayCorrect(id, at: now) else { continue }
            foreign.isGone(id)
            published[id] = nil
            messages.append(message(id, []))
            clearedAt[id] = now
            againAt[id] = now + Self.removal
        }
        return messages
    }

    private func message(_ id: DeviceID, _ payload: [UInt8]) -> ForeignMessage {
        ForeignMessage(topic: HomeAssistantTopic.device(id).name(under: prefix), payload: payload, isRetained: true)
    }
}

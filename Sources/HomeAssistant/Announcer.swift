import Beacons
import Messages

/// What Home Assistant was told of a writer's devices, so that each change is told once, and what is gone is taken back once: an empty payload
/// for a device that Home Assistant does not know is a warning in its log.
public struct Announcer: Sendable {
    /// What was told of one device.
    private struct Told {
        var payload: [UInt8]
        var device: Device
        /// Whether it is to be told again, though nothing changed.
        var isStale = false
    }

    /// What the broker held of one of our devices when we came.
    private struct Found {
        var components: [String: String]
        /// What precedes its clearing.
        var leaving: [UInt8]?
    }

    /// A device that was cleared is announced again after this time. Home Assistant needs about a second to remove its entities; what comes
    /// earlier would get new entity ids.
    static let removal = Interval.seconds(2)
    /// So long a clearing counts as the echo of our own.
    static let echo = Interval.seconds(10)
    /// How many devices from an earlier time are noted, and how many bytes of what precedes their clearing.
    static let mostFound = 8192
    static let mostFoundBytes = 16 << 20
    /// How many devices of gateways that announce themselves are noted: twice as many as a site has gateways.
    static let mostOthers = 1024

    private let origin: Device.Origin
    private let version: String
    private let prefix: TopicPrefix
    private let own: TopicPrefix
    /// Whether devices are announced at all: then what is foreign on their topics is cleared.
    private let isOn: Bool
    private var told: [DeviceID: Told] = [:]
    /// What the broker held of ours when we came, from an earlier time; gathered until the first announcement.
    private var found: [DeviceID: Found] = [:]
    private var foundBytes = 0
    private var isFull = false
    private var isGathering = true
    /// What others of us speak for themselves: a gateway that has its own discovery switched on.
    private var others: Set<DeviceID> = []
    private var foreign = ForeignDevices()
    /// Devices that somebody else cleared, or whose foreign announcement we cleared, and when they are announced again.
    private var againAt: [DeviceID: Instant] = [:]
    /// When we cleared a device.
    private var clearedAt: [DeviceID: Instant] = [:]
    private var corrections: [DeviceID: Corrections] = [:]

    /// Nothing was told yet.
    ///
    /// - Parameters:
    ///   - prefix: Home Assistant's prefix.
    ///   - own: the prefix of our own topics.
    ///   - isOn: whether devices are announced; if not, what is foreign is only reported.
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

    /// The broker or Home Assistant may have forgotten everything: all is to be told anew.
    public mutating func begin() {
        for id in told.keys { told[id]?.isStale = true }
        isGathering = true
    }

    /// The connection is gone: what others announced comes again with the next one, if it still stands then.
    public mutating func connectionLost() {
        others = []
        foreign.connectionLost()
        clearedAt = [:]
        isGathering = true
    }

    /// What is foreign on our topics, or was until an hour ago, each in a sentence.
    public func problems(at now: Instant) -> [String] {
        let full =
            "More than \(Self.mostFound) devices of an earlier time stand on Home Assistant's topics: those beyond stay"
        return foreign.problems(at: now) + (isFull ? [full] : [])
    }

    // MARK: What the broker holds

    /// Takes note of what the broker holds on a device's topic. Costs at most the parsing of one payload.
    ///
    /// - Parameter isWanted: whether the device is going to be announced.
    public mutating func take(_ payload: [UInt8], of id: DeviceID, isWanted: Bool = false, at now: Instant) {
        if payload.isEmpty { return takeClearing(of: id, isWanted: isWanted, at: now) }
        guard payload != told[id]?.payload else {
            // Ours stands there again.
            foreign.isGone(id)
            others.remove(id)
            return
        }
        guard !foreign.isKnown(payload, of: id, at: now) else { return }
        let announcement = Announcement(payload)
        if isGathering, announcement?.origin == origin, told[id] == nil, !id.isGateway {
            // It is announced anew or cleared in any case, and its components are taken back by name: that is cheaper than to compare them.
            return note(announcement, of: id, isWanted: isWanted)
        }
        if let reason = announcement.map({ $0.deviation(from: id, under: own) }) ?? "no discovery payload" {
            found[id] = nil
            others.remove(id)
            return foreign.take(payload, of: id, reason, at: now)
        }
        foreign.isGone(id)
        if announcement?.origin != origin {
            guard others.count < Self.mostOthers else { return }
            others.insert(id)
            found[id] = nil
            // Whoever announces a device last has it.
            (told[id], againAt[id]) = (nil, nil)
        } else if isGathering, told[id] == nil {
            note(announcement, of: id, isWanted: isWanted)
        }
    }

    private mutating func note(_ announcement: Announcement?, of id: DeviceID, isWanted: Bool) {
        guard let announcement else { return }
        guard found.count < Self.mostFound || found[id] != nil else {
            isFull = true
            return
        }
        var leaving = isWanted ? nil : announcement.leaving
        if foundBytes + (leaving?.count ?? 0) > Self.mostFoundBytes { leaving = nil }
        foundBytes += leaving?.count ?? 0
        found[id] = Found(components: announcement.components, leaving: leaving)
    }

    private mutating func takeClearing(of id: DeviceID, isWanted: Bool, at now: Instant) {
        found[id] = nil
        let (wasForeign, wasOthers) = (foreign.isGone(id), others.remove(id) != nil)
        if let at = clearedAt.removeValue(forKey: id), now - at < Self.echo, !wasOthers { return }
        told[id]?.isStale = true
        if isWanted, wasOthers || wasForeign || told[id] != nil { correct(id, at: now) }
    }

    /// Announces a device again that somebody else cleared, as soon as that is allowed.
    private mutating func correct(_ id: DeviceID, at now: Instant) {
        guard againAt[id] == nil else { return }
        againAt[id] = (corrections[id]?.nextAllowed(at: now) ?? now) + Self.removal
    }

    /// Whether one more correction of a device is allowed; if so, it is counted.
    private mutating func mayCorrect(_ id: DeviceID, at now: Instant) -> Bool {
        corrections[id, default: Corrections(at: now)].take(at: now)
    }

    /// A device is nobody's any more: what another announced of it is cleared with the next announcement.
    public mutating func release(_ id: DeviceID) {
        if others.remove(id) != nil { found[id] = Found(components: [:]) }
    }

    // MARK: What is to be published

    /// Whether there is something to announce or to clear, though no device changed.
    public func isDue(at now: Instant) -> Bool {
        againAt.contains { $0.value <= now && !foreign.stands($0.key) }
            || isOn && foreign.standing.contains { (corrections[$0]?.nextAllowed(at: now) ?? now) <= now }
    }

    /// What is to be published for Home Assistant to know these devices, and no other of ours, in an order in which no child comes before its
    /// parent.
    public mutating func announce(_ devices: [Device], at now: Instant) -> [ForeignMessage] {
        var messages = clearForeign(at: now)
        let wanted = devices.filter { !others.contains($0.id) && !foreign.stands($0.id) }
        for device in wanted {
            if let at = againAt[device.id], at > now { continue }
            if let at = clearedAt[device.id], at + Self.removal > now {
                againAt[device.id] = at + Self.removal
                continue
            }
            if againAt.removeValue(forKey: device.id) != nil, !mayCorrect(device.id, at: now) {
                correct(device.id, at: now)
                continue
            }
            messages += tell(device)
        }
        let ids = Set(devices.map(\.id))
        for id in Set(told.keys).union(found.keys).subtracting(wanted.map(\.id)).sorted(by: { $0.text < $1.text }) {
            messages += takeBack(id, at: now)
        }
        found = [:]
        foundBytes = 0
        isGathering = false
        againAt = againAt.filter { ids.contains($0.key) }
        clearedAt = clearedAt.filter { now - $0.value < Self.echo }
        corrections = corrections.filter { !$0.value.isFresh(at: now) }
        return messages
    }

    private mutating func tell(_ device: Device) -> [ForeignMessage] {
        let payload = device.payload(by: origin, version: version)
        let former = told[device.id]
        guard former?.payload != payload || former?.isStale == true else { return [] }
        var messages: [ForeignMessage] = []
        let components = device.components
        let gone = (former?.device.components ?? found[device.id]?.components ?? [:])
            .filter { components[$0.key] == nil }
        if !gone.isEmpty {
            messages.append(message(device.id, device.payload(by: origin, version: version, without: gone)))
        }
        messages.append(message(device.id, payload))
        told[device.id] = Told(payload: payload, device: device)
        return messages
    }

    private mutating func takeBack(_ id: DeviceID, at now: Instant) -> [ForeignMessage] {
        let (former, found) = (told.removeValue(forKey: id), found[id])
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

    /// Clears what is foreign on our topics, where that is allowed again.
    private mutating func clearForeign(at now: Instant) -> [ForeignMessage] {
        guard isOn else { return [] }
        var messages: [ForeignMessage] = []
        for id in foreign.standing.sorted(by: { $0.text < $1.text }) {
            guard mayCorrect(id, at: now) else { continue }
            foreign.isGone(id)
            told[id] = nil
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

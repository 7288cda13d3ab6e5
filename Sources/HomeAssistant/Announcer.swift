import Beacons
import Messages

/// Tracks the announced devices of one writer, so that each change is published once and each removal is published
/// once. Home Assistant logs a warning for an empty payload of an unknown device.
public struct Announcer: Sendable {
    /// The published state of one device.
    private struct Told {
        var payload: [UInt8]
        var device: Device
        /// Whether the device must be published again although it has not changed.
        var isStale = false
    }

    /// A device that the broker retained from an earlier run.
    private struct Found {
        var components: [String: String]
        /// The payload to publish before the device is cleared.
        var leaving: [UInt8]?
    }

    /// The delay before a cleared device is announced again. Home Assistant needs about a second to remove its
    /// entities; an earlier announcement would create new entity ids.
    static let removal = Interval.seconds(2)
    /// The time for which a clearing counts as the echo of this process's own.
    static let echo = Interval.seconds(10)
    /// The limit of devices from earlier runs, and of the bytes of their final payloads.
    static let mostFound = 8192
    static let mostFoundBytes = 16 << 20
    /// The limit of gateways that announce themselves: twice the gateways of a site.
    static let mostOthers = 1024

    private let origin: Device.Origin
    private let version: String
    private let prefix: TopicPrefix
    private let own: TopicPrefix
    /// Whether devices are announced; if so, foreign payloads on their topics are cleared.
    private let isOn: Bool
    private var told: [DeviceID: Told] = [:]
    /// The devices that the broker retained from an earlier run, collected until the first announcement.
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
        for id in told.keys { told[id]?.isStale = true }
        isGathering = true
    }

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
    public mutating func take(_ payload: [UInt8], of id: DeviceID, isWanted: Bool = false, at now: Instant) {
        if payload.isEmpty { return takeClearing(of: id, isWanted: isWanted, at: now) }
        guard payload != told[id]?.payload else {
            // The topic has this process's payload again.
            foreign.isGone(id)
            others.remove(id)
            return
        }
        guard !foreign.isKnown(payload, of: id, at: now) else { return }
        let announcement = Announcement(payload)
        if isGathering, announcement?.origin == origin, told[id] == nil, !id.isGateway {
            // The payload will be replaced or cleared in any case, with its components removed by name, so it need not
            // be compared.
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
            // The last writer to announce a device owns it.
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

    /// Schedules a device that another client cleared for a new announcement.
    private mutating func correct(_ id: DeviceID, at now: Instant) {
        guard againAt[id] == nil else { return }
        againAt[id] = (corrections[id]?.nextAllowed(at: now) ?? now) + Self.removal
    }

    /// Whether one more correction of a device is allowed; if so, it is counted.
    private mutating func mayCorrect(_ id: DeviceID, at now: Instant) -> Bool {
        corrections[id, default: Corrections(at: now)].take(at: now)
    }

    /// Releases a device: another writer's payload is cleared with the next announcement.
    public mutating func release(_ id: DeviceID) {
        if others.remove(id) != nil { found[id] = Found(components: [:]) }
    }

    // MARK: Publication

    /// Whether there is something to announce or to clear although no device changed.
    public func isDue(at now: Instant) -> Bool {
        againAt.contains { $0.value <= now && !foreign.stands($0.key) }
            || isOn && foreign.standing.contains { (corrections[$0]?.nextAllowed(at: now) ?? now) <= now }
    }

    /// The messages after which Home Assistant has exactly these devices of this project. Parents come before their
    /// children.
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

    /// Clears foreign payloads, if a correction is allowed.
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

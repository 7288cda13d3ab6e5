import Beacons
import Messages
import Text

/// Tracks the announced devices of one writer, so that each change is published once and each removal is published
/// once. Home Assistant logs a warning for an empty payload of an unknown device.
///
/// A change costs the same however many devices there are: `mark` queues a device, and `announce` publishes some of those
/// that wait. What was published is remembered by its hash, not by its bytes.
package struct Announcer: Sendable {
    private struct PublishedState {
        var hash: Int
        var device: Device
        /// Whether the device must be published again although it has not changed.
        var isStale = false
    }

    /// A device that the broker retained from an earlier run.
    private struct Found {
        /// Components that the device may have no longer, with their platforms.
        var components: [String: String] = [:]
        /// The device as its payload describes it.
        var device: Device?
    }

    /// A device that was cleared. A Home Assistant that was down knows the device all the same, and does not see that nothing stands there:
    /// it has to see the device once more before the device is cleared.
    private struct Cleared {
        let device: Device
        let at: Instant
        /// When the device was announced once more; `nil`: it was not, as no Home Assistant was born since.
        var announcedAt: Instant?
        /// Whether it is to be announced once more.
        var isDue = false
    }

    /// How long a device is there for a Home Assistant that was down, before the device is cleared.
    static let showing = Interval.seconds(5)
    /// The limit of devices from earlier runs, and of those that were cleared.
    static let mostFound = 16_384
    /// The limit of gateways that announce themselves: twice the gateways of a site.
    static let mostOthers = 1024

    /// The program that writes the payloads, and the language of the names in them.
    private struct Writer {
        let origin: Device.Origin
        let version: String
        let texts: Texts

        func payload(of device: Device, without gone: [String: String] = [:], isLeaving: Bool = false) -> [UInt8] {
            device.payload(by: origin, version: version, in: texts, without: gone, isLeaving: isLeaving)
        }
    }

    private let writer: Writer
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
    /// The devices that were cleared, each until the next birth of a Home Assistant.
    private var cleared: [DeviceID: Cleared] = [:]
    private var isFull = false
    private var isGathering = true
    /// The devices of gateways with their own discovery.
    private var others: Set<DeviceID> = []
    private var foreign = ForeignDevices()
    /// Devices to announce again, with the time: another client cleared the device, or its foreign payload was cleared.
    private var againAt: [DeviceID: Instant] = [:]
    private var clearings = Clearings()
    private var corrections: [DeviceID: Corrections] = [:]

    /// Creates an announcer without published devices.
    ///
    /// - Parameters:
    ///   - prefix: Home Assistant's topic prefix.
    ///   - own: this project's topic prefix.
    ///   - texts: the language of the names of entities.
    ///   - isOn: whether devices are announced; otherwise foreign payloads are only reported.
    package init(
        _ origin: Device.Origin, version: String, under prefix: TopicPrefix, own: TopicPrefix = .standard,
        in texts: Texts = .english, isOn: Bool = true
    ) {
        writer = Writer(origin: origin, version: version, texts: texts)
        self.prefix = prefix
        self.own = own
        self.isOn = isOn
    }

    /// Marks everything for publication, because the broker or Home Assistant may have lost it.
    package mutating func begin() {
        for id in published.keys { published[id]?.isStale = true }
        isGathering = true
    }

    /// Home Assistant was born, and may have missed what was cleared from `instant` on.
    package mutating func born(knowing instant: Instant) {
        cleared = cleared.filter { $0.value.at >= instant || $0.value.announcedAt != nil }
        for id in cleared.keys { (cleared[id]!.announcedAt, cleared[id]!.isDue) = (nil, true) }
    }

    /// Whether a Home Assistant that is born may know devices that were cleared.
    package var hasCleared: Bool { !cleared.isEmpty }

    /// Queues all devices, once what the broker retains has arrived: those in `ids` in their order, then those to be taken back.
    package mutating func start(_ ids: [DeviceID]) {
        isGathering = false
        (queue, head, waiting) = ([], 0, [])
        for id in ids { mark(id) }
        // Children before their parent, the reverse of their publication.
        let former = Set(published.keys).union(found.keys).union(cleared.keys)
        for id in former.sorted(by: { ($0.generation, $0.text) > ($1.generation, $1.text) }) { mark(id) }
    }

    package mutating func mark(_ id: DeviceID) {
        if waiting.insert(id).inserted { queue.append(id) }
    }

    /// Whether devices wait for their turn.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// Handles a lost connection: announcements of others arrive again with the next one if they still exist.
    package mutating func connectionLost() {
        others = []
        foreign.connectionLost()
        clearings = Clearings()
        isGathering = true
    }

    /// The foreign payloads on this project's topics, now or within the last hour, each in a sentence.
    package func problems(at now: Instant) -> [String] {
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
    package mutating func take(
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
        if let announcement, isGathering || !isRequested || id == .aggregator,
            announcement.isUnderAnotherPrefix(id, in: writer.texts, than: own)
        {
            return take(announcement, ofAnotherPrefix: id, isRequested: isRequested)
        }
        if isGathering, announcement?.origin == writer.origin, published[id] == nil, !id.isGateway {
            // The payload will be replaced or cleared in any case, with its components removed by name, so it need not
            // be compared.
            note(announcement, of: id, isRequested: isRequested)
            return announcement?.sources ?? []
        }
        if let reason = announcement.map({ $0.deviation(from: id, in: writer.texts, under: own) })
            ?? "no discovery payload"
        {
            found[id] = nil
            others.remove(id)
            foreign.note(payload, of: id, reason, at: now)
            return []
        }
        foreign.isGone(id)
        if announcement?.origin != writer.origin {
            guard others.count < Self.mostOthers else { return [] }
            others.insert(id)
            (found[id], cleared[id]) = (nil, nil)
            // The last writer to announce a device owns it.
            (published[id], againAt[id]) = (nil, nil)
        } else if isGathering, published[id] == nil {
            note(announcement, of: id, isRequested: isRequested)
        }
        return []
    }

    /// Records a device under another prefix. If this site has none with its id, it is another site's. Otherwise it is of before the prefix changed, and
    /// about to be replaced. Each site has the aggregator's device: it shows the one that began last.
    private mutating func take(
        _ announcement: Announcement, ofAnotherPrefix id: DeviceID, isRequested: Bool
    ) -> [String] {
        foreign.isGone(id)
        others.remove(id)
        (found[id], cleared[id]) = (nil, nil)
        guard isRequested else { return [] }
        guard isGathering else {
            others.insert(id)
            (published[id], againAt[id]) = (nil, nil)
            return []
        }
        note(announcement, of: id, isRequested: true)
        return announcement.sources
    }

    private mutating func note(_ announcement: Announcement?, of id: DeviceID, isRequested: Bool) {
        guard let announcement else { return }
        guard found.count < Self.mostFound || found[id] != nil else {
            isFull = true
            return
        }
        guard isRequested else {
            found[id] = Found(device: announcement.expected(id, under: own))
            return
        }
        var components = announcement.components
        if !id.isGateway { components = components.filter { !Device.keysOfEachItem.contains($0.key) } }
        found[id] = Found(components: components)
    }

    private mutating func handleClearing(of id: DeviceID, isRequested: Bool, at now: Instant) {
        found[id] = nil
        let (wasForeign, wasOthers) = (foreign.isGone(id), others.remove(id) != nil)
        if !wasOthers, clearings.takeEcho(of: id, at: now) { return }
        published[id]?.isStale = true
        if isRequested, wasOthers || wasForeign || published[id] != nil { correct(id, at: now) }
    }

    /// Schedules a device that another client cleared for a new announcement.
    private mutating func correct(_ id: DeviceID, at now: Instant) {
        guard againAt[id] == nil else { return }
        againAt[id] = (corrections[id]?.nextAllowed(at: now) ?? now) + Clearings.removal
    }

    /// Whether one more correction of a device is allowed; if so, it is counted.
    private mutating func mayCorrect(_ id: DeviceID, at now: Instant) -> Bool {
        corrections[id, default: Corrections(at: now)].use(at: now)
    }

    /// Forgets a device that another aggregator announces from now on: it is neither announced nor cleared.
    package mutating func disown(_ id: DeviceID) {
        (published[id], found[id], againAt[id], cleared[id]) = (nil, nil, nil, nil)
        waiting.remove(id)
    }

    /// Releases a device: another writer's payload is cleared with the next announcement.
    package mutating func release(_ id: DeviceID) {
        if others.remove(id) != nil { found[id] = Found() }
        mark(id)
    }

    // MARK: Publication

    /// Whether there is something to announce or to clear.
    package func isDue(at now: Instant) -> Bool {
        isWaiting || againAt.contains { $0.value <= now && !foreign.stands($0.key) }
            || isOn && foreign.standing.contains { (corrections[$0]?.nextAllowed(at: now) ?? now) <= now }
    }

    /// Publishes what is due, at most `most` of the devices that wait. Call it about once a second.
    ///
    /// - Parameter device: makes a device; `nil`: there is none with this id any more, and it is taken back.
    package mutating func announce(most: Int, at now: Instant, _ device: (DeviceID) -> Device?) -> Portion {
        var portion = Portion(messages: clearForeign(at: now))
        let again = againAt.filter { $0.value <= now && !foreign.stands($0.key) }.keys
        for id in again.sorted(by: { $0.text < $1.text }) { mark(id) }
        var left = most
        while left > 0, head < queue.count {
            let id = queue[head]
            head += 1
            guard waiting.remove(id) != nil else { continue }
            let former = portion.messages.count
            announce(id, device(id), to: &portion, at: now)
            if portion.messages.count > former { left -= 1 }
        }
        portion.devices = most - left
        if head == queue.count { (queue, head) = ([], 0) }
        corrections = corrections.filter { !$0.value.isFresh(at: now) }
        return portion
    }

    /// Publishes one device before its turn.
    package mutating func announce(_ id: DeviceID, as device: Device?, at now: Instant) -> Portion {
        var portion = Portion(devices: 1)
        waiting.remove(id)
        announce(id, device, to: &portion, at: now)
        return portion
    }

    private mutating func announce(
        _ id: DeviceID, _ device: Device?, to portion: inout Portion, at now: Instant
    ) {
        defer { found[id] = nil }
        guard let device, !others.contains(id), !foreign.stands(id) else {
            let isThere = published[id] != nil || found[id] != nil
            if device == nil { againAt[id] = nil }
            portion.messages += isThere ? clearing(id, at: now) : showing(id, at: now)
            return
        }
        cleared[id] = nil
        if let at = againAt[id], at > now { return }
        if let end = clearings.removal(of: id, at: now) {
            againAt[id] = end
            return
        }
        if againAt.removeValue(forKey: id) != nil, !mayCorrect(id, at: now) { return correct(id, at: now) }
        publish(device, to: &portion)
    }

    private mutating func publish(_ device: Device, to portion: inout Portion) {
        let payload = writer.payload(of: device)
        let (former, hash) = (published[device.id], payload.hashValue)
        guard former?.hash != hash || former?.isStale == true else { return }
        var gone: [String: String] = [:]
        if let components = former.map(\.device.components) ?? found[device.id]?.components, !components.isEmpty {
            let present = device.components
            gone = components.filter { present[$0.key] == nil }
        }
        if !gone.isEmpty {
            portion.messages.append(message(device.id, writer.payload(of: device, without: gone)))
        }
        portion.messages.append(message(device.id, payload))
        if former.map({ $0.isStale || !$0.device.hasSameHead(as: device) }) ?? true {
            portion.hasNews = true
            if case .item(let item) = device.id { portion.newItems.append(item) }
        }
        published[device.id] = PublishedState(hash: hash, device: device)
    }

    private mutating func clearing(_ id: DeviceID, at now: Instant) -> [ForeignMessage] {
        let device = published.removeValue(forKey: id)?.device ?? found[id]?.device
        guard !others.contains(id), !foreign.stands(id) else { return [] }
        if let device {
            if cleared.count < Self.mostFound { cleared[id] = Cleared(device: device, at: now) } else { isFull = true }
        }
        return clearing(id, as: device, at: now)
    }

    private mutating func clearing(_ id: DeviceID, as device: Device?, at now: Instant) -> [ForeignMessage] {
        var messages: [ForeignMessage] = []
        if let device, device.hasDisabled {
            messages.append(message(id, writer.payload(of: device, isLeaving: true)))
        }
        messages.append(message(id, []))
        clearings.note(id, at: now)
        return messages
    }

    /// Announces a device that was cleared once more to a Home Assistant that may know it, and clears it again a while later.
    private mutating func showing(_ id: DeviceID, at now: Instant) -> [ForeignMessage] {
        guard let former = cleared[id], former.isDue, !others.contains(id), !foreign.stands(id) else { return [] }
        guard let announcedAt = former.announcedAt else {
            cleared[id]?.announcedAt = now
            againAt[id] = now + Self.showing
            var device = former.device
            // Its parent may have left as well.
            device.hasParent = false
            return [message(id, writer.payload(of: device))]
        }
        guard now >= announcedAt + Self.showing else {
            againAt[id] = announcedAt + Self.showing
            return []
        }
        cleared[id] = nil
        return clearing(id, as: former.device, at: now)
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
            clearings.note(id, at: now)
            againAt[id] = now + Clearings.removal
        }
        return messages
    }

    private func message(_ id: DeviceID, _ payload: [UInt8]) -> ForeignMessage {
        ForeignMessage(topic: HomeAssistantTopic.device(id).name(under: prefix), payload: payload, isRetained: true)
    }
}

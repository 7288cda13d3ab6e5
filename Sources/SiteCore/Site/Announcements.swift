import Beacons
import Delivery
import HomeAssistant
import Messages
import Settings
import Text

/// Decides which devices are published for Home Assistant's discovery, when, and how long events wait behind new devices.
///
/// Only what changed is announced, a few each second: a change costs the same however many items and gateways there are. The device of
/// an item has a distance entity for each gateway that has received the item; so a new gateway changes no item before it receives one.
struct Announcements: Sendable {
    /// Everything is announced again no more often than this, however often Home Assistant starts.
    static let shortestBirthPeriod = Interval.seconds(10)
    /// Devices that are announced or cleared each second. Home Assistant takes in 8 to 35 a second; if more come for long, it does not read
    /// what the broker sends, and loses its connection. It does not acknowledge them, so they are counted.
    static let mostEachSecond = 5
    /// So many at once, if none were announced for a while.
    static let mostAtOnce = 40
    /// The broker takes so long to notice that Home Assistant has lost its connection: what was published meanwhile may be lost.
    static let loss = Interval.seconds(120)
    /// A further gateway that receives an item is announced after so long, together with others that do so meanwhile.
    static let gathering = Interval.seconds(10)

    let isOn: Bool
    let prefix: TopicPrefix
    private let own: TopicPrefix
    /// The name of this aggregator; `nil`: it has none, and announces the gateways and itself as well.
    private let name: String?
    /// The address of the page, to which Home Assistant links.
    private let page: String?
    private var announcer: Announcer
    /// Not before: what the broker holds is still coming in.
    private var beginsAt: Instant?
    private var isBeginning = false
    private var bornAt: Instant?
    /// Whether Home Assistant has started: the present states are published after the discovery.
    private var isBirth = false
    /// Since when Home Assistant is not known to be connected; `nil`: it is.
    private var missingSince: Instant? = .zero
    /// How many devices may be announced, and as of when.
    private var budget = (devices: Double(mostAtOnce), at: Instant.zero)
    /// Whether the site has no more items and people than Home Assistant's zone can count.
    private var countsInZone = true
    /// What Home Assistant has just got.
    var takingIn = TakingIn()
    /// The gateways that have received each item, in the order of their ids, at most as many as a device has distances.
    private var sources: [String: [String]] = [:]
    /// Items with a new source, each with the time to announce it, in the order of these times.
    private var gathered: [(item: String, at: Instant)] = []
    private var isGathered: Set<String> = []
    /// What the tags of items report about their batteries.
    private var batteries: [String: Device.Battery] = [:]
    /// Gateways that were left out of a device because they were not known.
    private var leftOut: Set<String> = []

    /// - Parameters:
    ///   - own: the prefix of our own topics.
    ///   - name: the name of this aggregator, if it has one.
    ///   - page: the address of the page, if the configuration has it.
    ///   - texts: the language of the names of entities.
    init(
        _ settings: HomeAssistantSettings, own: TopicPrefix, by name: String? = nil, page: String? = nil,
        in texts: Texts = .english
    ) {
        (self.name, self.page) = (name, page)
        isOn = settings.discovery
        prefix = settings.topicPrefix
        self.own = own
        announcer = Announcer(.aggregator, version: version, under: prefix, own: own, in: texts, isOn: isOn)
    }

    // MARK: What happens

    enum Change: Hashable, Sendable {
        case changedItem(String)
        case removedItem(String)
        /// A tag reports its battery in another way than before; `nil`: it does not.
        case battery(item: String, Device.Battery?)
        /// An item is another aggregator's: its device is left to that one.
        case disownedItem(String)
        /// A person or a room was added or changed.
        case changed(DeviceID)
        /// A gateway is new, or has another room or version.
        case changedGateway(String)
        /// A gateway is gone for good.
        case removedGateway(String)
        /// A gateway receives an item that it did not receive before, or not for a while.
        case received(item: String, at: String)
    }

    /// Applies what the other parts of the aggregator have noted in `effects.devices`.
    mutating func applyChanges(_ effects: inout SiteEffects) {
        guard !effects.devices.isEmpty else { return }
        for change in effects.devices { apply(change, at: effects.now.instant) }
        effects.devices.removeAll(keepingCapacity: true)
    }

    private mutating func apply(_ change: Change, at now: Instant) {
        switch change {
        case .changed(let id): announcer.mark(id)
        case .changedItem(let item): announcer.mark(.item(item))
        case .battery(let item, let battery):
            guard isOn else { return }
            batteries[item] = battery
            announcer.mark(.item(item))
        case .removedItem(let item):
            (sources[item], batteries[item]) = (nil, nil)
            announcer.mark(.item(item))
        case .disownedItem(let item):
            (sources[item], batteries[item]) = (nil, nil)
            announcer.disown(.item(item))
        case .changedGateway(let gateway):
            guard isOn else { return }
            announcer.mark(.gateway(gateway))
            guard leftOut.remove(gateway) != nil else { return }
            for (item, sources) in sources where sources.contains(gateway) { announcer.mark(.item(item)) }
        case .removedGateway(let gateway):
            announcer.release(.gateway(gateway))
            for (item, sources) in sources where sources.contains(gateway) {
                self.sources[item]?.removeAll { $0 == gateway }
                announcer.mark(.item(item))
            }
        case .received(let item, let gateway):
            guard isOn, add([gateway], to: item), isGathered.insert(item).inserted else { return }
            gathered.append((item, now + Self.gathering))
        }
    }

    mutating func begin(at instant: Instant, isBirth: Bool = false) {
        announcer.begin()
        self.isBirth = isBirth
        (beginsAt, isBeginning) = (instant, true)
    }

    /// Home Assistant has started: everything is announced again, once the retained messages have arrived.
    private mutating func birth(at now: Instant, settled: Instant) {
        let earliest = max(now, settled)
        if isBirth, let beginsAt, beginsAt > earliest { return }
        let begin = max(earliest, bornAt.map { $0 + Self.shortestBirthPeriod } ?? earliest)
        bornAt = begin
        announcer.born(knowing: (missingSince ?? now) - Self.loss)
        missingSince = nil
        self.begin(at: begin, isBirth: true)
    }

    mutating func connectionLost(at now: Instant) {
        announcer.connectionLost()
        missingSince = missingSince ?? now
    }

    /// Adds sources of an item; returns whether one is new.
    private mutating func add(_ gateways: [String], to item: String) -> Bool {
        var list = sources[item, default: []]
        let before = list.count
        for gateway in gateways where list.count < Device.mostGateways && !list.contains(gateway) {
            list.insert(gateway, at: list.firstIndex { $0 > gateway } ?? list.endIndex)
        }
        guard list.count > before else { return false }
        sources[item] = list
        return true
    }

    /// Receives a message on one of Home Assistant's topics.
    ///
    /// - Parameter settled: from when on what the broker retains has arrived.
    mutating func receive(
        _ topic: HomeAssistantTopic, _ payload: [UInt8], isRetained: Bool, settled: Instant, _ site: Site,
        _ effects: inout SiteEffects
    ) {
        switch topic {
        case .status:
            // A retained birth is old.
            guard !isRetained else { return }
            if payload.elementsEqual("offline".utf8) { missingSince = missingSince ?? effects.now.instant }
            guard isOn || announcer.hasCleared, payload.elementsEqual("online".utf8) else { return }
            birth(at: effects.now.instant, settled: settled)
        case .device(let id):
            if site.announces(id) { receive(payload, of: id, isPresent: site.has(id), &effects) }
        }
    }

    /// Receives what stands on the topic of a device of ours, and reports at once if another program wrote it.
    ///
    /// - Parameter isPresent: whether the site has what the device is of.
    private mutating func receive(_ payload: [UInt8], of id: DeviceID, isPresent: Bool, _ effects: inout SiteEffects) {
        applyChanges(&effects)
        let now = effects.now.instant
        let former = announcer.problems(at: now)
        let gateways = announcer.take(payload, of: id, isRequested: isPresent && isOn, at: now)
        // The distances of an earlier run stay: what Home Assistant's user made of them would be lost.
        if case .item(let item) = id, isPresent, isOn { _ = add(gateways, to: item) }
        let problems = announcer.problems(at: now)
        guard problems != former else { return }
        for problem in problems where !former.contains(problem) { effects.warn(problem) }
        effects.infoChanged()
    }

    /// The foreign payloads on our topics, each in a sentence.
    func problems(at now: Instant) -> [String] { announcer.problems(at: now) }

    // MARK: What is published

    /// The site, as far as discovery needs it.
    struct Site {
        let registry: SiteRegistry
        let gateways: Gateways
        let part: SitePart
        let people: SitePeople

        fileprivate var items: [String] { registry.items.keys.filter { item($0) != nil } }

        /// The devices of people and rooms.
        fileprivate var persons: [DeviceID] {
            people.household.ids.map { .person($0) } + people.rooms.keys.sorted().map { .room($0) }
        }

        /// An item that this aggregator announces; `nil` if it does not, or if there is none with this id.
        private func item(_ id: String) -> RegistryItem? {
            guard let item = registry.items[id] else { return nil }
            return part.locates(item.beacon) ? item : nil
        }

        /// Whether this aggregator announces a device, or clears it.
        fileprivate func announces(_ id: DeviceID) -> Bool {
            if case .item(let item) = id { part.publishes(item: item, of: registry) } else { part.writesRegistry }
        }

        fileprivate func has(_ id: DeviceID) -> Bool {
            switch id {
            case .aggregator: true
            case .gateway(let gateway): gateways[gateway] != nil
            case .item(let item): registry.items[item] != nil
            case .person(let person): people.household.ids.contains(person)
            case .room(let room): people.rooms[room] != nil
            }
        }

        /// A device; `nil` if there is none with this id.
        fileprivate func device(
            _ id: DeviceID, receivedBy sources: [String: [String]], batteries: [String: Device.Battery],
            under own: TopicPrefix, by name: String?, isInZone: Bool, leftOut: inout Set<String>
        ) -> Device? {
            let availability = name.map { Topic.namedAvailability(aggregator: $0) } ?? .aggregatorAvailability
            switch id {
            case .aggregator: return .aggregator(version: version, under: own)
            case .gateway(let id):
                // An aggregator with a name leaves the gateways to the one without.
                guard name == nil else { return nil }
                return gateways[id].map {
                    Device(
                        gateway: KnownGateway(
                            id: id, room: gateways.room(of: id), version: $0.info?.version,
                            address: $0.info?.radio.address?.description),
                        hasParent: true, under: own)
                }
            case .person(let id):
                return people.household.ids.contains(id) && name == nil
                    ? people.household.person(named: id).map { Device(person: $0, under: own) } : nil
            case .room(let id): return people.rooms[id].map { Device(room: $0[0], id: id, under: own) }
            case .item(let id):
                guard let item = item(id) else { return nil }
                var known: [String] = []
                for gateway in sources[id] ?? [] {
                    if gateways[gateway] != nil { known.append(gateway) } else { leftOut.insert(gateway) }
                }
                return Device(
                    item: item, receivedBy: known, battery: batteries[id], under: own, availability: availability,
                    isInZone: isInZone)
            }
        }
    }

    /// Announces what has changed, a few devices each second; returns whether all states are to be published, because Home Assistant has started.
    mutating func advance(_ site: Site, _ effects: inout SiteEffects) -> Bool {
        applyChanges(&effects)
        let now = effects.now.instant
        let fitsZone = site.registry.items.count + site.people.household.ids.count <= Device.mostInZone
        if isOn, countsInZone != fitsZone { for item in site.items { announcer.mark(.item(item)) } }
        countsInZone = fitsZone
        guard isDue(at: now) else { return false }
        for message in announce(site, at: now) { effects.add(.publishElsewhere(message)) }
        return endBirth()
    }

    private func isDue(at now: Instant) -> Bool {
        guard let beginsAt, now >= beginsAt else { return false }
        return isBeginning || announcer.isDue(at: now) || gathered.first.map { $0.at <= now } ?? false
    }

    /// The next messages of discovery.
    private mutating func announce(_ site: Site, at now: Instant) -> [ForeignMessage] {
        if isBeginning {
            isBeginning = false
            let items = site.items.sorted().map { DeviceID.item($0) }
            announcer.start(
                !isOn
                    ? []
                    : name != nil
                        ? items : [.aggregator] + site.gateways.ids.sorted().map { .gateway($0) } + items + site.persons
            )
        }
        let due = gathered.firstIndex { $0.at > now } ?? gathered.endIndex
        for (item, _) in gathered[..<due] where isGathered.remove(item) != nil { announcer.mark(.item(item)) }
        gathered.removeFirst(due)
        var left: Set<String> = []
        let (own, name, page, sources, batteries) = (own, name, page, isOn ? sources : nil, batteries)
        let countsInZone = countsInZone
        let portion = announcer.announce(most: allowance(at: now), at: now) { id in
            var device = sources.flatMap {
                site.device(
                    id, receivedBy: $0, batteries: batteries, under: own, by: name, isInZone: countsInZone,
                    leftOut: &left)
            }
            if case .gateway = id {} else { device?.configurationURL = page }
            return device
        }
        leftOut.formUnion(left)
        return publish(portion, at: now)
    }

    /// How many devices may be announced now.
    private mutating func allowance(at now: Instant) -> Int {
        let earned = max(0, (now - budget.at).seconds) * Double(Self.mostEachSecond)
        budget = (min(budget.devices + earned, Double(Self.mostAtOnce)), now)
        return Int(budget.devices)
    }

    /// Takes a device back, at once and before the topics of what it is of are cleared unless too many are announced.
    mutating func withdraw(_ id: DeviceID, _ effects: inout SiteEffects) {
        if case .item(let item) = id {
            effects.devices.append(.removedItem(item))
        } else {
            effects.devices.append(.changed(id))
        }
        applyChanges(&effects)
        let now = effects.now.instant
        guard let beginsAt, now >= beginsAt, !isBeginning, allowance(at: now) > 0 else { return }
        for message in publish(announcer.announce(id, as: nil, at: now), at: now) {
            effects.add(.publishElsewhere(message))
        }
    }

    private mutating func publish(_ portion: Announcer.Portion, at now: Instant) -> [ForeignMessage] {
        budget.devices -= Double(portion.devices)
        takingIn.add(portion, at: now)
        return portion.messages
    }

    /// Whether the present is to be published, as everything was announced to a Home Assistant that was born; once.
    private mutating func endBirth() -> Bool {
        guard isBirth, !isBeginning, !announcer.isWaiting else { return false }
        isBirth = false
        return true
    }
}

import Beacons
import GatewayCore
import Glibc
import Messages
import Settings
import Simulation
import SimulationTestSupport
import SiteCore

/// Three people and their tags in a flat of three rooms, with the product's own pipelines: three gateways and the aggregator, in virtual time.
///
/// People are at home with their phones, leave alone, together or one after the other, and come back. Three in ten times somebody leaves a tag
/// behind, and one in twelve times the phone. What is true is known, so each message can be judged.
struct SimulatedFamily {
    /// What makes it hard.
    enum Scene: String, CaseIterable, Sendable {
        case ordinary = "ordinary"
        case slowTags = "tags sent every 10 s"
        case deadGateway = "door gateway dead"
        case sleepingPhones = "phones that sleep"
        case bin = "bin taken out"
    }

    /// A tag that stayed behind its last owner.
    struct Forgotten: Sendable {
        let leftAt: Double
        /// Whether the owner took keys and phone along.
        let isAllAlong: Bool
        /// The seconds from the departure to the message; `nil`: there was none.
        var delay: Double?
    }

    /// What became of the messages.
    struct Outcome: Sendable {
        /// How often somebody departed.
        var departures = 0.0
        var forgotten: [Forgotten] = []
        /// Messages that were not true, by kind.
        var falseAlarms: [String: Double] = [:]
    }

    private struct Tag {
        let name: String
        let interval: Double
        let room: (x: Double, y: Double)
        /// The person who has it along or at hand; `nil`: it is in its place.
        var carrier: Int?
        var isSleeping = false
        var nextSending: Double
    }

    private struct Person {
        /// When the door closed behind the person; `nil`: at home.
        var leftAt: Double?
        /// When the person comes back through the door.
        var returnsAt = Double.infinity
        var spot = (x: 5.0, y: 4.0)
        var isTakingBinOut = false
        /// Until when the person stands at the door without leaving; `nil`: elsewhere.
        var standsUntil: Double?
    }

    private static let names = ["anna", "ben", "cleo"]
    private static let gateways: [(id: String, room: String, x: Double, y: Double)] = [
        ("hall", "Hall", 5, 1), ("living", "Living room", 2, 6), ("bedroom", "Bedroom", 8, 6),
    ]
    /// The owners of the items that stay about: violin, laptop, bag.
    private static let owners = [[0], [1], [1, 2]]
    private static let uuid = BeaconUUID("666f7267-6574-4d65-8e6f-740000000001")!
    private static let start = WallTime("2026-11-23T06:00:00Z")!

    private let scene: Scene
    private var random: Xoshiro256
    private var now = 0.0
    private var people = [Person(), Person(), Person()]
    /// Keys and phone of each person, then what stays about.
    private var tags: [Tag]
    private var posts: [GatewayPipeline]
    private var site: SitePipeline
    private var isDoorDead = false
    private var shadows: [Int: Double] = [:]
    /// What stayed behind its last owner and of which nobody was notified yet.
    private var truth: [Int: Forgotten] = [:]
    /// The outcome of the family's trips. Those with a dead gateway count apart.
    private(set) var outcomes: [String: Outcome] = [:]
    private let isTraced: Bool
    /// Whether people also stand at the door for other reasons, and take longer to leave; what is asked of them then.
    private(set) var door: DoorWatch?
    private var doorRandom: Xoshiro256
    /// How often somebody stood at the door without leaving.
    private(set) var visits = 0

    private var row: String {
        scene == .deadGateway && !isDoorDead ? "door gateway back" : scene.rawValue
    }

    /// - Parameters:
    ///   - seed: Of five seeds in a row, each makes another scene.
    ///   - hasDoor: Whether people also stand at the door for other reasons, and take longer to leave.
    ///   - isTraced: Whether everything that happens is printed.
    init(trips: Int, seed: UInt64, hasDoor: Bool = false, isTraced: Bool = false) {
        (scene, self.isTraced) = (Scene.allCases[Int(seed % UInt64(Scene.allCases.count))], isTraced)
        door = hasDoor ? DoorWatch() : nil
        doorRandom = Xoshiro256(seed: seed &+ 1 << 40)
        var random = Xoshiro256(seed: seed)
        let slow = scene == .slowTags
        tags = (0..<9).map { index in
            let isPhone = index % 2 == 1 && index < 6
            let interval = isPhone ? 0.5 : slow && index != 0 ? 10 : [1, 2].randomElement(using: &random)!
            // In half of the homes in which somebody watches the door, keys lie in another room.
            let places = [hasDoor && seed / 5 % 2 == 1 ? (2.0, 6.5) : (5.0, 1.5), (8.0, 6.5), (2.0, 5.0)]
            return Tag(
                name: index < 6 ? "\(Self.names[index / 2])-\(isPhone ? "phone" : "keys")" : "tag-\(index - 6)",
                interval: interval, room: index < 6 ? places[isPhone ? 1 : 0] : places[index - 6],
                nextSending: random.uniform() * interval)
        }
        let items = tags.enumerated().map { index, tag in
            "[[item]]\nname = \"\(tag.name)\"\nuuid = \"\(Self.uuid)\"\nmajor = 1\nminor = \(index)\n"
                + (index < 6
                    ? ""
                    : "owners = [\(Self.owners[index - 6].map { "\"\(Self.names[$0])\"" }.joined(separator: ", "))]\n"
                        + "needed = \"always\"\n")
        }
        let persons = Self.names.map {
            "[[person]]\nname = \"\($0)\"\ncarries = [\"\($0)-keys\", \"\($0)-phone\"]\n"
        }
        let text = (items + persons).joined()
        let reading = readSettings(Array(text.utf8), file: "site") { AggregatorConfiguration($0) }
        site = SitePipeline(reading.configuration!, boot: Boot("1.aggr")!, stored: nil, at: Self.moment(0))
        posts = Self.gateways.map { gateway in
            let text = "id = \"\(gateway.id)\"\nroom = \"\(gateway.room)\"\n"
            let reading = readSettings(Array(text.utf8), file: "gateway") { GatewayConfiguration($0, hostName: "host") }
            return GatewayPipeline(reading.configuration!, boot: Boot("1.gate")!, at: Self.moment(0))
        }
        self.random = random
        begin()
        run(trips: trips)
    }

    private func trace(_ text: @autoclosure () -> String) {
        if isTraced { print("\(Int(now)) \(text())") }
    }

    private static func moment(_ seconds: Double) -> Moment {
        Moment(instant: .zero + .seconds(1000 + seconds), wall: start + .seconds(seconds), isSynchronised: true)
    }

    private mutating func begin() {
        site.connected(at: Self.moment(0))
        for index in posts.indices {
            posts[index].handle(.state(.poweredOn, reason: "test"), at: Self.moment(0))
            posts[index].connected(at: Self.moment(0))
        }
        // The registry is published once it is known that the broker holds none.
        site.advance(to: Self.moment(4))
        now = 4
        collect()
    }

    // MARK: What people do

    private mutating func run(trips: Int) {
        for person in people.indices { tags[2 * person + 1].carrier = person }
        // By then the gateways know the tags' silences, as those of a family do that has had its tags for more than a morning.
        advance(by: 3 * 3600)
        for trip in 0..<trips {
            if scene == .deadGateway { setDoor(isDead: trip % 2 == 1) }
            if scene == .bin, trip % 4 == 1 { takeBinOut() }
            leaveAndReturn()
            settle()
            advance(by: random.uniform(in: 480...1200))
        }
    }

    /// What was forgotten is found by now, or not at all.
    private mutating func settle() {
        for case let (_, forgotten) in truth { outcomes[row, default: Outcome()].forgotten.append(forgotten) }
        truth = [:]
    }

    private mutating func leaveAndReturn() {
        var leaving = [0, 1, 2].shuffled(using: &random)
        leaving.removeLast(random.chance(0.4) ? 0 : random.chance(0.5) ? 1 : 2)
        let isTogether = random.chance(0.5)
        for (index, person) in leaving.enumerated() {
            if index > 0 { advance(by: isTogether ? random.uniform(in: 1...6) : random.uniform(in: 40...240)) }
            let others = people.indices.filter { $0 != person && people[$0].leftAt == nil }
            tags[2 * person].carrier = person
            let isPhoneAlong = random.chance(0.92)
            if !isPhoneAlong { tags[2 * person + 1].carrier = nil }
            var (forgets, fetched): ([Int], [Int]) = ([], [])
            for tag in 6..<9 where isLeftBy(person, others, Self.owners[tag - 6]) && tags[tag].carrier == nil {
                if random.chance(0.3) {
                    forgets.append(tag)
                } else if door != nil, doorRandom.chance(0.3) {
                    fetched.append(tag)
                } else {
                    tags[tag].carrier = person
                }
            }
            if door != nil { dress(person, andFetch: fetched) }
            depart(person)
            door?.departed(person, without: forgets, at: now)
            for tag in forgets {
                truth[tag] = Forgotten(leftAt: now, isAllAlong: isPhoneAlong)
                trace("forgotten: \(tags[tag].name)")
            }
        }
        advance(by: random.uniform(in: 900...2400))
        for person in leaving.shuffled(using: &random) {
            comeBack(person)
            advance(by: random.chance(0.5) ? 3 : random.uniform(in: 60...300))
        }
    }

    /// Whether a person who leaves is the last owner at home.
    private func isLeftBy(_ person: Int, _ others: [Int], _ owners: [Int]) -> Bool {
        owners.contains(person) && !owners.contains(where: others.contains)
    }

    /// With the keys and without the phone, for two or three minutes, to the street.
    private mutating func takeBinOut() {
        let person = Int(random.next() % 3)
        (tags[2 * person].carrier, tags[2 * person + 1].carrier) = (person, nil)
        people[person].isTakingBinOut = true
        depart(person)
        advance(by: random.uniform(in: 90...180))
        comeBack(person)
        people[person].isTakingBinOut = false
        advance(by: random.uniform(in: 480...1200))
    }

    /// Stands at the door with shoes and coat, and fetches something meanwhile.
    private mutating func dress(_ person: Int, andFetch fetched: [Int]) {
        (people[person].spot, people[person].standsUntil) = ((5, 1), .infinity)
        advance(by: doorRandom.uniform(in: 1...25))
        for tag in fetched { tags[tag].carrier = person }
        advance(by: doorRandom.uniform(in: 1...25))
        people[person].standsUntil = nil
    }

    /// Twice an hour each person stands at the door for another reason, for up to a minute and a half: shoes, the post, a neighbour.
    private mutating func visitDoor() {
        for person in people.indices where people[person].leftAt == nil {
            if let end = people[person].standsUntil {
                guard end <= now else { continue }
                people[person].standsUntil = nil
                people[person].spot = (doorRandom.uniform(in: 1...9), doorRandom.uniform(in: 3...7.5))
            } else if doorRandom.chance(1.0 / 1800) {
                (people[person].spot, people[person].standsUntil) = ((5, 1), now + doorRandom.uniform(in: 5...90))
                visits += 1
            }
        }
    }

    private mutating func depart(_ person: Int) {
        if !people[person].isTakingBinOut { outcomes[row, default: Outcome()].departures += 1 }
        people[person].spot = (5, 1)
        advance(by: 8)
        people[person].leftAt = now
        trace(
            "leaves: \(Self.names[person]) with \(tags.filter { $0.carrier == person }.map(\.name).joined(separator: ", "))"
        )
    }

    private mutating func comeBack(_ person: Int) {
        people[person].returnsAt = now + 20
        advance(by: 21)
        (people[person].leftAt, people[person].returnsAt) = (nil, .infinity)
        trace("is back: \(Self.names[person])")
        for tag in tags.indices where tags[tag].carrier == person { tags[tag].carrier = nil }
        tags[2 * person + 1].carrier = person
        for tag in 6..<9 where Self.owners[tag - 6].contains(person) {
            if let forgotten = truth.removeValue(forKey: tag) {
                outcomes[row, default: Outcome()].forgotten.append(forgotten)
            }
        }
    }

    private mutating func setDoor(isDead: Bool) {
        guard isDead != isDoorDead else { return }
        isDoorDead = isDead
        if isDead {
            for tag in tags.indices { door?.tags[tag].rssi = -127 }
            site.receive(
                topic: Topic.gatewayAvailability(gateway: "hall").name(under: .standard),
                payload: Availability.offline.bytes, isRetained: false, at: Self.moment(now))
        } else {
            let text = "id = \"hall\"\nroom = \"Hall\"\n"
            let reading = readSettings(Array(text.utf8), file: "gateway") { GatewayConfiguration($0, hostName: "host") }
            posts[0] = GatewayPipeline(
                reading.configuration!, boot: Boot("\(Int(now) + 2).gate")!, at: Self.moment(now))
            posts[0].handle(.state(.poweredOn, reason: "test"), at: Self.moment(now))
            posts[0].connected(at: Self.moment(now))
            for message in retained { deliver(message, to: 0, isRetained: true) }
        }
    }

    // MARK: Time

    /// The registry, for a gateway that starts again.
    private var retained: [Message] = []

    private mutating func advance(by seconds: Double) {
        let end = now + seconds
        while now < end {
            now += 1
            if door != nil { visitDoor() }
            for person in people.indices
            where people[person].leftAt == nil && random.chance(1.0 / 300) && people[person].standsUntil == nil {
                people[person].spot = (random.uniform(in: 1...9), random.uniform(in: 2...7.5))
            }
            if scene == .sleepingPhones {
                for phone in [1, 3, 5] where random.chance(tags[phone].isSleeping ? 1.0 / 900 : 1.0 / 2700) {
                    tags[phone].isSleeping.toggle()
                }
            }
            send()
            for index in posts.indices where index > 0 || !isDoorDead {
                posts[index].advance(to: Self.moment(now))
                report(from: index)
            }
            site.advance(to: Self.moment(now))
            collect()
            door?.advance(to: now, home: people.map { $0.leftAt == nil }, owners: Self.owners)
        }
    }

    /// Everything that is sent in this second, and what each gateway receives of it.
    private mutating func send() {
        for index in tags.indices {
            let position = position(of: tags[index])
            while tags[index].nextSending < now {
                let at = tags[index].nextSending
                tags[index].nextSending += tags[index].interval + random.uniform() * 0.01
                guard !tags[index].isSleeping, let position else { continue }
                for gateway in posts.indices where gateway > 0 || !isDoorDead {
                    let level = level(at: position, of: tags[index], at: gateway)
                    let odds = 0.95 * RadioModel.decodingProbability(level: level, sensitivity: -94, softness: 2)
                    guard random.chance(odds), let rssi = RSSI(dBm: Int8(max(-127, min(-1, level.rounded())))) else {
                        continue
                    }
                    let data = Self.advertisement(of: index)
                    posts[gateway].receive(
                        Advertisement(
                            address: DeviceAddress(bits: 0xC000_0000_0000 + UInt64(index), kind: .random), rssi: rssi,
                            at: Self.moment(at).instant), data.span.bytes)
                }
            }
        }
    }

    /// Where a tag is; `nil`: out of reach.
    private func position(of tag: Tag) -> (x: Double, y: Double)? {
        guard let carrier = tag.carrier else { return tag.room }
        let person = people[carrier]
        guard let left = person.leftAt else { return person.spot }
        // Along the street at 1.3 m/s, and back in time for the door. The bin is 15 m away.
        let way = min(now - left, max(0, person.returnsAt - now)) * 1.3
        let distance = person.isTakingBinOut ? min(way, 15) : way
        let isBack = person.returnsAt - now < 20
        return !isBack && distance > 80 && !person.isTakingBinOut ? nil : (5, -distance)
    }

    private mutating func level(at position: (x: Double, y: Double), of tag: Tag, at gateway: Int) -> Double {
        let post = Self.gateways[gateway]
        let distance = max(0.5, hypot(position.x - post.x, position.y - post.y))
        let isOutside = position.y < 0
        let isOtherRoom = (position.y < 3) != (post.y < 3) || (position.x < 5) != (post.x < 5)
        let place = Int((position.x / 2).rounded()) * 1000 + Int((position.y / 2).rounded()) * 10 + gateway
        let shadow = shadows[place] ?? 4 * random.gaussian()
        shadows[place] = shadow
        return -60 - 25 * log10(distance) - (isOutside ? 8 : 0) - (isOtherRoom ? 5 : 0) - (tag.carrier == nil ? 0 : 6)
            + shadow + 4 * random.gaussian()
    }

    private static func advertisement(of index: Int) -> [UInt8] {
        var data: [UInt8] = [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]
        for half in [uuid.high, uuid.low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                data.append(UInt8(truncatingIfNeeded: half >> shift))
            }
        }
        return data + [0, 1, 0, UInt8(index), UInt8(bitPattern: -60)]
    }

    // MARK: Messages

    /// What a gateway reports reaches the aggregator at once, events first.
    private mutating func report(from index: Int) {
        for entry in posts[index].events.withdraw() {
            trace("\(Self.gateways[index].id) \(String(decoding: entry.payload, as: UTF8.self))")
            site.receive(topic: entry.topic, payload: entry.payload, isRetained: false, at: Self.moment(now))
        }
        for output in posts[index].drainOutputs() {
            switch output {
            case .publish(let message):
                if index == 0 { noteAtDoor(message) }
                site.receive(
                    topic: message.topic.name(under: .standard), payload: message.payload, isRetained: false,
                    at: Self.moment(now))
            case .perform(.proveRadio): posts[index].handle(.proven, at: Self.moment(now))
            default: break
            }
        }
    }

    /// What the gateway of the door publishes of a tag.
    private mutating func noteAtDoor(_ message: Message) {
        guard door != nil, case .proximity(let beacon, _) = message.topic,
            let state = try? RangedState(parsing: message.payload)
        else { return }
        door?.tags[Int(beacon.minor)].rssi = state.rssi ?? -127
    }

    private mutating func deliver(_ message: Message, to index: Int, isRetained: Bool) {
        posts[index].receive(
            topic: message.topic.name(under: .standard), payload: message.payload, isRetained: isRetained,
            at: Self.moment(now))
    }

    /// What the aggregator publishes reaches the gateways at once; notifications are judged.
    private mutating func collect() {
        for entry in site.events.withdraw() { trace(String(decoding: entry.payload, as: UTF8.self)) }
        for case .publish(let message) in site.drainOutputs() {
            switch message.topic {
            case .registryItem, .registryManifest, .registryRegion, .registryPart:
                retained.append(message)
                for index in posts.indices { deliver(message, to: index, isRetained: false) }
            case .gatewayRequest(let gateway, _):
                guard let index = Self.gateways.firstIndex(where: { $0.id == gateway }) else { continue }
                deliver(message, to: index, isRetained: false)
                report(from: index)
            case .itemLocation(let item):
                guard door != nil, let tag = tags.firstIndex(where: { $0.name == item }) else { continue }
                door?.located(tag, in: (try? ItemLocation(parsing: message.payload))?.room)
            case .personEvent, .personLocation: trace(String(decoding: message.payload, as: UTF8.self))
            case .itemNotificationEvent:
                if let event = try? NotificationEvent(parsing: message.payload) { judge(event.notification) }
            default: break
            }
        }
    }

    private mutating func judge(_ notification: Messages.Notification) {
        guard notification.count == 1, let tag = tags.firstIndex(where: { $0.name == notification.item }), tag > 5
        else { return }
        if notification.kind == .forgotten, var forgotten = truth.removeValue(forKey: tag) {
            forgotten.delay = now - forgotten.leftAt
            trace("found: \(notification.item) after \(Int(forgotten.delay!)) s")
            outcomes[row, default: Outcome()].forgotten.append(forgotten)
        } else if notification.kind != .returned {
            trace("false alarm: \(notification.item) \(notification.kind)")
            outcomes[row, default: Outcome()].falseAlarms[notification.kind.rawValue, default: 0] += 1
        }
    }
}

import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// Several aggregators that divide the items of one site, with real programs and a real mosquitto.
@Suite("Shares", .enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct SharesTests {
    /// Three gateways that the test publishes, which keep their events and respond to requests for them.
    private final class Gateways {
        static let rooms = ["kitchen": "Kitchen", "hall": "Hall", "bath": "Bath"]
        let observer: Observer
        private let begin = Clock.now
        private var events: [String: [BeaconEvent]] = [:]
        private var looked = 0

        init(_ observer: Observer) throws {
            self.observer = observer
            for id in Self.rooms.keys.sorted() {
                try observer.publish([("forgetmenot/gateways/\(id)/availability", "online", true)])
            }
            try beAlive()
        }

        private var stamp: Stamp {
            Stamp(at: Clock.wall, boot: Boot("1.test")!, uptime: .zero + .seconds(500) + (Clock.now - begin))
        }

        private func publish(_ topic: Topic, _ payload: [UInt8]) throws {
            try observer.publish(topic.name(under: .standard), payload, retain: topic.isRetained)
        }

        /// Publishes the heartbeats, which an aggregator that was started needs.
        func beAlive() throws {
            for (id, room) in Self.rooms {
                let info = GatewayInfo(
                    gateway: id, room: room, version: "1", stamp: stamp, validFor: 3600,
                    radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
                try publish(.gatewayInfo(gateway: id), info.bytes)
            }
        }

        /// Beacons enter and are ranged, or exit.
        func publish(_ transition: Transition, _ beacons: [BeaconIdentity], at gateway: String) throws {
            for beacon in beacons {
                let event = BeaconEvent(
                    transition, seq: UInt64(events[gateway, default: []].count) + 1, stamp: stamp, gateway: gateway,
                    room: Self.rooms[gateway], beacon: beacon, regions: [])
                events[gateway, default: []].append(event)
                try observer.publish([
                    (
                        Topic.beaconEvent(beacon, gateway: gateway).name(under: .standard),
                        String(decoding: event.bytes, as: UTF8.self), false
                    )
                ])
                if transition == .exit { try publish(.proximity(beacon, gateway: gateway), []) }
            }
            if transition == .enter { try range(beacons, at: gateway) }
        }

        func range(_ beacons: [BeaconIdentity], at gateway: String) throws {
            for beacon in beacons {
                let state = RangedState(
                    gateway: gateway, proximity: .near, accuracy: 1.5, rssi: -60, sightings: 9, addresses: 1,
                    stamp: stamp, validFor: 3600)
                try publish(.proximity(beacon, gateway: gateway), state.bytes)
            }
        }

        /// Waits until something is so, and responds to the aggregators' requests for events meanwhile.
        func wait(for what: String, _ isSo: () -> Bool) throws {
            try observer.wait(for: what) {
                while looked < observer.seen.count {
                    let message = observer.seen[looked]
                    looked += 1
                    guard case .gatewayRequest(let id, "events") = Topic(named: message.topic, under: .standard) else {
                        continue
                    }
                    let request = Request(parsing: message.payload)
                    guard let asked = try? request.body(EventsRequest.self) else { continue }
                    let requested = (events[id] ?? []).filter { (asked.seqs.from...asked.seqs.to).contains($0.seq) }
                    let clock = EventsResponse.Uptime(boot: stamp.boot, uptime: stamp.uptime)
                    let response = EventsResponse(events: requested.map { .beacon($0) }, now: clock)
                    try? publish(
                        .gatewayResponse(gateway: id, what: "events"),
                        Response(.done(response), transaction: request.transaction).bytes)
                }
                return isSo()
            }
        }
    }

    private static let uuid = Site.ghost.uuid
    private static let items: [(name: String, beacon: BeaconIdentity)] = (1...3).flatMap { major in
        (1...4).map { ("Thing \(major)-\($0)", BeaconIdentity(uuid: uuid, major: UInt16(major), minor: UInt16($0))) }
    }
    private static func id(_ item: (name: String, beacon: BeaconIdentity)) -> String {
        "thing-\(item.beacon.major)-\(item.beacon.minor)"
    }
    private static func share(_ major: Int) -> String { "[[subscribe]]\nuuid = \"\(uuid)\"\nmajor = \(major)\n" }

    /// Writes the configuration of an aggregator.
    private func file(_ site: Site, _ name: String, named: Bool = true, _ tables: String) throws -> String {
        let mqtt = "[mqtt]\nhost = \"localhost\"\nport = \(site.broker.port)\n"
        let head = named ? "name = \"\(name)\"\n" : ""
        return try site.folder.write(
            "\(head)state_directory = \"\(name)-state\"\n" + mqtt + Site.noPage + tables, to: "\(name).toml")
    }

    /// Starts an aggregator that logs every message to a file.
    private func start(_ site: Site, _ file: String, log: String) throws -> Child {
        let path = site.folder.path(log)
        return try Child(
            [Program.aggregator.path, "run", "--verbose", "--config", file], output: "/dev/null", errors: path)
    }

    /// The majors of the beacons of the ranged states in a log, each as often as received, from a number of bytes on.
    private func majors(_ site: Site, _ log: String, from: Int = 0) throws -> [UInt16: Int] {
        let text = String(decoding: try readFile(at: site.folder.path(log), limit: 1 << 26)[from...], as: UTF8.self)
        var counts: [UInt16: Int] = [:]
        for line in text.split(separator: "\n") where line.contains("received ") && line.contains("/proximity ") {
            guard let range = line.firstRange(of: "beacons/\(Self.uuid)/") else { continue }
            guard let major = UInt16(line[range.upperBound...].prefix { $0 != "/" }) else { continue }
            counts[major, default: 0] += 1
        }
        return counts
    }

    private func info(_ observer: Observer, _ name: String?) -> AggregatorInfo? {
        observer.latest["forgetmenot/" + (name.map { "aggregators/\($0)" } ?? "aggregator") + "/info"]
            .flatMap { try? AggregatorInfo(parsing: Array($0.utf8)) }
    }

    /// The words of the events of each item, in order. An aggregator that is killed before the broker has acknowledged an event publishes the
    /// event again, with the same id.
    private func stories(_ observer: Observer) -> [String: [String]] {
        var stories: [String: [String]] = [:]
        var ids: Set<EventID> = []
        for message in observer.seen {
            guard case .itemEvent(let item) = Topic(named: message.topic, under: .standard),
                let event = try? ItemEvent(parsing: message.payload), ids.insert(event.id).inserted
            else { continue }
            stories[item, default: []].append(event.change.word)
        }
        return stories
    }

    /// The run ids of the aggregators that have published locations of an item.
    private func publishers(_ observer: Observer, of item: String, since: Int) -> Set<Boot> {
        Set(
            observer.seen[since...].filter { $0.topic == "forgetmenot/items/\(item)/location" }
                .compactMap { try? ItemLocation(parsing: $0.payload) }.map(\.stamp.boot))
    }

    @Test func `three aggregators divide a site: each receives its share, and one that is killed loses no event`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        let tables = Self.items.map { "[[item]]\nname = \"\($0.name)\"\n" + $0.beacon.toml }.joined()
        let beacons = Self.items.map(\.beacon), ids = Self.items.map { Self.id($0) }

        // First one aggregator has everything. Its session at the broker outlives its change to a share.
        var main = try start(site, try file(site, "aggregator", named: false, tables), log: "main-1.log")
        let gateways = try Gateways(observer)
        try gateways.wait(for: "all items") { info(observer, nil)?.items == ids.count }
        func isEverywhere(_ word: String) -> Bool {
            ids.allSatisfy { observer.latest["forgetmenot/items/\($0)/location"]?.contains(word) == true }
        }
        try gateways.range(beacons, at: "kitchen")
        try gateways.wait(for: "all in the kitchen") { isEverywhere("\"room\":\"Kitchen\"") }
        let formerBoot = info(observer, nil)?.stamp.boot
        main.signal(SIGTERM)
        #expect(main.waitForEnd() == 0)
        main = try start(site, try file(site, "aggregator", named: false, Self.share(3) + tables), log: "main-2.log")
        let northFile = try file(site, "north", Self.share(1))
        var north = try start(site, northFile, log: "north-1.log")
        let south = try start(site, try file(site, "south", Self.share(2)), log: "south.log")
        try gateways.wait(for: "the shares") {
            info(observer, nil)?.stamp.boot != formerBoot
                && [nil, "north", "south"].allSatisfy { info(observer, $0)?.items == 4 }
        }
        try gateways.beAlive()

        let from = (try? readFile(at: site.folder.path("main-2.log"), limit: 1 << 26).count) ?? 0
        try gateways.publish(.enter, beacons, at: "kitchen")
        try gateways.wait(for: "all in the kitchen again") { isEverywhere("\"room\":\"Kitchen\"") }
        let settled = observer.seen.count
        try gateways.publish(.exit, beacons, at: "kitchen")
        try gateways.wait(for: "all away") {
            isEverywhere("\"presence\":\"away\"") && stories(observer).count == ids.count
        }
        for item in Self.items {
            let holder: String? = [1: "north", 2: "south"][item.beacon.major]
            #expect(
                publishers(observer, of: Self.id(item), since: settled) == [
                    try #require(info(observer, holder)).stamp.boot
                ],
                "\(item.name)")
        }

        // One is killed while items return; the others go on, and it catches up.
        north.signal(SIGKILL)
        _ = north.waitForEnd()
        try gateways.publish(.enter, beacons, at: "hall")
        try gateways.wait(for: "the returns of the others") {
            stories(observer).count { $0.value.contains("returned") } == 8
        }
        try gateways.wait(for: "the will") {
            observer.latest["forgetmenot/aggregators/north/availability"] == "offline"
        }
        let dead = try site.ask("where", "Thing 1-1")
        #expect(dead.status == 69 && dead.errors.contains("north is not running"), "\(dead)")
        let alive = try site.ask("where", "Thing 2-1")
        #expect(alive.status == 0 && alive.errors.isEmpty, "\(alive)")
        north = try start(site, northFile, log: "north-2.log")
        try gateways.wait(for: "north") { observer.latest["forgetmenot/aggregators/north/availability"] == "online" }
        try gateways.beAlive()
        try gateways.wait(for: "all in the hall") {
            isEverywhere("\"room\":\"Hall\"") && stories(observer).allSatisfy { $0.value.count >= 2 }
        }
        let history = try site.ask("history", "Thing 1-1", "--json")
        #expect(history.status == 0 && history.output.contains("\"returned\""), "\(history)")

        // An overlap is reported, and ends.
        let twin = try start(site, try file(site, "twin", Self.share(1)), log: "twin.log")
        try gateways.wait(for: "the overlap") {
            ["north", "twin"].allSatisfy { info(observer, $0)?.problems.contains { $0.contains("overlap") } == true }
        }
        let examined = try site.ask("doctor")
        #expect(examined.output.contains("north locates their items, change one of the two files"), "\(examined)")
        twin.signal(SIGTERM)
        #expect(twin.waitForEnd() == 0)
        try observer.publish([("forgetmenot/aggregators/twin/shares", "", true)])
        try gateways.wait(for: "the end of the overlap") { info(observer, "north")?.problems == [] }

        for program in [main, north, south] {
            program.signal(SIGTERM)
            #expect(program.waitForEnd() == 0)
        }
        for (item, story) in stories(observer) { #expect(story == ["left", "returned"], "\(item)") }
        #expect(try majors(site, "main-1.log").keys.sorted() == [1, 2, 3], "without a share it receives everything")
        for (log, major, offset) in [
            ("main-2.log", 3, from), ("north-1.log", 1, 0), ("north-2.log", 1, 0), ("south.log", 2, 0),
        ] {
            let counts = try majors(site, log, from: offset)
            #expect(Array(counts.keys) == [UInt16(major)], "\(log): \(counts)")
        }
        for message in observer.seen {
            #expect(Contract.breach(topic: message.topic, payload: message.payload) == nil)
        }
    }

    @Test func `an aggregator with a name works behind the lock of broker-setup, and nobody else can write its shares`()
        throws
    {
        let broker = try LockedBroker()
        let folder = broker.folder
        try folder.write("state_directory = \"main\"\n[mqtt]\n" + Site.noPage, to: "aggregator.toml")
        let completed = try broker.setUp([])
        #expect(completed.status == 0, "\(completed)")
        let text = try broker.text("aggregator.toml")
        try folder.write(text + "[[item]]\nname = \"Violin\"\n" + Site.violin.toml, to: "aggregator.toml")
        let northFile = try folder.write(
            "name = \"north\"\n" + text.replacing("\"main\"", with: "\"north\"")
                + "[[subscribe]]\nuuid = \"\(Site.violin.uuid)\"\n", to: "north.toml")
        let main = try Program.aggregator.start("run", "--config", folder.path("aggregator.toml"))
        let north = try Program.aggregator.start("run", "--config", northFile)
        let gatewayFile = try folder.write(
            "id = \"kitchen\"\nroom = \"Kitchen\"\nstate_directory = \"kitchen\"\n"
                + "[mqtt]\nport = \(broker.gatewayPort)\nusername = \"kitchen\"\n"
                + "password_file = \"secrets/kitchen.password\"\n[radio]\nsource = \"simulation\"\n", to: "kitchen.toml"
        )
        let gateway = try Program.gateway.start("run", "--config", gatewayFile)

        let location = "forgetmenot/items/violin/location", info = "forgetmenot/aggregators/north/info"
        let anna = try Visitor(
            broker.asUser("anna"), reading: [location, info, "forgetmenot/aggregators/north/shares"])
        func isLocatedByNorth() -> Bool {
            guard let payload = anna.received(info).last?.payload, let heartbeat = try? AggregatorInfo(parsing: payload)
            else { return false }
            return anna.received(location).contains {
                let location = try? ItemLocation(parsing: $0.payload)
                return location?.room == "Kitchen" && location?.stamp.boot == heartbeat.stamp.boot
            }
        }
        while !isLocatedByNorth() { try anna.receiveMore() }
        #expect(!anna.received("forgetmenot/aggregators/north/shares").isEmpty)
        for visitor in [anna, try Visitor(broker.asGateway("hall"))] {
            #expect(try !visitor.publish("forgetmenot/aggregators/north/shares", [], retain: true))
        }
        for program in [gateway, north, main] { #expect(try program.ended(by: SIGTERM).status == 0) }
    }
}

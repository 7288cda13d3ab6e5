import Beacons
import Glibc
import Messages
import TestBroker
import Testing

/// What one stolen gateway, one stolen user's password and one hostile radio cannot do, with messages that are well-formed and untrue.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("mosquitto_passwd"), "skipped: no mosquitto here"))
struct LieTests {
    /// A locked broker with the aggregator and the honest gateway hall; kitchen's password is stolen, or anna's.
    private final class LiveSite {
        let broker: LockedBroker
        let observer: Observer
        private(set) var aggregator: RunningProgram
        private let hall: RunningProgram

        init() throws {
            broker = try LockedBroker()
            try broker.folder.write(
                "state_directory = \"aggregator\"\n" + Site.noPage + "[[item]]\nname = \"Violin\"\n" + Site.violin.toml,
                to: "aggregator.toml")
            let completed = try broker.setUp([])
            guard completed.status == 0 else { throw TestBrokerError("broker-setup: \(completed)") }
            let file = try broker.folder.write(
                "id = \"hall\"\nroom = \"Hall\"\nstate_directory = \"hall\"\n[mqtt]\nport = \(broker.gatewayPort)\n"
                    + "username = \"hall\"\npassword_file = \"secrets/hall.password\"\n"
                    + "[radio]\nsource = \"simulation\"\n", to: "hall.toml")
            observer = try Observer(broker.asUser("anna"))
            aggregator = try Self.startAggregator(broker)
            hall = try Program.gateway.start("run", "--config", file)
            try observer.wait(forItem: "violin", "\"presence\":\"home\"")
        }

        private static func startAggregator(_ broker: LockedBroker) throws -> RunningProgram {
            try Program.aggregator.start("run", "--config", broker.folder.path("aggregator.toml"))
        }

        /// Sends the aggregator a request, and returns its response; the aggregator has handled everything that the broker received before.
        func response(to what: String, _ arguments: String = "") throws -> String {
            // The response to a request that is too large to be read has no transaction, so responses are counted.
            let topic = "forgetmenot/aggregator/response/\(what)"
            let before = observer.seen.count { $0.topic == topic }
            try observer.publish([("forgetmenot/aggregator/request/\(what)", "{\(arguments)\"transaction\":1}", false)])
            try observer.wait(for: "the answer to \(what)") { observer.seen.count { $0.topic == topic } > before }
            return observer.latest[topic] ?? ""
        }

        /// What the site holds that nobody but the aggregator and hall may change.
        var truth: [String: String] {
            observer.latest.filter { topic, _ in
                topic.hasPrefix("forgetmenot/registry/") || topic == "forgetmenot/gateways/hall/availability"
            }
        }

        /// Ends the aggregator, which has to have gone on until now, and starts it again.
        func restart() throws {
            let end = try aggregator.ended(by: SIGTERM)
            #expect(end.status == 0 && !end.hasCrashed, "\(end)")
            aggregator = try Self.startAggregator(broker)
            try observer.wait(for: "the aggregator") {
                observer.latest["forgetmenot/aggregator/availability"] == "online"
            }
            _ = try response(to: "events")
            try observer.wait(forItem: "violin", "\"presence\":\"home\"")
        }

        /// Ends both programs, neither of which has crashed.
        func end() throws {
            for program in [aggregator, hall] {
                let end = try program.ended(by: SIGTERM)
                #expect(end.status == 0 && !end.hasCrashed, "\(end)")
            }
        }
    }

    private let stamp: Stamp

    init() throws {
        stamp = Stamp(
            at: WallTime(milliseconds: 1_800_000_000_000), boot: try #require(Boot("1.aaaa")),
            uptime: .zero + .seconds(10))
    }

    private func info(of gateway: String) -> GatewayInfo {
        GatewayInfo(
            gateway: gateway, room: "Vault", version: "1.0", stamp: stamp,
            radio: GatewayInfo.Radio(source: "bluez:hci0", state: .poweredOn),
            problems: (0..<256).map { "problem \($0): " + String(repeating: "x", count: 200) }, regions: 1)
    }

    private func range(by gateway: String, after seconds: Double = 0) -> RangedState {
        var stamp = stamp
        stamp.uptime = stamp.uptime + .seconds(seconds)
        stamp.at = stamp.at + .seconds(seconds)
        return RangedState(
            gateway: gateway, room: "Vault", proximity: .immediate, accuracy: 0.1, rssi: -20, sightings: 1000,
            addresses: 1, stamp: stamp, validFor: 86_400)
    }

    private func exit(seq: UInt64, by gateway: String) -> BeaconEvent {
        BeaconEvent(
            .exit, seq: seq, stamp: stamp, gateway: gateway, room: "Vault", beacon: Site.violin, regions: ["violin"],
            insideForSeconds: 1, lastSeenAt: stamp.at, lastRSSI: -90)
    }

    @Test
    func `a stolen gateway publishes for no other, makes no item away that another receives, and changes no registry`()
        throws
    {
        let house = try LiveSite()
        let before = house.truth
        let thief = try Visitor(house.broker.asGateway("kitchen"))
        let beacon = "forgetmenot/beacons/\(Site.violin)/kitchen"
        // Under its own topics the broker takes every word of it.
        for (topic, payload, retained) in [
            ("forgetmenot/gateways/kitchen/availability", Array("online".utf8), true),
            ("forgetmenot/gateways/kitchen/info", info(of: "hall").bytes, true),
            ("\(beacon)/proximity", range(by: "hall").bytes, true),
            ("\(beacon)/event", exit(seq: 1, by: "hall").bytes, false),
            ("forgetmenot/gateways/kitchen/info", info(of: "kitchen").bytes, true),
            ("\(beacon)/event", exit(seq: 1, by: "kitchen").bytes, false),
            ("\(beacon)/event", exit(seq: 1 << 53, by: "kitchen").bytes, false),
        ] { #expect(try thief.publish(topic, payload, retain: retained)) }
        for _ in 0..<2 {
            _ = try house.response(to: "events")
            #expect(house.truth == before)
            let location = house.observer.latest["forgetmenot/items/violin/location"] ?? ""
            // The only ranged state from the thief names another gateway.
            #expect(location.contains("\"home\"") && !location.contains("\"gateway\":\"kitchen\""), "\(location)")
            let listed = try Program.aggregator.run(
                "gateways", "list", "--json", "--config", house.broker.folder.path("aggregator.toml"))
            #expect(listed.output.contains("\"hall\"") && listed.output.contains("\"Hall\""), "\(listed)")
            // The same after a restart, to which the broker sends all that it retains.
            try house.restart()
        }
        try house.end()
    }

    @Test func `a stolen gateway's revision does not move the registry, which goes on being written`() throws {
        let house = try LiveSite()
        let before = house.truth
        let thief = try Visitor(house.broker.asGateway("kitchen"))
        var lie = info(of: "kitchen")
        // The largest that is read, and two that rise.
        for revision in [1 << 52, 1 << 20, (1 << 20) + 1] as [UInt64] {
            lie.revision = revision
            #expect(try thief.publish("forgetmenot/gateways/kitchen/info", lie.bytes, retain: true))
        }
        _ = try house.response(to: "events")
        #expect(house.truth == before)
        let added = try house.response(
            to: "items/add", "\"name\":\"Cat\",\"uuid\":\"\(Site.cat.uuid)\",\"major\":1,\"minor\":9,")
        #expect(!added.contains("\"error\""), "\(added)")
        // The honest gateway follows: it ranges what was added.
        let ranged = "forgetmenot/beacons/\(Site.cat)/hall/proximity"
        try house.observer.wait(forAllOf: [ranged])
        let after = house.truth
        try house.restart()
        #expect(house.truth == after)
        try house.end()
    }

    @Test func `a stolen gateway is taken for the nearest by its own name alone`() throws {
        let house = try LiveSite()
        let thief = try Visitor(house.broker.asGateway("kitchen"))
        try thief.publish("forgetmenot/gateways/kitchen/availability", Array("online".utf8), retain: true)
        try thief.publish("forgetmenot/gateways/kitchen/info", info(of: "kitchen").bytes, retain: true)
        var seconds = 0.0
        func isNearest(by name: String) throws -> Bool {
            seconds += 1
            try thief.publish(
                "forgetmenot/beacons/\(Site.violin)/kitchen/proximity", range(by: name, after: seconds).bytes,
                retain: true)
            _ = try house.response(to: "events")
            return house.observer.latest["forgetmenot/items/violin/location"]?.contains("\"gateway\":\"kitchen\"")
                == true
        }
        // A location is published once a second, so that the thief goes on for longer than it needs below.
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < .seconds(4) { #expect(try !isNearest(by: "hall")) }
        // The thief's words about itself are believed, so its words in the name of another would have shown.
        let middle = clock.now
        while try !isNearest(by: "kitchen"), clock.now - middle < .seconds(60) {}
        #expect(try isNearest(by: "kitchen"))
        try house.end()
    }

    @Test func `a stolen user's password stores nothing that is no item, however large, and breaks no restart`() throws
    {
        let house = try LiveSite()
        let identity = "\"uuid\":\"\(Site.cat.uuid)\",\"major\":1,\"minor\":9,"
        for name in [
            String(repeating: "x", count: 900_000), String(repeating: "\u{1F600}", count: 200_000), "", "a\\u0000b",
            "\\u001b[2J",
        ] {
            let response = try house.response(to: "items/add", "\"name\":\"\(name)\",\(identity)")
            #expect(response.contains("\"error\"") && response.utf8.count < 4096, "\(response.prefix(300))")
        }
        for id in ["../../etc/passwd", "a/b", "+", "#", "%u", String(repeating: "i", count: 65)] {
            let response = try house.response(to: "items/add", "\"name\":\"Cat\",\"id\":\"\(id)\",\(identity)")
            #expect(response.contains("\"error\""), "\(response)")
        }
        // Texts as long as they may be, and every number at its end.
        let text = String(repeating: "y", count: 900)
        for what in ["items/rename", "items/edit", "items/notify", "items/remove", "gateways/remove", "regions/add"] {
            let topic = "forgetmenot/aggregator/request/\(what)"
            try house.observer.publish([
                (topic, "{\"item\":\"\(text)\",\"name\":\"\(text)\",\"gateway\":\"\(text)\"}", false),
                (topic, "{\"item\":\"nobody\",\"major\":65536,\"minor\":-1,\"measured_power_dbm\":1e300}", false),
            ])
        }
        let added = try house.response(to: "items/add", "\"name\":\"Cat\",\(identity)")
        #expect(!added.contains("\"error\""), "\(added)")
        try house.observer.wait(forAllOf: ["forgetmenot/registry/items/cat"])
        let before = house.truth
        #expect(before.keys.filter { $0.contains("/items/") }.count == 2, "\(before)")
        try house.restart()
        #expect(house.truth == before)
        try house.end()
    }

    @Test func `a hostile radio puts no beacon on the broker that nobody configured`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let tag = BeaconIdentity(uuid: Site.cat.uuid, major: 7, minor: 7)
        let aggregator = try site.startAggregator(["Tag": tag])
        // Beside the tag it receives a beacon of the same UUID that nobody configured.
        let radio = try SteeredRadio(in: site.folder, "kitchen", tag: tag)
        try radio.receive(at: -50)
        let file = try site.gatewayFile("kitchen", room: "Kitchen", radio: radio.lines)
        let gateway = try Program.gateway.start("run", "--config", file)
        try observer.wait(forItem: "tag", "\"presence\":\"home\"")
        try observer.wait(for: "a second word of the tag") {
            observer.seen.count { $0.topic == "forgetmenot/beacons/\(tag)/kitchen/proximity" } >= 2
        }
        #expect(observer.topics(with: "/beacons/").allSatisfy { $0.contains("/\(tag)/") }, "\(observer.latest.keys)")
        for program in [gateway, aggregator] { #expect(try program.ended(by: SIGTERM).status == 0) }
    }
}

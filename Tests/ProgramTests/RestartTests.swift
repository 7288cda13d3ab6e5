import Beacons
import Glibc
import Linux
import TestBroker
import Testing

/// Brokers die, and are stopped.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct RestartTests {
    /// What the topics hold of a site with two gateways and two items, whatever happened before.
    private let everything = [
        "aggregator/availability", "aggregator/info", "registry/manifest", "registry/items/violin",
        "registry/items/cat", "items/violin/location", "items/cat/location",
        "gateways/kitchen/availability", "gateways/kitchen/info", "gateways/hall/availability", "gateways/hall/info",
        "regions/house/kitchen/state", "beacons/\(Site.violin)/kitchen/proximity",
        "beacons/\(Site.violin)/hall/proximity",
    ].map { "forgetmenot/" + $0 }

    @Test func `a broker that is killed and comes back empty has all messages again, without a command`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let programs = [
            try site.startAggregator(["Violin": Site.violin, "Cat": Site.cat]),
            try site.startGateway("kitchen", room: "Kitchen", more: Site.region),
            try site.startGateway("hall", room: "Hall"),
        ]
        try observer.wait(forAllOf: everything)
        try observer.wait(forItem: "cat", "\"presence\":\"home\"")

        site.broker.kill()
        try site.broker.restart()

        let again = try Observer(site.broker)
        try again.wait(forAllOf: everything)
        try again.wait(forItem: "cat", "\"presence\":\"home\"")
        for id in ["gateways/kitchen", "gateways/hall", "aggregator"] {
            #expect(again.latest["forgetmenot/\(id)/availability"] == "online")
        }
        // The gateways were silent because the broker was dead, and no item has left.
        for word in ["exit", "left"] {
            #expect(!again.seen.contains { $0.text.contains("\"event_type\":\"\(word)\"") })
        }
        for program in programs {
            let end = try program.ended(by: SIGTERM)
            #expect(end.status == 0 && end.output.isEmpty && !end.hasCrashed, "\(end)")
        }
        for message in again.seen {
            #expect(Contract.breach(topic: message.topic, payload: message.payload) == nil)
        }
    }

    @Test func `an item that leaves while the broker is stopped has left, each time`() throws {
        let state = try TestFolder()
        var options = TestBroker.Options()
        options.lines = ["persistence true", "persistence_location \(state.path("."))/"]
        let site = try Site(options)
        let tag = BeaconIdentity(uuid: Site.cat.uuid, major: 7, minor: 7)
        let radio = try SteeredRadio(in: site.folder, "kitchen", tag: tag)
        let more = "[monitoring]\nexit_after = \"2s\"\n"
        let programs = [
            try site.startAggregator(["Bag": tag]),
            try Program.gateway.start(
                "run", "--config", site.gatewayFile("kitchen", room: "Kitchen", radio: radio.lines, more: more)),
        ]
        for round in 1...2 {
            try radio.receive(at: -50)
            try Observer(site.broker).wait(forItem: "bag", "\"presence\":\"home\"")
            // A broker that ends this way publishes the wills of all clients first.
            site.broker.kill(SIGTERM)
            try radio.receive(at: nil)
            let log = site.folder.path("kitchen/events/1.log")
            let deadline = Clock.now + .seconds(60)
            while try String(decoding: readFile(at: log), as: UTF8.self)
                .split(separator: "\"event_type\":\"exit\"").count <= round
            {
                try #require(Clock.now < deadline)
                poll(nil, 0, 50)
            }
            try site.broker.restart()
            let again = try Observer(site.broker)
            try again.wait(for: "the event") {
                again.latest["forgetmenot/items/bag/event"]?.contains("\"left\"") == true
            }
            try again.wait(forItem: "bag", "\"presence\":\"away\"")
            let events = try site.ask("events", "--json")
            #expect(events.output.split(separator: "\"left\"").count == round + 1, "\(events)")
        }
        for program in programs { #expect(try program.ended(by: SIGTERM).status == 0) }
    }

    @Test
    func `a ranged state is taken back only behind the exit that explains it, however long that waits for the disk`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        let tag = BeaconIdentity(uuid: Site.cat.uuid, major: 7, minor: 7)
        let radio = try SteeredRadio(in: site.folder, "kitchen", tag: tag)
        try radio.receive(at: -50)
        let more =
            "[log]\ncommit_within = \"8s\"\n[monitoring]\nexit_after = \"2s\"\n[[region]]\nidentifier = \"Tag\"\n"
        let file = try site.gatewayFile("kitchen", room: "Kitchen", radio: radio.lines, more: more + tag.toml)
        let gateway = try Program.gateway.start("run", "--config", file)
        let proximity = "forgetmenot/beacons/\(tag)/kitchen/proximity"
        try observer.wait(forAllOf: [proximity])
        try radio.receive(at: nil)
        try observer.wait(for: "the state to be taken back") {
            observer.seen.contains { $0.topic == proximity && $0.payload.isEmpty }
        }
        let exit = observer.seen.firstIndex { $0.text.contains("\"event_type\":\"exit\"") }
        let clearing = observer.seen.firstIndex { $0.topic == proximity && $0.payload.isEmpty }
        #expect(try #require(exit) < #require(clearing))
        #expect(try gateway.ended(by: SIGTERM).status == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a gateway that is stopped publishes offline and clears its states`(signal: Int32) throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let gateway = try site.startGateway("kitchen", room: "Kitchen", more: Site.region)
        let proximity = "forgetmenot/beacons/\(Site.violin)/kitchen/proximity"
        try observer.wait(forAllOf: [proximity])
        let end = try gateway.ended(by: signal)
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        let retained = try Observer(site.broker)
        #expect(retained.latest["forgetmenot/gateways/kitchen/availability"] == "offline")
        #expect(retained.topics(with: "/proximity").isEmpty)
        #expect(retained.latest["forgetmenot/regions/house/kitchen/state"]?.contains("\"unknown\"") == true)
    }

    @Test func `the will of a gateway that dies publishes offline`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let gateway = try site.startGateway("kitchen", room: "Kitchen")
        try observer.wait(forAllOf: ["forgetmenot/gateways/kitchen/info"])
        #expect(try gateway.ended(by: SIGKILL).status == -SIGKILL)
        try observer.wait(for: "the will") { observer.latest["forgetmenot/gateways/kitchen/availability"] == "offline" }
    }

    @Test func `a program that starts before the broker waits for it, and stops on a signal with or without a broker`()
        throws
    {
        let site = try Site()
        site.broker.kill()
        let programs = [
            try site.startAggregator(["Violin": Site.violin]), try site.startGateway("kitchen", room: "Kitchen"),
        ]
        let impatient = try site.startGateway("hall", room: "Hall")
        try impatient.complaint(of: "No connection to the broker")
        let end = try impatient.ended(by: SIGTERM)
        #expect(end.status == 0 && end.output.isEmpty && !end.hasCrashed, "\(end)")

        try site.broker.restart()
        let observer = try Observer(site.broker)
        try observer.wait(forItem: "violin", "\"presence\":\"home\"")
        for program in programs {
            let end = try program.ended(by: SIGTERM)
            #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        }
    }
}

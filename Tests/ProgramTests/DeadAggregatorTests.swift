import Beacons
import Glibc
import Linux
import Messages
import Mosquitto
import TestBroker
import Testing

/// A broker outlives the programs whose retained `online` it keeps.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct DeadAggregatorTests {
    /// What a broker still keeps of a site that lost its power: no will was published.
    private func retained(at time: WallTime) throws -> [(topic: String, text: String, retained: Bool)] {
        let stamp = Stamp(at: time, boot: try #require(Boot("17.kfqx")), uptime: .zero)
        let aggregator = AggregatorInfo(
            version: "1.0.0", stamp: stamp, items: 1, gatewaysAlive: 1, gatewaysGone: 0, revision: 1)
        let gateway = GatewayInfo(
            gateway: "kitchen", room: "Kitchen", version: "1.0.0", stamp: stamp,
            radio: GatewayInfo.Radio(source: "simulation", state: .poweredOn), regions: 1)
        let item = RegistryItem(id: "violin", name: "Violin", beacon: Site.violin)
        let manifest = RegistryManifest(revision: 1, items: ["violin"])
        let location = ItemLocation(
            item: "violin", name: "Violin", presence: .home, room: "Kitchen", since: time, lastSeenAt: time,
            stamp: stamp)
        return [
            ("aggregator/availability", "online"),
            ("aggregator/info", String(decoding: aggregator.bytes, as: UTF8.self)),
            ("gateways/kitchen/availability", "online"),
            ("gateways/kitchen/info", String(decoding: gateway.bytes, as: UTF8.self)),
            ("registry/items/violin", String(decoding: item.bytes, as: UTF8.self)),
            ("registry/manifest", String(decoding: manifest.bytes, as: UTF8.self)),
            ("items/violin/location", String(decoding: location.bytes, as: UTF8.self)),
        ].map { ("forgetmenot/\($0)", $1, true) }
    }

    @Test func `a dead aggregator's retained online is believed by no command, and neither is a dead gateway's`() throws
    {
        let site = try Site()
        try site.aggregatorFile()
        let observer = try Observer(site.broker)
        try observer.publish(try retained(at: Clock.wall - .seconds(172_800 + 60)))
        for words in [
            ["where"], ["where", "Violin"], ["where", "--json"], ["items", "list"], ["items", "list", "--json"],
            ["regions", "list"], ["gateways", "list"], ["gateways", "list", "--json"],
        ] {
            let stale = try site.ask(words)
            #expect(stale.status == 69 && stale.errorLines.count == 1 && !stale.output.isEmpty, "\(words): \(stale)")
            #expect(stale.errors.contains("aggregator is not running"), "\(words): \(stale)")
            #expect(!stale.output.contains("online"), "\(words): \(stale)")
            // Each row shows its age.
            if !words.contains("--json"), words[0] != "regions" { #expect(stale.output.contains("2 d"), "\(stale)") }
        }
        let watch = try Program.aggregator.start("watch", "--config", site.folder.path("aggregator.toml"))
        #expect(try watch.line().contains("Violin"))
        try watch.complaint(of: "aggregator is not running")
        let end = try watch.ended(by: SIGINT)
        #expect(end.status == 0 && end.errorLines.count == 1, "\(end)")
        let doctor = try site.ask("doctor")
        #expect(doctor.status == 69 && doctor.output.contains("its heartbeat has expired"), "\(doctor)")
    }

    @Test func `an aggregator that has just started beside an empty broker is not taken for one without items`() throws
    {
        let site = try Site()
        try site.aggregatorFile()
        let visitor = try Visitor(BrokerOptions(host: "localhost", port: Int(site.broker.port), clientID: "aggregator"))
        let all = try retained(at: Clock.wall)
        let violin = RegistryItem(id: "violin", name: "Violin", beacon: Site.violin)
        let file = try site.folder.write("[\(String(decoding: violin.bytes, as: UTF8.self))]", to: "items.json")
        func publish(_ part: String) throws {
            for message in all where message.topic.contains(part) {
                try visitor.publish(message.topic, Array(message.text.utf8), retain: true, expirySeconds: 600)
            }
        }
        for _ in 0..<2 {
            try publish("/aggregator/")
            for words in [
                ["items", "list"], ["items", "list", "--json"], ["items", "export"], ["regions", "list"],
                ["items", "import", file], ["where", "Cello"], ["items", "show", "Cello"],
            ] {
                let early = try site.ask(words)
                #expect(early.status == 69 && early.errorLines.count == 1, "\(words): \(early)")
                #expect(early.errors.contains("has just started"), "\(words): \(early)")
            }
            try publish("/registry/")
            #expect(try site.ask("items", "export").status == 0)
            #expect(try site.ask("items", "import", file).output == "1 of 1 items exist already\n")
            #expect(try site.ask("where", "Cello").status == 66)
            // The broker starts again without a disk.
            try visitor.publish("forgetmenot/registry/manifest", [], retain: true)
        }
    }

    @Test func `an aggregator whose clock is wrong by days is alive, because it responds`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin])
        try observer.wait(
            forAllOf: [
                "forgetmenot/aggregator/info", "forgetmenot/items/violin/location", "forgetmenot/registry/manifest",
            ])
        // As such an aggregator would have published it by MQTT 3.1.1, where no message expires.
        let late = try retained(at: Clock.wall - .seconds(172_800)).filter { $0.topic.contains("aggregator/") }
        try observer.publish(late)
        let where_ = try site.ask("where")
        #expect(where_.status == 0 && where_.errors.isEmpty, "\(where_)")
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `a command that failed without an aggregator is not carried out by the next one, twice`() throws {
        let site = try Site()
        var aggregator = try site.startAggregator([:])
        let observer = try Observer(site.broker)
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        #expect(try site.ask("people", "add", "Anna").status == 0)
        for signal in [SIGTERM, SIGKILL] {
            _ = try aggregator.ended(by: signal)
            let late = try site.ask("people", "remove", "anna")
            #expect(late.status == 69 && late.errors.contains("does not respond"), "\(late)")
            aggregator = try site.startAggregator([:])
            try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
            let now = try site.ask("people", "edit", "anna", "--name", "Anna")
            #expect(now.status == 0, "\(now)")
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `an info that the broker still counts as valid is believed, whatever clock wrote it`() throws {
        let site = try Site()
        try site.aggregatorFile()
        let visitor = try Visitor(BrokerOptions(host: "localhost", port: Int(site.broker.port), clientID: "aggregator"))
        for message in try retained(at: Clock.wall - .seconds(172_800)) {
            try visitor.publish(message.topic, Array(message.text.utf8), retain: true, expirySeconds: 600)
        }
        let all = try site.ask("where")
        #expect(all.status == 0 && all.errors.isEmpty && all.output.contains(" 2 d\n"), "\(all)")
        // What a gateway receives at present shows as received now.
        let stamp = Stamp(at: Clock.wall - .seconds(172_800), boot: try #require(Boot("17.kfqx")), uptime: .zero)
        let state = RangedState(
            gateway: "kitchen", proximity: .near, rssi: -60, sightings: 9, addresses: 1, stamp: stamp, validFor: 600)
        try visitor.publish(
            "forgetmenot/beacons/\(Site.violin)/kitchen/proximity", state.bytes, retain: true, expirySeconds: 600)
        let received = try site.ask("where")
        #expect(received.status == 0 && received.output.contains(" now\n"), "\(received)")
    }
}

import Beacons
import Glibc
import HCI
import Linux
import Messages
import TestBroker
import Testing

/// A recording goes in at one end, and rooms come out at the other.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct RecordingTests {
    @Test func `a recording played fast is counted to the last report, and taken back at its end without an exit`()
        throws
    {
        let site = try Site()
        let recording = try Recording(in: site.folder, lasting: .seconds(60))
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin, "Cat": Site.cat, "Ghost": Site.ghost])
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest", "forgetmenot/items/ghost/location"])

        // A region of its own, so that the registry need not have come before the recording is over.
        let radio = "source = \"capture:recording.btsnoop\"\nspeed = \"fast\"\nat_end = \"stop\""
        let gateway = try Program.gateway.run(
            "run", "--config",
            site.gatewayFile("kitchen", room: "Kitchen", radio: radio, more: Site.region))
        #expect(gateway.status == 0 && gateway.output.isEmpty && !gateway.hasCrashed, "\(gateway)")
        try observer.wait(for: "offline") { observer.latest["forgetmenot/gateways/kitchen/availability"] == "offline" }
        let end = try aggregator.ended(by: SIGTERM)
        #expect(end.status == 0 && end.output.isEmpty && !end.hasCrashed, "\(end)")
        try observer.wait(for: "the aggregator's end") {
            observer.latest["forgetmenot/aggregator/availability"] == "offline"
        }

        let telemetry = try Telemetry(
            parsing: Array(try #require(observer.latest["forgetmenot/gateways/kitchen/telemetry"]).utf8))
        #expect(telemetry.adverts == recording.reports)
        #expect(telemetry.sightings == recording.sightings)
        #expect(telemetry.refused == ["not_a_beacon": recording.reports - recording.sightings])

        let entered = observer.seen.count { $0.topic.hasSuffix("/kitchen/event") && $0.text.contains("\"enter\"") }
        #expect(entered == recording.beacons.count + 1, "each beacon once, and the region")
        #expect(!observer.seen.contains { $0.text.contains("\"exit\"") })

        let retained = try Observer(site.broker)
        #expect(retained.latest["forgetmenot/gateways/kitchen/availability"] == "offline")
        #expect(retained.latest["forgetmenot/aggregator/availability"] == "offline")
        #expect(retained.latest["forgetmenot/regions/house/kitchen/state"]?.contains("\"unknown\"") == true)
        #expect(retained.topics(with: "/proximity").isEmpty && retained.topics(with: "/event").isEmpty)
        #expect(observer.seen.contains { $0.topic.hasSuffix("/proximity") && $0.text.contains("\"near\"") })
        for message in observer.seen + retained.seen {
            #expect(Contract.breach(topic: message.topic, payload: message.payload) == nil)
        }
    }

    @Test func `the items of a recording are home in its gateway's room while it plays, and away after it fell silent`()
        throws
    {
        let site = try Site()
        _ = try Recording(in: site.folder, lasting: .seconds(5))
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin])
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        let gateway = try Program.gateway.start(
            "run", "--config",
            site.gatewayFile(
                "kitchen", room: "K\u{FC}che", radio: "source = \"capture:recording.btsnoop\"\nat_end = \"silence\"",
                more: "[monitoring]\nexit_after = \"5s\""))
        try observer.wait(forItem: "violin", "\"presence\":\"home\",\"room\":\"K\u{FC}che\"")
        try observer.wait(forItem: "violin", "\"presence\":\"away\"")
        #expect(try site.ask("where", "Violin").status == 1)
        #expect(observer.seen.contains { $0.topic == "forgetmenot/items/violin/event" && $0.text.contains("\"left\"") })
        for program in [gateway, aggregator] {
            let end = try program.ended(by: SIGTERM)
            #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        }
        for message in observer.seen {
            #expect(Contract.breach(topic: message.topic, payload: message.payload) == nil)
        }
    }

    @Test func `the exits of a recording that was played fast come when it is over, not minutes of silence later`()
        throws
    {
        let site = try Site()
        let recording = try Recording(in: site.folder, lasting: .seconds(5))
        let observer = try Observer(site.broker)
        let gateway = try Program.gateway.start(
            "run", "--config",
            site.gatewayFile(
                "kitchen", room: "Kitchen",
                radio: "source = \"capture:recording.btsnoop\"\nspeed = \"fast\"\nat_end = \"silence\"",
                more: "[monitoring]\nexit_after = \"10m\"\n" + Site.region))
        // The next action of a gateway after its last exit is its info, 25 s later on the recording's clock.
        try observer.wait(for: "an exit of each beacon and of the region", within: .seconds(20)) {
            observer.seen.count { $0.topic.hasSuffix("/kitchen/event") && $0.text.contains("\"exit\"") }
                == recording.beacons.count + 1
        }
        let end = try gateway.ended(by: SIGTERM)
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
    }

    @Test(arguments: ["fast", "recorded"]) func `a recording of one advertisement makes an enter`(speed: String) throws
    {
        let site = try Site()
        var file = BtsnoopWriter.header
        BtsnoopWriter.append(
            SteeredRadio.report(of: Site.cat, rssi: -60).span.bytes, at: CaptureTime(microseconds: 0), to: &file)
        try replaceFile(at: site.folder.path("recording.btsnoop"), with: file)
        let observer = try Observer(site.broker)
        let radio = "source = \"capture:recording.btsnoop\"\nspeed = \"\(speed)\"\nat_end = \"stop\""
        let gateway = try Program.gateway.run(
            "run", "--config", site.gatewayFile("kitchen", room: "Kitchen", radio: radio, more: Site.region))
        #expect(gateway.status == 0 && !gateway.hasCrashed, "\(gateway)")
        try observer.wait(for: "offline") { observer.latest["forgetmenot/gateways/kitchen/availability"] == "offline" }
        let enters = observer.seen.filter { $0.topic.hasSuffix("/kitchen/event") && $0.text.contains("\"enter\"") }
        #expect(enters.count == 2, "the beacon's, and its region's")
    }

    @Test func `a recording played fast does not begin before the registry can have come`() throws {
        let folder = try TestFolder()
        _ = try Recording(in: folder, lasting: .seconds(5))
        let broker = try ScriptedBroker()
        let file = try folder.write(
            """
            id = "kitchen"
            state_directory = "kitchen"
            [mqtt]
            port = \(broker.port)
            [radio]
            source = "capture:recording.btsnoop"
            speed = "fast"
            \(Site.region)
            """, to: "kitchen.toml")
        let gateway = try Program.gateway.start("run", "--config", file)
        let client = try broker.welcome()
        var subscriptions: [ScriptedPacket] = []
        var topics: [String] = []
        func read() throws -> Bool {
            guard let packet = try client.next() else { return false }
            if packet.kind == .subscribe { subscriptions.append(packet) }
            if packet.kind == .publish {
                topics.append(packet.topic)
                if packet.flags & 0b110 != 0 { client.acknowledge(packet) }
            }
            return true
        }
        while subscriptions.count < 2 || !topics.contains("forgetmenot/regions/house/kitchen/state") {
            try #require(try read())
        }
        // The client has identified itself and waits now: what the broker retains comes before the last subscription is acknowledged.
        #expect(!client.stirs(within: .milliseconds(300)))
        for subscription in subscriptions { client.acknowledge(subscription: subscription, codes: [1]) }
        while try read() {}
        #expect(topics.contains("forgetmenot/beacons/\(Site.cat)/kitchen/event"))
        let end = try gateway.ended()
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
    }
}

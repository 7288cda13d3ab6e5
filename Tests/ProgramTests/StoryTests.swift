import Beacons
import Glibc
import Linux
import Messages
import Simulation
import TestBroker
import Testing

/// The whole story of an item, as its owner sees it: two gateways, the aggregator, and commands.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct StoryTests {
    private static let tag = BeaconIdentity(uuid: House.uuid, major: 7, minor: 7)
    private static let location = "forgetmenot/items/bag/location"
    private static let notification = "forgetmenot/items/bag/notification"

    @Test
    func
        `an item is added, moves, leaves, is reported until it is acknowledged, returns, and is deleted without a trace`()
        throws
    {
        let site = try Site()
        let observer = try Observer(site.broker)
        let (kitchen, hall) = (
            try SteeredRadio(in: site.folder, "kitchen", tag: Self.tag),
            try SteeredRadio(in: site.folder, "hall", tag: Self.tag)
        )
        try kitchen.receive(at: -40)
        try hall.receive(at: -80)
        let notified = site.folder.path("told")
        let file = try site.aggregatorFile()
        try site.folder.write(
            try String(decoding: readFile(at: file), as: UTF8.self)
                + "[notify]\ncommand = [\"/bin/sh\", \"-c\", \"cat >> '\(notified)'; echo >> '\(notified)'\"]\n",
            to: "aggregator.toml")
        var programs = [try Program.aggregator.start("run", "--config", file)]
        for (id, room, radio) in [("kitchen", "Kitchen", kitchen), ("hall", "Hall", hall)] {
            let file = try site.gatewayFile(
                id, room: room, radio: radio.lines, more: "[monitoring]\nexit_after = \"4s\"\n")
            programs.append(try Program.gateway.start("run", "--config", file))
        }
        try observer.wait(forAllOf: [
            "forgetmenot/aggregator/info", "forgetmenot/gateways/kitchen/info", "forgetmenot/gateways/hall/info",
        ])

        try added(by: site)
        try observer.wait(forItem: "bag", "\"presence\":\"home\",\"room\":\"Kitchen\"")
        try observer.wait(forItem: "bag", "\"gateway\":\"kitchen\",\"proximity\":\"immediate\"")
        let nearby = try site.ask("nearby", "--json")
        #expect(nearby.status == 0 && !nearby.output.contains("\"major\":7"), "\(nearby)")

        try kitchen.receive(at: -85)
        try hall.receive(at: -45)
        try observer.wait(forItem: "bag", "\"room\":\"Hall\"")

        try kitchen.receive(at: nil)
        try hall.receive(at: nil)
        try observer.wait(forItem: "bag", "\"presence\":\"away\"")
        try observer.wait(for: "a second telling") {
            observer.latest[Self.notification]?.contains("\"count\":2") == true
        }
        #expect(
            observer.latest[Self.notification]?.contains("has left (last: Hall).") == true,
            "\(observer.seen.filter { $0.topic.contains("bag") }.map { "\n\($0.topic) \($0.text)" }.joined())")

        let seen = try site.ask("acknowledge", "电脑包")
        #expect(seen.status == 0 && seen.errors.isEmpty, "\(seen)")
        try observer.wait(for: "silence") { observer.latest[Self.notification] == nil }
        let again = try site.ask("acknowledge", "bag")
        #expect(again.status == 1 && again.errorLines.count == 1, "\(again)")

        try hall.receive(at: -45)
        try observer.wait(forItem: "bag", "\"presence\":\"home\"")
        try observer.wait(for: "its return") {
            observer.latest[Self.notification]?.contains("\"message\":\"Da ist sie.\"") == true
        }
        try remembered(by: site)
        // A restart notifies nobody, and forgets nothing.
        #expect(try programs[0].ended(by: SIGTERM).status == 0)
        programs[0] = try Program.aggregator.start("run", "--config", file)
        try observer.wait(for: "the aggregator") { observer.latest["forgetmenot/aggregator/availability"] == "online" }
        try remembered(by: site)
        try forgotten(by: site, observer)
        for program in programs {
            let end = try program.ended(by: SIGTERM)
            #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        }
        try notifiedOnceEach(notified, observer)
        for message in observer.seen {
            #expect(Contract.breach(topic: message.topic, payload: message.payload) == nil)
        }
    }

    /// It is held against the kitchen's gateway, and so known by its name alone.
    private func added(by site: Site) throws {
        var nearby = try site.ask("nearby", "--json")
        // A gateway has to have received it first.
        for _ in 0..<50 where !nearby.output.contains("\"major\":7") { nearby = try site.ask("nearby", "--json") }
        let first = try #require(JSONValue(parsing: Array(nearby.output.utf8)).array?.first?.object, "\(nearby)")
        #expect(first["major"]?.integer == 7 && first["gateway"]?.string == "kitchen")
        let added = try site.ask(
            "items", "add", "电脑包", "--id", "bag", "--nearest", "--notify-after", "1s", "--notify-repeat", "1s",
            "--notify-until", "10m", "--notify-returned", "--returned-text", "Da ist sie.")
        #expect(added.status == 0 && added.errors.isEmpty, "\(added)")
    }

    private func remembered(by site: Site) throws {
        let history = try site.ask("history", "bag", "--since", "1h", "--json")
        let events = try #require(JSONValue(parsing: Array(history.output.utf8)).array, "\(history)")
        let words = events.compactMap { $0.object?["event_type"]?.string }
        // The gateway that received it first may have determined the room for a second: the story begins after that.
        #expect(Array(words.suffix(3)) == ["moved", "left", "returned"], "\(history)")
        let all = try site.ask("events")
        #expect(all.status == 0 && all.outputLines.count == words.count, "\(all)")
        #expect(all.output.contains("电脑包: moved from Kitchen to Hall"), "\(all)")
        for (options, isAll) in [
            (["--since", "2w"], true), (["--since", "2020-01-01"], true), (["--until", "2020-01-01"], false),
            (["--since", "2020-01-01T00:00:00Z", "--until", "0s"], true), (["--since", "2200-01-01"], false),
            (["--until", "1h"], false),
        ] {
            let part = try site.ask(["history", "bag", "--json"] + options)
            #expect(part.status == 0 && (part.output == history.output) == isAll, "\(options): \(part)")
            #expect(isAll || part.output == "[]\n", "\(options): \(part)")
        }
        for wrong in ["soon", "2020-02-30", "w"] {
            let end = try site.ask("history", "bag", "--until", wrong)
            #expect(end.status == 64 && end.errors.contains("--until is \"\(wrong)\""), "\(end)")
        }
        let nobody = try site.ask("history", "nothing")
        #expect(nobody.status == 66 && nobody.output.isEmpty && nobody.errorLines.count == 1, "\(nobody)")
    }

    private func forgotten(by site: Site, _ observer: Observer) throws {
        let removed = try site.ask("items", "remove", "bag")
        #expect(removed.status == 0 && removed.errors.isEmpty, "\(removed)")
        func traces(_ observer: Observer) -> [String] {
            (observer.topics(with: "/bag") + observer.topics(with: "/\(Self.tag)")).filter { !$0.hasSuffix("/event") }
        }
        try observer.wait(for: "an end of all its topics") { traces(observer).isEmpty }
        let retained = try Observer(site.broker)
        #expect(
            traces(retained).isEmpty
                && retained.latest["forgetmenot/registry/manifest"]?.contains("\"items\":[]") == true)
    }

    /// The owner's program was given what was published, each once.
    private func notifiedOnceEach(_ path: String, _ observer: Observer) throws {
        let lines = try String(decoding: readFile(at: path), as: UTF8.self).split(separator: "\n").map(String.init)
        let published = observer.seen.filter { $0.topic == Self.notification && !$0.payload.isEmpty }.map(\.text)
        #expect(lines.count >= 3 && Set(lines) == Set(published) && lines.count == Set(lines).count)
    }
}

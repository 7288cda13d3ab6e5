import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// What others publish on the broker controls no terminal.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct TerminalTests {
    /// Sets a title, clears the screen by a C1 control, turns the line around, and begins another one.
    private static let hostile = "Hall\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}\nforgetmenot: all is well\r"

    /// Whether something in a program's output would move a cursor.
    private func isHarmless(_ end: Ended) -> Bool {
        (end.output + end.errors).unicodeScalars.allSatisfy { isPrintable($0) || $0 == "\n" }
            && !(end.outputLines + end.errorLines).contains("forgetmenot: all is well")
    }

    /// A site in which every text that anybody may choose is hostile.
    private func publishAll(_ observer: Observer) throws {
        let time = Clock.wall
        let stamp = Stamp(at: time, boot: try #require(Boot("17.kfqx")), uptime: .zero)
        var gateway = GatewayInfo(
            gateway: "kitchen", room: Self.hostile, version: Self.hostile, stamp: stamp, validFor: 604_800,
            radio: GatewayInfo.Radio(source: Self.hostile, state: .poweredOff, reason: Self.hostile), regions: 1)
        gateway.problems = [Self.hostile]
        let aggregator = AggregatorInfo(
            version: Self.hostile, stamp: stamp, validFor: 604_800, items: 1, gatewaysAlive: 1, gatewaysGone: 0,
            revision: 1,
            problems: [Self.hostile])
        let location = ItemLocation(
            item: "violin", name: Self.hostile, presence: .home, room: Self.hostile, since: time, stamp: stamp)
        let messages: [(String, [UInt8])] = [
            ("aggregator/availability", Availability.online.bytes), ("aggregator/info", aggregator.bytes),
            ("gateways/kitchen/availability", Availability.online.bytes), ("gateways/kitchen/info", gateway.bytes),
            ("registry/items/violin", RegistryItem(id: "violin", name: Self.hostile, beacon: Site.violin).bytes),
            ("registry/manifest", RegistryManifest(revision: 1, items: ["violin"], regions: ["house"]).bytes),
            (
                "registry/regions/house",
                Region(id: "house", identifier: Self.hostile, scope: .uuid(Site.violin.uuid)).bytes
            ),
            ("items/violin/location", location.bytes),
        ]
        try observer.publish(messages.map { ("forgetmenot/\($0.0)", String(decoding: $0.1, as: UTF8.self), true) })
    }

    @Test func `names with a terminal's commands are printed without them, and JSON has them to the letter`() throws {
        let site = try Site()
        try site.aggregatorFile()
        let observer = try Observer(site.broker)
        try publishAll(observer)
        for words in [
            ["where"], ["where", Self.hostile], ["items", "list"], ["regions", "list"], ["gateways", "list"],
        ] {
            for option in [[], ["--json"]] where words.last != Self.hostile || option.isEmpty {
                let end = try site.ask(words + option)
                #expect(end.status == 0 && !end.output.isEmpty && isHarmless(end), "\(words): \(end)")
                guard !option.isEmpty else { continue }
                let array = try #require(try JSONValue(parsing: Array(end.output.utf8)).array)
                let texts = array.flatMap { $0.object?.members.compactMap { $0.value.string } ?? [] }
                #expect(texts.contains(Self.hostile), "\(words): \(texts)")
            }
        }
        let doctor = try site.ask("doctor")
        #expect(doctor.status == 69 && isHarmless(doctor), "\(doctor)")
        for option in [[], ["--json"]] {
            let watch = try RunningProgram(
                [Program.aggregator.path, "watch", "--config", site.folder.path("aggregator.toml")] + option)
            _ = try watch.line()
            let end = try watch.ended(by: SIGINT)
            #expect(end.status == 0 && isHarmless(end), "\(end)")
        }
    }

    @Test func `a response's error repeats the request without a terminal's commands`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let aggregator = try site.startAggregator(["Violin": Site.violin])
        try observer.wait(forAllOf: ["forgetmenot/aggregator/info"])
        for words in [
            ["items", "remove"], ["acknowledge"], ["history"], ["regions", "remove"], ["gateways", "remove"],
            ["survey", "remove"], ["where"], ["survey", "Hall", "--item"], ["events", "--since"],
        ] {
            let end = try site.ask(words + [Self.hostile])
            #expect(end.status != 0 && end.errorLines.count == 1 && isHarmless(end), "\(words): \(end)")
        }
        let added = try site.ask(
            ["items", "add", Self.hostile, "--uuid", "\(Site.cat.uuid)", "--major", "1", "--minor", "9"])
        #expect(isHarmless(added), "\(added)")
        let end = try aggregator.ended(by: SIGTERM)
        #expect(end.status == 0 && isHarmless(end), "\(end)")
    }
}

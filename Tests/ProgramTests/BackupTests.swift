import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// `forgetmenot backup` and `restore` on the site of a real aggregator.
@Suite("The backup of a site", .enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct BackupTests {
    private static let items = (0..<20).map { number in
        (item: "item-\(number)", beacon: BeaconIdentity(uuid: Site.ghost.uuid, major: 71, minor: UInt16(number)))
    }

    private let site: Site
    private let file: String
    /// Where the site is restored, as on another machine.
    private let other: String

    init() throws {
        site = try Site()
        var text = "state_directory = \"aggregator\"\n[mqtt]\nhost = \"localhost\"\nport = \(site.broker.port)\n"
        text += "username = \"forgetmenot\"\npassword_file = \"aggregator.password\"\n"
        text += "[page]\naddress = \"127.0.0.1:0\"\n[history]\nenabled = true\ncommit_within = \"0s\"\n"
        for (item, beacon) in Self.items { text += "[[item]]\nname = \"\(item)\"\nid = \"\(item)\"\n" + beacon.toml }
        file = try site.folder.write(text, to: "aggregator.toml")
        try site.folder.write("rose\n", to: "aggregator.password")
        other = site.folder.path("other/aggregator.toml")
    }

    private func start(_ file: String) throws -> (aggregator: RunningProgram, client: HTTPClient) {
        let aggregator = try Program.aggregator.start("run", "--config", file)
        return (aggregator, HTTPClient(port: try aggregator.pagePort()))
    }

    private func list(_ words: String...) throws -> [JSONObject] {
        let end = try site.ask(words + ["--json"])
        #expect(end.status == 0, "\(end)")
        return try JSONValue(parsing: Array(end.output.utf8), limits: .ownFile).array?.compactMap(\.object) ?? []
    }

    private func run(_ words: String...) throws -> Ended { try run(words) }

    private func run(_ words: [String]) throws -> Ended {
        try RunningProgram(["env", "TMPDIR=\(site.folder.path)", Program.aggregator.path] + words).ended()
    }

    private func mode(of path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// The retained locations without the times that each publication changes.
    private func locations(_ observer: Observer) throws -> [String: [String: JSONValue?]] {
        var found: [String: [String: JSONValue?]] = [:]
        for item in ["item-0", "item-1", "keys"] {
            let text = observer.latest["forgetmenot/items/\(item)/location"] ?? "{}"
            let location = try #require(try JSONValue(parsing: Array(text.utf8)).object)
            for key in ["name", "presence", "room", "confidence", "since"] {
                found[item, default: [:]][key] = location[key]
            }
        }
        return found
    }

    private func epoch(_ observer: Observer) throws -> UInt32 {
        let info = try JSONValue(parsing: Array((observer.latest["forgetmenot/aggregator/info"] ?? "").utf8)).object
        return try #require(info?["boot"]?.string.flatMap { Boot($0) }).epoch
    }

    @Test func `a backup of a running site restores the same items, locations, plan, people and history, also twice`()
        throws
    {
        try site.folder.write("broker\n", to: "broker-setup")
        #expect(try RunningProgram(["mkdir", "-p", site.folder.path("broker/secrets")]).ended().status == 0)
        try site.folder.write("hall\n", to: "broker/secrets/hall.password")
        var observer = try Observer(site.broker)
        var (aggregator, client) = try start(file)
        let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        let keys = BeaconIdentity(uuid: Site.ghost.uuid, major: 72, minor: 1)
        let added = try site.ask(
            "items", "add", "Keys", "--uuid", "\(keys.uuid)", "--major", "72", "--minor", "1")
        #expect(added.status == 0, "\(added)")
        #expect(try site.ask("people", "add", "Anna", "--carries", "keys").status == 0)
        let known = Array(Self.items.prefix(2)) + [(item: "keys", beacon: keys)]
        try gateway.publish("enter", known)
        for (item, _) in known { try observer.wait(forItem: item, "\"presence\":\"home\"") }
        try gateway.publish("exit", [Self.items[1]])
        try observer.wait(forItem: "item-1", "\"presence\":\"away\"")
        try wait(for: "the history") { try list("history", "item-1").count == 1 }
        let state = StateFolder(path: site.folder.path("aggregator"))
        // The new broker's gateway has no log from which the aggregator could learn again what is not on the disk yet.
        try wait(for: "the presences on the disk") {
            let log = (try? readFile(at: state.file("site.log"))) ?? []
            return String(decoding: log, as: UTF8.self).contains("\"presence\":\"away\"")
        }
        try state.replace("plan.toml", with: Array("[[room]]\nname = \"Kitchen\"\nfloor = 0\n".utf8))
        try state.replace("plan-picture-0123456789abcdef", with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        try state.replace("offsets.toml", with: [])
        try state.replace("subscriptions.json", with: Array("{\"subscriptions\":[]}".utf8))
        try state.replace("push.key", with: Array("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw\n".utf8))

        let backup = site.folder.path("site.tar.gz")
        let written = try run("backup", backup, "--config", file)
        #expect(written.status == 0 && written.outputLines.count == 1 && written.errors.isEmpty, "\(written)")
        #expect(written.output.contains("passwords and keys"), "\(written)")
        #expect(mode(of: backup) == 0o600)
        let before = try locations(observer)
        let (items, history) = try (list("items", "list"), list("history", "item-1"))
        let people = try list("people", "list").map { $0["carries"] }
        #expect(before["keys"]?["room"]??.string == "Kitchen" && items.count == 21 && history.count == 1)

        // The site goes on after the backup: none of this is restored.
        #expect(try site.ask("items", "remove", "Keys", "--yes").status == 0)
        _ = try aggregator.ended(by: SIGTERM)
        for _ in 0..<3 {
            (aggregator, client) = try start(file)
            _ = try aggregator.ended(by: SIGTERM)
        }
        let lastEpoch = try epoch(observer)
        for round in 1...2 {
            // A broker that remembers nothing: all that is known comes from the backup.
            site.broker.kill()
            try site.broker.restart()
            let restored = try run(["restore", backup, "--config", other] + (round == 2 ? ["--force"] : []))
            #expect(restored.status == 0 && restored.errors.isEmpty, "\(restored)")
            observer = try Observer(site.broker)
            (aggregator, client) = try start(other)
            let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer, after: 4)
            try observer.wait(forAllOf: ["forgetmenot/aggregator/info", "forgetmenot/items/keys/location"])
            // What the gateway receives is as it was, so that nothing has happened.
            try gateway.publish("enter", [known[0], known[2]])
            try gateway.publish("exit", [known[1]])
            try wait(for: "the page") { try client.get("/healthz").status == 200 }
            try observer.wait(for: "the locations") { (try? locations(observer) == before) == true }
            try observer.wait(for: "the items") { (try? list("items", "list") == items) == true }
            #expect(try list("history", "item-1") == history)
            #expect(try list("people", "list").map { $0["carries"] } == people)
            // A start after the backup shall not have given its number to two runs.
            #expect(try epoch(observer) > lastEpoch)
            let end = try aggregator.ended(by: SIGTERM)
            #expect(end.status == 0 && !end.errors.contains("set aside") && !end.errors.contains("damaged"), "\(end)")
            let names = try StateFolder(path: site.folder.path("other/aggregator")).entries()
            #expect(
                Set(names).isSuperset(of: try state.entries().filter { !$0.hasPrefix("history.sqlite-") }), "\(names)")
            #expect(names.contains("plan-picture-0123456789abcdef"))
            for name in [
                "aggregator.password", "broker/secrets/hall.password", "aggregator/push.key",
                "aggregator/subscriptions.json",
            ] {
                #expect(mode(of: site.folder.path("other/" + name)) == 0o600)
            }
        }
        #expect(access(site.folder.path("other/aggregator.before-restore"), F_OK) == 0)
    }

    @Test func `backups while events are written have the same events in their log and in their history`() throws {
        let observer = try Observer(site.broker)
        var (aggregator, client) = try start(file)
        let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        var backups: [String] = []
        for round in 0..<4 {
            let backup = site.folder.path("backup-\(round).tar.gz")
            let running = try RunningProgram([Program.aggregator.path, "backup", backup, "--config", file])
            for word in ["enter", "exit", "enter", "exit", "enter", "exit"] { try gateway.publish(word, Self.items) }
            let end = try running.ended()
            #expect(end.status == 0, "\(end)")
            backups.append(backup)
        }
        try observer.wait(for: "events") { observer.seen.contains { $0.topic.hasSuffix("item-19/event") } }
        _ = try aggregator.ended(by: SIGTERM)
        for backup in backups {
            #expect(try run("restore", backup, "--config", other, "--force").status == 0)
            (aggregator, client) = try start(other)
            try wait(for: "the page") { try client.get("/healthz").status == 200 }
            let logged = try list("events")
            try wait(for: "every event of the log in the history") {
                for event in logged {
                    let at = try #require(event["at"]?.string.flatMap { WallTime($0) })
                    let stays = try client.stays(of: event["item"]?.string ?? "")
                    let presence = event["event_type"]?.string == "left" ? "away" : "home"
                    guard stays.last(where: { $0.from <= at })?.presence == presence else { return false }
                }
                return true
            }
            // The other way round: the history has no event that the log lacks.
            let left = Set(logged.filter { $0["event_type"]?.string == "left" }.compactMap { $0["at"]?.string })
            for (item, _) in Self.items {
                for stay in try client.stays(of: item) where stay.presence == "away" {
                    #expect(left.contains("\(stay.from)"), "\(backup): \(item) \(stay)")
                }
            }
            let end = try aggregator.ended(by: SIGTERM)
            #expect(end.status == 0 && !end.errors.contains("set aside") && !end.errors.contains("damaged"), "\(end)")
        }
    }

    /// The entries of watched folders that were opened, in order.
    private func opened(_ watch: Int32) -> [String] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(watch, &bytes, bytes.count)
        var rest = bytes[..<max(0, count)]
        var names: [String] = []
        // Each event has 16 bytes, of which the last four are the length of the name behind them.
        while rest.count >= 16 {
            let length = Int(rest.dropFirst(12).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
            names.append(String(decoding: rest.dropFirst(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self))
            rest = rest.dropFirst(16 + length)
        }
        return names
    }

    @Test func `a backup reads the files in the opposite order of that in which the aggregator writes them`() throws {
        let observer = try Observer(site.broker)
        let (aggregator, client) = try start(file)
        let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        for word in ["enter", "exit"] { try gateway.publish(word, [Self.items[0]]) }
        try wait(for: "the history") { try client.stays(of: "item-0").contains { $0.presence == "away" } }
        _ = try aggregator.ended(by: SIGTERM)
        let state = StateFolder(path: site.folder.path("aggregator"))
        try state.replace("site.log", with: [])
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        for path in [state.path, state.file("events")] { #expect(inotify_add_watch(watch, path, UInt32(IN_OPEN)) >= 0) }
        #expect(try run("backup", site.folder.path("site.tar.gz"), "--config", file).status == 0)
        let names = opened(watch)
        let order = ["history.sqlite", "site.log", "site.json", "1.log", "boot"]
        #expect(
            names.filter { order.contains($0) }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } } == order
        )
    }

    @Test func `restore refuses while an aggregator runs in the state folder, also with --force`() throws {
        let (aggregator, _) = try start(file)
        let backup = site.folder.path("site.tar.gz")
        #expect(try run("backup", backup, "--config", file).status == 0)
        let end = try run("restore", backup, "--config", file, "--force")
        #expect(end.status == 69 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("an aggregator runs in") && end.errors.contains("stop it first"), "\(end)")
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }
}

import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// The history of the real program: what `forgetmenot history` reads, and what a kill leaves.
@Suite("The history of the program", .enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct HistoryProgramTests {
    private static let count = 40
    private static let items = (0..<count).map { number in
        (item: "item-\(number)", beacon: BeaconIdentity(uuid: Site.ghost.uuid, major: 70, minor: UInt16(number)))
    }

    private let site: Site
    private let observer: Observer
    private let file: String

    init() throws {
        site = try Site()
        observer = try Observer(site.broker)
        file = try Self.write(to: site, history: "enabled = true\ncommit_within = \"0s\"\n")
    }

    private static func write(to site: Site, history: String) throws -> String {
        var text = "state_directory = \"aggregator\"\n[mqtt]\nhost = \"localhost\"\nport = \(site.broker.port)\n"
        text += "[page]\naddress = \"127.0.0.1:0\"\n[history]\n\(history)"
        for (item, beacon) in items { text += "[[item]]\nname = \"\(item)\"\nid = \"\(item)\"\n" + beacon.toml }
        return try site.folder.write(text, to: "aggregator.toml")
    }

    private func start(_ prefix: [String] = []) throws -> (aggregator: RunningProgram, client: HTTPClient) {
        let aggregator = try RunningProgram(prefix + [Program.aggregator.path, "run", "--config", file])
        return (aggregator, HTTPClient(port: try aggregator.pagePort()))
    }

    private var published: Int { observer.seen.count { $0.topic.hasSuffix("/event") && $0.topic.contains("/items/") } }

    private func events(_ words: String...) throws -> [JSONObject] {
        let end = try site.ask(words)
        #expect(end.status == 0, "\(end)")
        return try JSONValue(parsing: Array(end.output.utf8), limits: .ownFile).array?.compactMap(\.object) ?? []
    }

    @Test(.enabled(if: SteeredKernel.hindrance == nil, "skipped: the clock cannot be steered here"))
    func `stays older than keep_for are deleted by a synchronised clock, and otherwise stay and are a problem`() throws
    {
        _ = try Self.write(to: site, history: "enabled = true\nkeep_for = \"24h\"\ncommit_within = \"0s\"\n")
        var (aggregator, client) = try start()
        let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        for (word, presence) in [("enter", "home"), ("exit", "away"), ("enter", "home")] {
            try gateway.publish(word, [Self.items[2]])
            try observer.wait(forItem: "item-2", "\"presence\":\"\(presence)\"")
        }
        func presences() throws -> [String] { try client.stays(of: "item-2").map(\.presence) }
        try wait(for: "the stays") { try presences().suffix(3) == ["home", "away", "home"] }
        let former = try presences()
        _ = try aggregator.ended(by: SIGTERM)

        // Ten days later, by a clock that nobody has set, and then by one that is right.
        let clock = try site.folder.write("864000", to: "clock")
        for isSynchronised in [false, true] {
            let synchronised = try site.folder.write(isSynchronised ? "1" : "0", to: "synchronised")
            (aggregator, client) = try start(SteeredKernel.prefix(clock: clock, synchronised: synchronised))
            if isSynchronised { try wait(for: "the deletion") { try presences() == ["home"] } }
            try observer.wait(for: "an info") {
                let info = observer.latest["forgetmenot/aggregator/info"] ?? ""
                return info.contains("older than keep_for are not deleted") != isSynchronised
            }
            if !isSynchronised { #expect(try presences() == former) }
            _ = try aggregator.ended(by: SIGTERM)
        }
    }

    @Test(
        .enabled(if: SteeredKernel.hindrance == nil, "skipped: the clock cannot be steered here"),
        arguments: [-1800, 100])
    func `what happens after a machine's start and before its clock is set is in the history with the right time`(
        error: Int
    ) throws {
        var (aggregator, client) = try start()
        let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        func report(_ word: String, _ presence: String) throws {
            try gateway.publish(word, [Self.items[3]])
            try observer.wait(forItem: "item-3", "\"presence\":\"\(presence)\"")
        }
        try report("enter", "home")
        try wait(for: "the stay") { try client.stays(of: "item-3").last?.presence == "home" }
        _ = try aggregator.ended(by: SIGTERM)

        // The machine has just started.
        let clock = try site.folder.write("\(error)", to: "clock")
        let synchronised = try site.folder.write("0", to: "synchronised")
        let uptime = try site.folder.write("\(60 - Int((Clock.now - .zero).seconds))", to: "uptime")
        (aggregator, client) = try start(
            SteeredKernel.prefix(clock: clock, uptime: uptime, synchronised: synchronised))
        try gateway.beAlive()
        gateway.isClockSynchronised = false
        let leaves = Clock.wall
        try report("exit", "away")
        let left = Clock.wall
        try wait(for: "the page") { try client.get("/healthz").status == 200 }
        _ = try site.folder.write("0", to: "clock")
        _ = try site.folder.write("1", to: "synchronised")
        try wait(for: "the departure") { try client.stays(of: "item-3").last?.presence == "away" }
        let stays = try client.stays(of: "item-3")
        #expect(stays.map(\.presence).filter { $0 != "unknown" } == ["home", "away"], "\(stays)")
        let from = try #require(stays.last?.from)
        #expect((leaves - .seconds(5)...left + .seconds(5)).contains(from), "\(from), not \(leaves) to \(left)")
        _ = try aggregator.ended(by: SIGTERM)
    }

    @Test func `the history command reads the history, which has what the event log has no longer`() throws {
        var (aggregator, client) = try start()
        let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        let one = [Self.items[0]]
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        for word in ["enter", "exit", "enter"] {
            try gateway.publish(word, one)
            let presence = word == "enter" ? "home" : "away"
            try observer.wait(forItem: "item-0", "\"presence\":\"\(presence)\"")
            // The history follows within seconds.
            try wait(for: "the history of \(word)") {
                try client.get("/api/v1/history/at?time=\(Clock.wall)").body.contains(
                    "\"item-0\",\"presence\":\"\(presence)\"")
            }
        }
        try observer.wait(for: "two events") { published == 2 }
        try wait(for: "the history") { try events("history", "item-0", "--json").count == 2 }
        let known = try events("history", "item-0", "--json")
        #expect(known.map { $0["event_type"]?.string } == ["left", "returned"])
        #expect(known.allSatisfy { $0["id"]?.string != nil && $0["name"]?.string == "item-0" }, "\(known)")
        let table = try site.ask("history", "item-0")
        #expect(table.outputLines.count == 3 && table.output.contains("returned") && table.errors.isEmpty, "\(table)")
        #expect(try events("history", "item-0", "--since", "0s", "--json").isEmpty)
        let nobody = try site.ask("history", "nothing", "--since", "1h")
        #expect(nobody.status == 66 && nobody.output.isEmpty && nobody.errorLines.count == 1, "\(nobody)")

        // The event log is lost, the history is not.
        _ = try aggregator.ended(by: SIGTERM)
        let state = site.folder.path("aggregator")
        for name in try StateFolder(path: state).entries() where !name.hasPrefix("history.sqlite") {
            _ = try RunningProgram(["/bin/rm", "-rf", "\(state)/\(name)"]).ended()
        }
        (aggregator, client) = try start()
        try wait(for: "the page") { try client.get("/healthz").status == 200 }
        let older = try events("history", "item-0", "--json")
        #expect(older.map { $0["event_type"]?.string } == ["left", "returned"])
        #expect(older.map { $0["at"] } == known.map { $0["at"] })
        #expect(older.allSatisfy { $0["id"] == nil }, "\(older)")
        #expect(try events("events", "--json").isEmpty)

        // Without a history the command uses the event log, and reports that.
        _ = try aggregator.ended(by: SIGTERM)
        _ = try Self.write(to: site, history: "enabled = false\n")
        (aggregator, client) = try start()
        try wait(for: "the page") { try client.get("/healthz").status == 200 }
        try gateway.beAlive()
        try gateway.publish("enter", one)
        try observer.wait(forItem: "item-0", "\"presence\":\"home\"")
        try gateway.publish("exit", one)
        try observer.wait(forItem: "item-0", "\"presence\":\"away\"")
        // The new aggregator may still be asking the gateway for its earlier events.
        var rest = try site.ask("history", "item-0")
        try wait(for: "all events of the log") {
            rest = try site.ask("history", "item-0")
            let logged = try events("events", "--json").count
            return rest.output.contains("left") && rest.outputLines.count == 1 + logged
        }
        #expect(rest.status == 0, "\(rest)")
        #expect(rest.errorLines.count == 1 && rest.errors.contains("history is off"), "\(rest)")
    }

    @Test func `the service is ready before its history can be opened, and the history follows`() throws {
        let state = StateFolder(path: site.folder.path("aggregator"))
        try state.make()
        // As another program that has the file open: SQLite waits for 2 s.
        let number = open(state.file("history.sqlite"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var lock = flock(
            l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 1 << 30, l_len: 512, l_pid: 0)
        #expect(fcntl(number, F_SETLK, &lock) == 0)
        let supervisor = try SupervisorSocket(in: site.folder)
        let service = try supervisor.start([Program.aggregator.path, "run", "--config", file])
        try supervisor.receive("READY=1")
        #expect(throws: (any Error).self) {
            try service.complaint(of: "There is no history", within: .milliseconds(100))
        }
        try observer.wait(for: "the problem") {
            observer.latest["forgetmenot/aggregator/info"]?.contains("end the other program that has") == true
        }
        close(number)
        try observer.wait(for: "the history") {
            observer.latest["forgetmenot/aggregator/info"]?.contains("There is no history") == false
        }
        #expect(try service.ended(by: SIGTERM).status == 0)
    }

    @Test func `an item that leaves right after its first reception has its left in the history`() throws {
        let (aggregator, client) = try start()
        let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        let one = [Self.items[1]]
        try observer.wait(forItem: "item-1", "\"presence\":\"unknown\"")
        try wait(for: "the page") { try client.get("/healthz").status == 200 }
        try gateway.publish("enter", one)
        try observer.wait(forItem: "item-1", "\"presence\":\"home\"")
        try gateway.publish("exit", one)
        try wait(for: "the history") {
            try client.get("/api/v1/history/at?time=\(Clock.wall)").body.contains("\"item-1\",\"presence\":\"away\"")
        }
        #expect(try events("history", "item-1", "--json").map { $0["event_type"]?.string } == ["left"])
        _ = try aggregator.ended(by: SIGTERM)
    }

    @Test func `kills under load leave a history that has every event of the event log`() throws {
        var (aggregator, client) = try start()
        let gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        try observer.wait(forAllOf: ["forgetmenot/registry/manifest"])
        for _ in 0..<4 {
            try wait(for: "the page") { try client.get("/healthz").status == 200 }
            try gateway.beAlive()
            let before = published
            for word in ["enter", "exit", "enter", "exit", "enter", "exit"] { try gateway.publish(word, Self.items) }
            // The events are being written to the log, and from it to the history.
            try observer.wait(for: "events") { published > before + Self.count }
            _ = try aggregator.ended(by: SIGKILL)
            (aggregator, client) = try start()
        }
        try wait(for: "the page") { try client.get("/healthz").status == 200 }
        try gateway.beAlive()
        try gateway.publish("enter", Self.items)
        try observer.wait(for: "all at home") {
            Self.items.allSatisfy {
                observer.latest["forgetmenot/items/\($0.item)/location"]?.contains("\"presence\":\"home\"") == true
            }
        }
        let logged = try events("events", "--json")
        #expect(logged.count > 4 * Self.count)

        func isComplete() throws -> Bool {
            for (item, list) in Dictionary(grouping: logged, by: { $0["item"]?.string ?? "" }) {
                let stays = try client.stays(of: item)
                for event in list {
                    let at = try #require(event["at"]?.string.flatMap { WallTime($0) })
                    let presence = event["event_type"]?.string == "left" ? "away" : "home"
                    guard stays.last(where: { $0.from <= at })?.presence == presence else { return false }
                }
            }
            return true
        }
        try wait(for: "every event of the log in the history", isComplete)
        // Nothing was set aside as damaged.
        let names = try StateFolder(path: site.folder.path("aggregator")).entries()
        let expected: Set = ["history.sqlite", "history.sqlite-wal", "history.sqlite-shm"]
        #expect(expected.isSuperset(of: names.filter { $0.hasPrefix("history.sqlite") }), "\(names)")
        let end = try aggregator.ended(by: SIGTERM)
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
    }
}

import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// The histories of two aggregators of one site, each of which has an event log of its own.
@Suite("The histories of a pair", .enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct HistoryPairTests {
    /// One of the two programs, which keeps its folder over its runs.
    private final class Member {
        let name: String
        let file: String
        private(set) var program: RunningProgram?
        private(set) var client: HTTPClient?

        init(_ name: String, _ site: Site) throws {
            self.name = name
            file = try site.folder.write(
                """
                state_directory = "\(name)"
                [mqtt]
                host = "localhost"
                port = \(site.broker.port)
                [page]
                address = "127.0.0.1:0"
                [history]
                commit_within = "1h"
                [standby]
                name = "\(name)"

                """, to: name == "left" ? "aggregator.toml" : "\(name).toml")
        }

        func start() throws {
            let program = try Program.aggregator.start("run", "--config", file)
            self.program = program
            client = HTTPClient(port: try program.pagePort())
        }

        func end(by signal: Int32) throws {
            _ = try program?.ended(by: signal)
            program = nil
        }

        func admin() throws -> HTTPClient {
            var client = try #require(client)
            let site = try #require(try JSONValue(parsing: Array(client.get("/api/v1/site").body.utf8)).object)
            client.csrf = try #require(site["csrf"]?.string)
            return client
        }

        /// The stays of an item, the presence and the beginning of each.
        func stays(of item: String) throws -> [(presence: String, from: WallTime, isOver: Bool)] {
            let path = "/api/v1/history?limit=1000&item=\(item)&from=2020-01-01T00:00:00Z"
            let body = try #require(client).get(path).body
            let rows = try JSONValue(parsing: Array(body.utf8), limits: .list).object?["stays"]?.array ?? []
            return rows.compactMap { row in
                guard let object = row.object, let from = object["from"]?.string.flatMap({ WallTime($0) }) else {
                    return nil
                }
                return (object["presence"]?.string ?? "", from, object["to"]?.string != nil)
            }
        }
    }

    private let site: Site
    private let observer: Observer
    private let gateway: PublishedGateway
    private let members: [String: Member]

    init() throws {
        site = try Site()
        observer = try Observer(site.broker)
        gateway = try PublishedGateway("kitchen", room: "Kitchen", over: observer)
        members = ["left": try Member("left", site), "right": try Member("right", site)]
    }

    private func item(_ number: Int) -> (item: String, beacon: BeaconIdentity) {
        ("item-\(number)", BeaconIdentity(uuid: Site.ghost.uuid, major: 70, minor: UInt16(number)))
    }

    private func active() -> String? {
        let text = observer.latest["forgetmenot/aggregator/info"] ?? ""
        return ["left", "right"].first { text.contains("\"active\":\"\($0)\"") }
    }

    private func wait(for what: String, _ isSo: () throws -> Bool) throws {
        let deadline = Clock.now + .seconds(90)
        while try !isSo() {
            guard Clock.now < deadline else { throw TestBrokerError("\(what) did not come") }
            try? observer.wait(for: "a moment", within: .milliseconds(50)) { false }
        }
    }

    private func startBoth() throws -> String {
        for member in members.values { try member.start() }
        try observer.wait(for: "an active one") { active() != nil }
        return try #require(active())
    }

    private func add(_ numbers: Range<Int>) throws {
        for number in numbers {
            let beacon = item(number).beacon
            let end = try site.ask(
                "items", "add", "item-\(number)", "--uuid", "\(beacon.uuid)", "--major", "\(beacon.major)", "--minor",
                "\(beacon.minor)")
            try #require(end.status == 0, "\(end)")
        }
    }

    @Test func `a removal while one of two aggregators is down reaches its history, as does a deletion of the past`()
        throws
    {
        let first = try startBoth()
        try add(0..<3)
        let items = (0..<3).map(item)
        try gateway.publish("enter", items)
        for item in items { try observer.wait(forItem: item.item, "\"presence\":\"home\"") }
        func arePresent(_ member: Member) throws -> Bool {
            try items.allSatisfy { try member.stays(of: $0.item).last?.presence == "home" }
        }
        for member in members.values { try wait(for: "the history of \(member.name)") { try arePresent(member) } }
        // The one that goes is not the active one; what it has is on its disk.
        let other = first == "left" ? "right" : "left"
        try members[other]!.end(by: SIGTERM)
        let client = try members[first]!.admin()
        #expect(try client.send("DELETE", "/api/v1/items/item-0?past=true").status == 204)
        #expect(try client.send("DELETE", "/api/v1/items/item-1").status == 204)
        try members[other]!.start()
        try wait(for: "the removal in the history of \(other)") {
            try members[other]!.stays(of: "item-0").isEmpty && members[other]!.stays(of: "item-1").last?.isOver == true
        }
        #expect(try members[other]!.stays(of: "item-2").last?.isOver == false)
        // The second deletion, with the roles exchanged.
        try members[first]!.end(by: SIGTERM)
        try observer.wait(for: "\(other) to take over") { active() == other }
        try wait(for: "the page of \(other)") { try members[other]!.client?.get("/healthz").status == 200 }
        let successor = try members[other]!.admin()
        #expect(try successor.send("DELETE", "/api/v1/items/item-2?past=true").status == 204)
        try members[first]!.start()
        try wait(for: "the deletion in the history of \(first)") { try members[first]!.stays(of: "item-2").isEmpty }
    }
}

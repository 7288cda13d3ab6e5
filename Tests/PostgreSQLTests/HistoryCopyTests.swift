import Beacons
import Glibc
import History
import Messages
import TestBroker
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TestDatabase.isInstalled, "skipped: no PostgreSQL server here"))
struct HistoryCopyTests {
    private static let start = WallTime(milliseconds: 1_700_000_000_000)

    private func change(_ item: String, _ state: Stay.State?, at seconds: Int) -> Change {
        Change(item: item, state: state, at: Self.start + .seconds(Double(seconds)))
    }

    private func event(of item: String, _ change: ItemEvent.Change, at seconds: Int) throws -> Change {
        let stamp = Stamp(
            at: Self.start + .seconds(Double(seconds)), boot: try #require(Boot("1.aaaa")), uptime: .zero)
        return try #require(Change(event: ItemEvent(change, seq: 1, item: item, name: item, stamp: stamp)))
    }

    /// The stays of a site, one a line: `keys 60 home Kitchen`.
    private func rows(of site: String, at server: TestDatabase) throws -> String? {
        try Database(server.address, setUp: "SELECT 1").query(
            """
            SELECT string_agg(concat_ws(' ', item, (begin_ms - 1700000000000) / 1000, presence, room), E'\n'
                ORDER BY item, begin_ms) FROM beginning WHERE site = $1
            """, site)
    }

    private func rows(of store: HistoryStore) async throws -> String {
        let page = try await store.stays(
            from: Self.start - .seconds(1e6), to: Self.start + .seconds(1e6), limit: 10_000)
        return page.stays.map {
            let room = $0.state.room.map { " \($0)" } ?? ""
            return "\($0.item) \(Int(($0.from - Self.start).seconds)) \($0.state.presence.rawValue)\(room)"
        }.joined(separator: "\n")
    }

    @Test(arguments: 1...5)
    func `the copy has the same stays as the file, in whatever order changes come`(seed: UInt64) async throws {
        let (server, folder) = (try TestDatabase(), try TestFolder())
        let copy = HistoryCopy(at: server.address, site: "flat")
        let store = try HistoryStore(at: folder.path("history.sqlite"))
        var random = SplitMix64(seed: seed)
        let states: [Stay.State?] = [
            Stay.State(.home, room: "Kitchen"), Stay.State(.home, room: "Bj\u{f6}rn's \"room\""), Stay.State(.away),
            Stay.State(.unknown), Stay.State(.home),
        ]
        for _ in 0..<40 {
            let changes = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                change(
                    ["bag", "keys"].randomElement(using: &random)!, states.randomElement(using: &random)!,
                    at: .random(in: 0...50, using: &random))
            }
            if Bool.random(using: &random) {
                let event = try event(
                    of: ["bag", "keys"].randomElement(using: &random)!,
                    [.left(from: "Hall"), .left(from: nil), .moved(from: "Kitchen", to: "Hall"), .returned(to: nil)]
                        .randomElement(using: &random)!, at: .random(in: 0...50, using: &random))
                try store.add([event], cursor: nil)
                try copy.add([event], cursor: nil)
            }
            if Bool.random(using: &random) {
                try store.add(changes, cursor: nil)
                try copy.add(changes, cursor: nil)
            } else {
                // Current states: one of each item, some of which were published a while after their beginning.
                for var change in changes {
                    change.seen = change.at + .seconds(.random(in: 0...100, using: &random))
                    // Some of them once a clock that was ahead was set.
                    let earlier = change.at - .seconds(.random(in: 0...100, using: &random))
                    let now = Bool.random(using: &random) ? earlier : nil
                    try store.observe([change], now: now)
                    try copy.observe([change], now: now)
                }
            }
            if Int.random(in: 0..<10, using: &random) == 0 {
                let end = Self.start + .seconds(20)
                while try store.prune(endedBefore: end, bytes: .max) {}
                while try copy.prune(endedBefore: end, bytes: .max) {}
            }
        }
        #expect(try copy.present() == store.present())
        let (copied, stored) = (try rows(of: "flat", at: server), try await rows(of: store))
        #expect(copied == stored)
    }

    @Test func `the copy has what was before an event that is the first one it gets of an item, each time`() throws {
        let server = try TestDatabase()
        let copy = HistoryCopy(at: server.address, site: "flat")
        for _ in 1...2 {
            try copy.add([event(of: "keys", .moved(from: "Kitchen", to: "Hall"), at: 100)], cursor: nil)
            try copy.add([event(of: "bag", .returned(to: nil), at: 100)], cursor: nil)
            try copy.add([event(of: "bag", .left(from: "Hall"), at: 200)], cursor: nil)
            #expect(
                try rows(of: "flat", at: server)
                    == "bag 99 away\nbag 100 home Hall\nbag 200 away\nkeys 99 home Kitchen\nkeys 100 home Hall")
        }
    }

    @Test func `a room that the database cannot hold does not stop the copy, and is reported`() throws {
        let server = try TestDatabase()
        let copy = HistoryCopy(at: server.address, site: "flat")
        for minute in 0..<2 {
            let changes = [
                change("keys", Stay.State(.home, room: "Ha\0ll"), at: minute * 60),
                change("bag", Stay.State(.home, room: "Hall"), at: minute * 60 + 1),
            ]
            try copy.add(changes, cursor: LogCursor("1.aaaa-\(minute * 2 + 2)"))
            try copy.observe(changes)
        }
        #expect(try copy.cursor() == LogCursor("1.aaaa-4"))
        #expect(try rows(of: "flat", at: server) == "bag 1 home Hall\nkeys 0 home Ha\u{FFFD}ll")
        #expect(copy.problem == nil)
        // Whatever else a database refuses: here a row that its index cannot hold.
        let long = String((0..<9000).map { _ in Character(Unicode.Scalar(UInt8.random(in: 97...122))) })
        let changes = [change(long, Stay.State(.away), at: 200), change("bag", Stay.State(.away), at: 201)]
        try copy.add(changes, cursor: LogCursor("1.aaaa-5"))
        #expect(try copy.cursor() == LogCursor("1.aaaa-5"))
        #expect(try rows(of: "flat", at: server)?.contains("bag 201 away") == true)
        #expect(copy.problem?.contains("lacks 1 change") == true)
    }

    @Test func `the copies of two sites do not see each other`() throws {
        let server = try TestDatabase()
        let (flat, shop) = (
            HistoryCopy(at: server.address, site: "flat"), HistoryCopy(at: server.address, site: "shop")
        )
        try flat.add([change("keys", Stay.State(.away), at: 1)], cursor: LogCursor("1.aaaa-1"))
        try shop.add([change("keys", Stay.State(.home, room: "Till"), at: 2)], cursor: LogCursor("1.bbbb-7"))
        try flat.forget("keys", upTo: Self.start + .seconds(9))
        #expect(try rows(of: "flat", at: server) == nil)
        #expect(try rows(of: "shop", at: server) == "keys 2 home Till")
        #expect(try flat.cursor() == LogCursor("1.aaaa-1") && shop.cursor() == LogCursor("1.bbbb-7"))
    }

    @Test func `two machines of a pair share one cursor, in which each event log has its place`() throws {
        let server = try TestDatabase()
        let (left, right) = (
            HistoryCopy(at: server.address, site: "flat"), HistoryCopy(at: server.address, site: "flat")
        )
        for (copy, event) in [(left, "9.aaaa-4"), (right, "1.bbbb-2"), (left, "9.aaaa-5")] {
            var cursor = try copy.cursor()
            cursor.note(try #require(EventID(event)))
            try copy.add([], cursor: cursor)
        }
        #expect(try right.cursor() == LogCursor("9.aaaa-5 1.bbbb-2"))
    }

    @Test func `a copy goes on when its server comes back, and has each change once`() throws {
        let server = try TestDatabase()
        let copy = HistoryCopy(at: server.address, site: "flat")
        try copy.add([change("keys", Stay.State(.away), at: 1)], cursor: LogCursor("1.aaaa-1"))
        server.kill()
        let changes = [change("keys", Stay.State(.home, room: "Hall"), at: 5)]
        #expect(throws: (any Error).self) { try copy.add(changes, cursor: LogCursor("1.aaaa-2")) }
        try server.start()
        #expect(try copy.cursor() == LogCursor("1.aaaa-1"))
        try copy.add(changes, cursor: LogCursor("1.aaaa-2"))
        #expect(try rows(of: "flat", at: server) == "keys 1 away\nkeys 5 home Hall")
    }

    @Test func `ten thousand events are stored once each, a hundred in a transaction, also across an outage`() throws {
        let server = try TestDatabase()
        let copy = HistoryCopy(at: server.address, site: "flat")
        let (items, count, group) = (500, 10_000, HistoryResponse.most)
        func events(behind cursor: LogCursor) -> [(id: EventID, change: Change)] {
            let first = Int(cursor.events.first?.seq ?? 0)
            return (first..<min(first + group, count)).map { number in
                let state = number / items % 2 == 0 ? Stay.State(.home, room: "Hall") : Stay.State(.away)
                return (
                    EventID(boot: Boot("1.aaaa")!, seq: UInt64(number + 1)),
                    change("item-\(number % items)", state, at: number)
                )
            }
        }
        try copy.add([], cursor: nil)
        _ = try copy.cursor()
        var failures = 0
        let began = try transactions(at: server)
        while true {
            // As the feed does: what the database has determines what comes next.
            do {
                let next = events(behind: try copy.cursor())
                guard let last = next.last else { break }
                if last.id.seq == 5000, failures == 0 { server.kill() }
                try copy.add(next.map(\.change), cursor: LogCursor([last.id]))
            } catch {
                failures += 1
                #expect(failures == 1, "\(error)")
                try server.start()
            }
        }
        #expect(failures == 1)
        #expect(try transactions(at: server) - began <= count / group + 5)
        let stored = try Database(server.address, setUp: "SELECT 1").query(
            "SELECT count(*) || ' ' || count(DISTINCT (item, begin_ms)) FROM stay WHERE site = 'flat'")
        #expect(stored == "\(count) \(count)")
    }

    /// The number of transactions that have written something.
    private func transactions(at server: TestDatabase) throws -> Int {
        let text = try Database(server.address, setUp: "SELECT 1").query(
            "SELECT pg_snapshot_xmax(pg_current_snapshot())")
        return try #require(text.flatMap { Int($0) })
    }

    @Test func `a connection that the server ended is made again without an error`() throws {
        let server = try TestDatabase()
        let copy = HistoryCopy(at: server.address, site: "flat")
        try copy.add([], cursor: LogCursor("1.aaaa-1"))
        server.kill()
        try server.start()
        #expect(try copy.cursor() == LogCursor("1.aaaa-1"))
    }

    @Test func `a server that does not respond is a problem, each time, and is used again when it responds`() throws {
        let server = try TestDatabase()
        let database = Database(server.address, setUp: "SELECT 1", patience: .milliseconds(500))
        for _ in 0..<2 {
            #expect { try database.query("SELECT pg_sleep(20)") } throws: { "\($0)" == "the server does not respond" }
            #expect(try database.query("SELECT 'yes'") == "yes")
            // More than the socket holds.
            let text = String(repeating: "a", count: 4 << 20)
            #expect(throws: (any Error).self) { try database.query("SELECT $1, pg_sleep(20)", text) }
            #expect(try database.query("SELECT $1", text) == text)
        }
    }

    @Test func `a server that is not there is a problem in one line`() {
        let copy = HistoryCopy(at: "postgresql:///postgres?host=/nonexistent&user=site", site: "flat")
        #expect {
            try copy.cursor()
        } throws: { error in
            "\(error)".contains("No such file or directory") && !"\(error)".contains("\n")
        }
    }
}

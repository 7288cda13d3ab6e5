import Beacons
import Dispatch
import GRDB
import Glibc
import Linux
import Messages
import TestBroker
import Testing

@testable import History

/// The stays of items in SQLite.
struct HistoryStoreTests {
    private static let start = WallTime(milliseconds: 1_700_000_000_000)
    private static let forever = start + .seconds(1e9)

    private func store(_ folder: TestFolder) throws -> HistoryStore {
        try HistoryStore(at: folder.path("history.sqlite"))
    }

    private func change(
        _ item: String, _ presence: Presence, _ room: String? = nil, at seconds: Double, seen: Double? = nil
    ) -> Change {
        Change(
            item: item, state: Stay.State(presence, room: room), at: Self.start + .seconds(seconds),
            seen: seen.map { Self.start + .seconds($0) })
    }

    /// The stays of an item as texts: `home Kitchen 0-60`.
    private func stays(_ store: HistoryStore, of item: String? = "keys") async throws -> [String] {
        try await store.stays(of: item, from: Self.start - .seconds(1e6), to: Self.forever).stays.map { stay in
            func seconds(_ time: WallTime?) -> String { time.map { "\(Int(($0 - Self.start).seconds))" } ?? "" }
            let room = stay.state.room.map { " \($0)" } ?? ""
            return "\(stay.state.presence.rawValue)\(room) \(seconds(stay.from))-\(seconds(stay.to))"
        }
    }

    private func prune(_ store: HistoryStore, endedBefore end: WallTime, bytes: Int = .max) throws {
        while try store.prune(endedBefore: end, bytes: bytes) {}
    }

    /// Writes many stays of some items without the store: a second each.
    private func fill(_ store: HistoryStore, items: Int, stays: Int) throws {
        try store.queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < ?3 - 1)
                    INSERT INTO stay SELECT 'item-' || (n % ?2), ?1 + n / ?2 * 1000, CASE n / ?2 % 2 WHEN 0 THEN 'away' ELSE 'home' END, NULL
                    FROM number
                    """, arguments: [Self.start.milliseconds, items, items * stays])
        }
    }

    /// The most rows that a transaction has changed.
    private final class LargestTransaction: TransactionObserver {
        private var total = 0
        private(set) var rows = 0

        init(in store: HistoryStore) {
            store.queue.writeWithoutTransaction { total = $0.totalChangesCount }
            store.queue.add(transactionObserver: self)
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidRollback(_ db: Database) {}
        func databaseDidCommit(_ db: Database) {
            rows = max(rows, db.totalChangesCount - total)
            total = db.totalChangesCount
        }
    }

    @Test func `old stays are deleted in transactions of a limited size, by size as by age`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try fill(store, items: 40, stays: 2000)
        let transactions = LargestTransaction(in: store)
        let size = try store.size()
        try prune(store, endedBefore: Self.start, bytes: size / 5)
        #expect(try store.size() <= size / 5)
        try prune(store, endedBefore: Self.start + .seconds(1990))
        #expect(try await store.stays(from: Self.start, to: Self.forever).stays.count == 40 * 10)
        #expect((1000...5010).contains(transactions.rows), "\(transactions.rows) rows in one transaction")
    }

    @Test func `what is added without a commit is written before it is too much for one transaction`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        let transactions = LargestTransaction(in: store)
        for second in 0..<120 {
            try store.add((0..<100).map { change("item-\($0)", second % 2 == 0 ? .away : .home, at: Double(second)) })
        }
        // What another process finds is what this one would find after a crash.
        #expect(try await self.store(folder).states(at: Self.start + .seconds(99)).count == 100)
        #expect((1000...5010).contains(transactions.rows), "\(transactions.rows) rows in one transaction")
    }

    @Test func `a past of any length is deleted in transactions of a limited size, and after a crash within it`()
        async throws
    {
        let folder = try TestFolder()
        var store = try store(folder)
        try fill(store, items: 2, stays: 20_000)
        let transactions = LargestTransaction(in: store)
        try store.forget("item-0", upTo: Self.start + .seconds(30_000), isWhole: true)
        #expect(try await stays(store, of: "item-0") == [])
        #expect((1000...5010).contains(transactions.rows), "\(transactions.rows) rows in one transaction")
        // What a crash leaves: the mark, and rows.
        try await store.queue.write { try $0.execute(sql: "UPDATE forgotten SET item = 'item-1'") }
        store = try self.store(folder)
        try prune(store, endedBefore: WallTime(milliseconds: 0))
        #expect(try await stays(store, of: "item-1") == [])
    }

    @Test func `what a full disk left of a past that was deleted goes with the item's removal, each time`()
        async throws
    {
        let folder = try TestFolder()
        let store = try store(folder)
        for round in 1...2 {
            try fill(store, items: 1, stays: 6000)
            try store.add([change("item-0", .home, "Kitchen", at: 6000)])
            try store.commit()
            // The mark is written, and then the disk is full.
            try await store.queue.write { [start = Self.start] db in
                try db.execute(
                    sql: "INSERT OR REPLACE INTO forgotten VALUES ('item-0', ?)",
                    arguments: [(start + .seconds(7000)).milliseconds])
            }
            try store.observe([Change(item: "item-0", state: nil, at: Self.start + .seconds(6999))])
            #expect(try await stays(store, of: "item-0") == [], "\(round)")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `whoever reads waits for no writer, and finds what waits for a commit`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        for round in 0..<2 {
            try store.add([change("keys", .home, "Kitchen", at: Double(round))])
            #expect(try await stays(store) == ["home Kitchen 0-"])
            #expect(try !store.commit())
            let isRead = DispatchSemaphore(value: 0)
            await withCheckedContinuation { (hasBegun: CheckedContinuation<Void, Never>) in
                DispatchQueue.global().async {
                    store.queue.writeWithoutTransaction { _ in
                        hasBegun.resume()
                        isRead.wait()
                    }
                }
            }
            // In the middle of a long write.
            #expect(try await stays(store) == ["home Kitchen 0-"])
            #expect(try await store.states(at: Self.forever).count == 1)
            #expect(store.lastSize > 0)
            isRead.signal()
        }
    }

    /// Fails commits while the test demands it.
    private final class FailingCommits: TransactionObserver {
        var isFailing = true
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws { if isFailing { throw SystemError("write", code: ENOSPC) } }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func `a commit that fails for a reader is an error of the next write`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        let observer = FailingCommits()
        store.queue.add(transactionObserver: observer)
        for _ in 0..<2 {
            observer.isFailing = true
            try store.add([change("keys", .home, "Kitchen", at: 0)])
            #expect(try await stays(store) == [])
            #expect(throws: (any Error).self) { try store.observe([change("keys", .home, "Kitchen", at: 0)]) }
            observer.isFailing = false
            try store.observe([change("keys", .home, "Kitchen", at: 0)])
            #expect(try await stays(store) == ["home Kitchen 0-"])
            try store.forget("keys", upTo: Self.start - .seconds(1), isWhole: true)
        }
    }

    @Test func `a stay that lasts beyond a report has its end, and one after it is no part of it`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([
            change("keys", .home, "Kitchen", at: 0), change("keys", .home, "Hall", at: 60),
            change("keys", .away, at: 90),
        ])
        for (to, ends) in [(60.0, [60]), (61, [60, 90]), (90, [60, 90]), (91, [60, 90, nil])] as [(Double, [Int?])] {
            let page = try await store.stays(of: "keys", from: Self.start, to: Self.start + .seconds(to))
            #expect(page.stays.map { $0.to.map { Int(($0 - Self.start).seconds) } } == ends, "\(to)")
            let first = try await store.stays(of: "keys", from: Self.start, to: Self.start + .seconds(to), limit: 1)
            #expect(first.stays.count == 1 && (first.next != nil) == (ends.count > 1))
        }
    }

    @Test func `a stay ends where the next begins`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([
            change("keys", .home, "Kitchen", at: 0), change("keys", .home, "Hall", at: 60),
            change("keys", .away, at: 90),
        ])
        #expect(try await stays(store) == ["home Kitchen 0-60", "home Hall 60-90", "away 90-"])
    }

    @Test func `a state that lasts already is not stored again`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0), change("keys", .home, "Kitchen", at: 30)])
        try store.observe([change("keys", .home, "Kitchen", at: 40)])
        #expect(try await stays(store) == ["home Kitchen 0-"])
    }

    @Test func `an event that comes late finds its place between two stays`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0)])
        try store.observe([change("keys", .home, "Office", at: 90)])
        try store.add([change("keys", .home, "Hall", at: 60)])
        #expect(try await stays(store) == ["home Kitchen 0-60", "home Hall 60-90", "home Office 90-"])
        // The event of a state that a location brought before has the better time.
        try store.add([change("keys", .home, "Office", at: 85)])
        #expect(try await stays(store) == ["home Kitchen 0-60", "home Hall 60-85", "home Office 85-"])
    }

    @Test(arguments: 0..<6)
    func `departures are in the history whichever of two event logs is read first`(order: Int) async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        // A takeover before each departure and each return: two neighbours in a log have the same state.
        var logs = [
            [change("keys", .home, at: 0), change("keys", .home, at: 20), change("keys", .away, at: 50)],
            [change("keys", .away, at: 10), change("keys", .away, at: 30), change("keys", .home, at: 40)],
        ]
        if order % 2 == 1 { logs.reverse() }
        switch order / 2 {
        case 0: for log in logs { try store.add(log) }
        case 1: for log in logs { for change in log { try store.add([change]) } }
        default: for log in logs { for change in log.reversed() { try store.add([change]) } }
        }
        #expect(
            try await stays(store) == ["home 0-10", "away 10-20", "home 20-30", "away 30-40", "home 40-50", "away 50-"])
    }

    @Test func `stays of several rows are one on every page, at every time and in every sum`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add((0..<12).map { change("keys", $0 / 3 % 2 == 0 ? .away : .home, at: Double($0 * 10)) })
        #expect(try await stays(store) == ["away 0-30", "home 30-60", "away 60-90", "home 90-"])
        var pages: [Stay] = []
        var place: HistoryStore.Place?
        repeat {
            let page = try await store.stays(from: Self.start + .seconds(15), to: Self.forever, limit: 1, after: place)
            pages += page.stays
            place = page.next
        } while place != nil
        #expect(pages.map { Int(($0.from - Self.start).seconds) } == [0, 30, 60, 90])
        #expect(try await store.states(at: Self.start + .seconds(55)).map(\.from) == [Self.start + .seconds(30)])
        let totals = try await store.totals(from: Self.start + .seconds(15), to: Self.start + .seconds(100))
        #expect(totals.map(\.seconds) == [45, 40])
        // A location from within the last stay is older than the events.
        try store.observe([change("keys", .away, at: 105)])
        #expect(try await stays(store).last == "home 90-")
    }

    @Test func `a location that is older than the last event changes nothing`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0), change("keys", .away, at: 60)])
        // The location from before the item left, which arrived behind the event.
        try store.observe([change("keys", .home, "Kitchen", at: 0)])
        try store.add([change("keys", .home, "Hall", at: 90)])
        #expect(try await stays(store) == ["home Kitchen 0-60", "away 60-90", "home Hall 90-"])
        // A room that is found later than the return has the time of the return.
        try store.observe([change("keys", .home, "Office", at: 90)])
        #expect(try await stays(store) == ["home Kitchen 0-60", "away 60-90", "home Office 90-"])
    }

    @Test func `the last stay follows the item although a clock that was ahead has dated it, each time`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0), change("keys", .away, at: 7200)])
        // A clock that nobody has set may be behind, and two clocks differ a little.
        for now in [nil, Self.start + .seconds(7170)] {
            try store.observe([change("keys", .home, "Hall", at: 10)], now: now)
            #expect(try await stays(store) == ["home Kitchen 0-7200", "away 7200-"])
        }
        for (second, room) in [(10, "Hall"), (60, nil), (100, "Office"), (200, nil)] as [(Double, String?)] {
            try store.observe(
                [change("keys", room == nil ? .away : .home, room, at: second)], now: Self.start + .seconds(second))
            #expect(try await stays(store) == ["home Kitchen 0-7200", room.map { "home \($0) 7200-" } ?? "away 7200-"])
        }
        try store.observe(
            [Change(item: "keys", state: nil, at: Self.start + .seconds(300))], now: Self.start + .seconds(300))
        #expect(try store.present() == [])
    }

    @Test func `an absence of no length leaves no trace`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0)])
        // After a restart: unknown at first, then where it was all along.
        for time in [100, 300.0] {
            try store.observe([change("keys", .unknown, at: time)])
            try store.observe([change("keys", .home, "Kitchen", at: 0, seen: time + 60)])
            #expect(try await stays(store) == ["home Kitchen 0-"])
        }
    }

    @Test func `a departure that was before a short unknown presence is one, each time`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0)])
        for left in [100, 500.0] {
            // The gateway was killed. After its restart it still has the item inside, until it exits the item.
            try store.observe([change("keys", .unknown, at: left + 10)])
            try store.observe([change("keys", .home, "Kitchen", at: left - 100, seen: left + 20)])
            try store.observe([change("keys", .unknown, at: left + 30)])
            try store.add([change(.left(from: "Kitchen"), at: left)])
            try store.observe([change("keys", .away, at: left, seen: left + 50)])
            try store.add([change(.returned(to: "Kitchen"), at: left + 300)])
        }
        #expect(
            try await stays(store) == [
                "home Kitchen 0-100", "away 100-400", "home Kitchen 400-500", "away 500-800", "home Kitchen 800-",
            ])
    }

    @Test func `what was unknown for minutes stays unknown when the item is found in its former room, each time`()
        async throws
    {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0)])
        // The gateway was down, and the room has the `since` of before.
        for time in [100, 500.0] {
            try store.observe([change("keys", .unknown, at: time)])
            try store.observe([change("keys", .home, "Kitchen", at: 0, seen: time + 200)])
            try store.observe([change("keys", .home, "Kitchen", at: 0, seen: time + 210)])
        }
        #expect(
            try await stays(store) == [
                "home Kitchen 0-100", "unknown 100-300", "home Kitchen 300-500", "unknown 500-700", "home Kitchen 700-",
            ])
    }

    @Test func `the first room of an item is that of the stay that began before it was found`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        // Received, in no room yet; then in the room since the first advertisement.
        try store.add([change("keys", .home, at: 10)])
        try store.observe([change("keys", .home, "Kitchen", at: 9, seen: 20)])
        #expect(try await stays(store) == ["home Kitchen 10-"])
        // A location from before it left is older than that, and changes nothing.
        try store.add([change("keys", .away, at: 60), change("keys", .home, at: 90)])
        try store.observe([change("keys", .away, at: 60, seen: 95)])
        #expect(try await stays(store) == ["home Kitchen 10-60", "away 60-90", "home 90-"])
        try store.observe([change("keys", .home, "Hall", at: 89, seen: 100)])
        #expect(try await stays(store) == ["home Kitchen 10-60", "away 60-90", "home Hall 90-"])
    }

    private func change(_ event: ItemEvent.Change, at seconds: Double) throws -> Change {
        let stamp = Stamp(at: Self.start + .seconds(seconds), boot: try #require(Boot("1.abcd")), uptime: .zero)
        return try #require(Change(event: ItemEvent(event, seq: 1, item: "keys", name: "Keys", stamp: stamp)))
    }

    @Test(
        arguments: [
            ([], .moved(from: "Kitchen", to: "Hall"), ["home Kitchen 99-100", "home Hall 100-"]),
            ([], .left(from: "Hall"), ["home Hall 99-100", "away 100-"]),
            ([], .left(from: nil), ["home 99-100", "away 100-"]),
            ([], .returned(to: "Hall"), ["away 99-100", "home Hall 100-"]),
            ([(.unknown, nil)], .left(from: "Hall"), ["unknown 0-99", "home Hall 99-100", "away 100-"]),
            ([(.away, nil), (.home, nil)], .left(from: "Hall"), ["away 0-20", "home Hall 20-100", "away 100-"]),
            ([(.home, nil)], .left(from: nil), ["home 0-100", "away 100-"]),
            // What is known remains.
            ([(.home, "Office")], .moved(from: "Kitchen", to: "Hall"), ["home Office 0-100", "home Hall 100-"]),
            ([(.home, "Hall")], .left(from: "Hall"), ["home Hall 0-100", "away 100-"]),
            ([(.away, nil)], .left(from: "Hall"), ["away 0-"]),
        ] as [([(Presence, String?)], ItemEvent.Change, [String])])
    func `what a crash lost of the time before an event follows from the event, and is there once`(
        known: [(Presence, String?)], event: ItemEvent.Change, expected: [String]
    ) async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add(known.enumerated().map { change("keys", $1.0, $1.1, at: Double($0 * 20)) })
        for _ in 1...2 {
            try store.add([change(event, at: 100)])
            #expect(try await stays(store) == expected)
        }
    }

    @Test func `the departure of an item that was removed and added again has a stay before it`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0)])
        try store.observe([Change(item: "keys", state: nil, at: Self.start + .seconds(50))])
        try store.add([change(.left(from: "Hall"), at: 100)])
        #expect(try await stays(store) == ["home Kitchen 0-50", "home Hall 99-100", "away 100-"])
    }

    @Test func `rows that are not committed are gone after a crash with their cursor, and are visible at once`()
        async throws
    {
        let folder = try TestFolder()
        let path = folder.path("history.sqlite")
        let store = try HistoryStore(at: path)
        let boot = try #require(Boot("1.abcd"))
        try store.add([change("keys", .home, "Kitchen", at: 0)], cursor: LogCursor([EventID(boot: boot, seq: 1)]))
        try store.commit()
        try store.add([change("keys", .away, at: 60)], cursor: LogCursor([EventID(boot: boot, seq: 2)]))
        // What another process finds is what this one would find after a crash.
        let files = ["", "-wal", "-shm"]
        for file in files {
            let bytes = try readFile(at: path + file)
            try replaceFile(at: folder.path("copy.sqlite" + file), with: bytes)
        }
        let copy = try HistoryStore(at: folder.path("copy.sqlite"))
        #expect(try await stays(copy) == ["home Kitchen 0-"])
        #expect(try copy.cursor() == LogCursor([EventID(boot: boot, seq: 1)]))
        #expect(try store.cursor() == LogCursor([EventID(boot: boot, seq: 2)]))
        #expect(try await stays(store) == ["home Kitchen 0-60", "away 60-"])
    }

    @Test func `events that come once more change nothing`() async throws {
        let rooms = ["Kitchen", "Hall", "Office"]
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SplitMix64(seed: seed)
            let folder = try TestFolder()
            let store = try store(folder)
            var changes: [Change] = []
            for second in 1...40 {
                let room = rooms[Int.random(in: 0..<3, using: &generator)]
                let presence = Presence.allCases[Int.random(in: 0..<3, using: &generator)]
                changes.append(change("keys", presence, room, at: Double(second * 10)))
            }
            try store.add(changes)
            let once = try await stays(store)
            try store.add(changes)
            #expect(try await stays(store) == once, "seed \(seed)")
            #expect(
                zip(once, once.dropFirst()).allSatisfy {
                    $0.split(separator: " ").dropLast() != $1.split(separator: " ").dropLast()
                })
        }
    }

    /// The strips of an item as texts: `home Kitchen 0-60`.
    private func strips(
        _ store: HistoryStore, of item: String? = "keys", to end: Double, step: Double
    ) async throws -> [String] {
        let page = try await store.strips(
            of: item, from: Self.start, to: Self.start + .seconds(end), step: .seconds(step))
        return page.stays.map { stay in
            let room = stay.state.room.map { " \($0)" } ?? ""
            let end = stay.to.map { "\(Int(($0 - Self.start).seconds))" } ?? ""
            return "\(stay.state.presence.rawValue)\(room) \(Int((stay.from - Self.start).seconds))-\(end)"
        }
    }

    @Test func `from afar each step shows the state that lasted the longest in it`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([
            change("keys", .home, "Hall", at: -50), change("keys", .home, "Kitchen", at: 130),
            change("keys", .home, "Hall", at: 140), change("keys", .away, at: 320),
            change("keys", .home, "Hall", at: 610), change("keys", .unknown, at: 950),
        ])
        let shown = ["home Hall 0-300", "away 300-600", "home Hall 600-1000"]
        #expect(try await strips(store, to: 1000, step: 100) == shown)
        #expect(try await strips(store, to: 1030, step: 100) == shown + ["unknown 1000-"])
        #expect(try await strips(store, to: 1030, step: 5000) == ["home Hall 0-1030"])
        #expect(try await strips(store, to: 900, step: 5000) == ["home Hall 0-"])
    }

    @Test func `from afar nothing is shown where nothing is known, and before and after an item was removed`()
        async throws
    {
        let folder = try TestFolder()
        let store = try store(folder)
        for round in 0..<2 {
            let begin = Double(round) * 1000
            try store.add([
                // Of the first step little is known, and that is shown.
                change("keys", .home, "Hall", at: begin + 290),
                Change(item: "keys", state: nil, at: Self.start + .seconds(begin + 390)),
            ])
        }
        #expect(try await strips(store, to: 2000, step: 100) == ["home Hall 200-400", "home Hall 1200-1400"])
        #expect(try await strips(store, of: "bag", to: 2000, step: 100) == [])
    }

    @Test func `from afar a page has all of each item, and pages together are the whole`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        for item in ["bag", "keys", "violin"] {
            for hour in 0..<5 {
                try store.add([change(item, hour % 2 == 0 ? .home : .away, at: Double(hour) * 3600)])
            }
        }
        let (from, to) = (Self.start, Self.start + .seconds(5 * 3600))
        let whole = try await store.strips(from: from, to: to, step: .seconds(300))
        #expect(whole.stays.count == 15 && whole.next == nil)
        var (place, stays): (HistoryStore.Place?, [Stay]) = (nil, [])
        for item in ["bag", "keys", "violin"] {
            let page = try await store.strips(from: from, to: to, step: .seconds(300), limit: 2, after: place)
            #expect(page.stays.map(\.item) == Array(repeating: item, count: 5))
            stays += page.stays
            place = page.next.flatMap { HistoryStore.Place($0.description) }
        }
        #expect(place == nil && stays == whole.stays)
    }

    @Test func `pages together are the whole`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        for item in ["bag", "keys", "violin"] {
            try store.add((0..<7).map { change(item, $0 % 2 == 0 ? .away : .home, "Hall", at: Double($0 * 10)) })
        }
        let whole = try await store.stays(from: Self.start, to: Self.forever).stays
        #expect(whole.count == 21)
        for limit in 1...8 {
            var pages: [Stay] = []
            var place: HistoryStore.Place?
            repeat {
                let page = try await store.stays(from: Self.start, to: Self.forever, limit: limit, after: place)
                pages += page.stays
                place = try page.next.map { try #require(HistoryStore.Place("\($0)")) }
            } while place != nil
            #expect(pages == whole, "limit \(limit)")
        }
    }

    @Test func `one asks where everything was at a time, and how long it was in each room`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([
            change("keys", .home, "Kitchen", at: 0), change("keys", .home, "Hall", at: 60),
            change("keys", .home, "Kitchen", at: 90), change("bag", .away, at: 70),
        ])
        let then = try await store.states(at: Self.start + .seconds(65))
        #expect(then.map(\.item) == ["keys"])
        #expect(then.first?.state == Stay.State(.home, room: "Hall"))
        let totals = try await store.totals(of: "keys", from: Self.start + .seconds(30), to: Self.start + .seconds(100))
        #expect(totals.map { "\($0.state.room ?? "") \($0.seconds)" } == ["Kitchen 40.0", "Hall 30.0"])
    }

    @Test func `an item that was removed is nowhere from then on, and its past can be deleted`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0)])
        try store.observe([Change(item: "keys", state: nil, at: Self.start + .seconds(50))])
        #expect(try await stays(store) == ["home Kitchen 0-50"])
        #expect(try await store.states(at: Self.start + .seconds(60)).isEmpty)
        try store.forget("keys", upTo: Self.start + .seconds(60))
        #expect(try await stays(store) == [])
    }

    @Test func `of a deleted past no file has anything but the id, each time`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        for end in [60, 160.0] {
            try store.add([
                change("bag", .home, "Kitchen", at: end - 50), change("keys", .home, "Boudoir", at: end - 30),
            ])
            try store.commit()
            try store.forget("keys", upTo: Self.start + .seconds(end))
            for name in ["history.sqlite", "history.sqlite-wal"] {
                let text = String(decoding: try readFile(at: folder.path(name)), as: UTF8.self)
                #expect(!text.contains("Boudoir"), "\(name)")
            }
        }
        #expect(try await stays(store, of: "bag").count == 1)
    }

    @Test func `a deleted past does not return with late events, nor with those that a new start reads again`()
        async throws
    {
        let folder = try TestFolder()
        var store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0), change("bag", .home, "Kitchen", at: 0)])
        try store.forget("keys", upTo: Self.start + .seconds(60))
        try store.add([change("keys", .home, "Hall", at: 50), change("bag", .home, "Hall", at: 50)])
        try store.observe([change("keys", .home, "Hall", at: 60)])
        #expect(try await stays(store) == [])
        store = try self.store(folder)
        try store.add([change("keys", .home, "Hall", at: 50)])
        // The same id again, for a new item.
        try store.add([change("keys", .home, "Office", at: 70)])
        #expect(try await stays(store) == ["home Office 70-"])
        // Who read the stays above has committed them.
        #expect(try await stays(store, of: "bag").count == 2)
    }

    @Test func `stays that ended long ago are deleted, the one that lasts is not`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([
            change("keys", .home, "Kitchen", at: 0), change("keys", .home, "Hall", at: 60),
            change("keys", .away, at: 90),
        ])
        try prune(store, endedBefore: Self.start + .seconds(70))
        #expect(try await stays(store) == ["home Hall 60-90", "away 90-"])
        try prune(store, endedBefore: Self.start + .seconds(1000))
        #expect(try await stays(store) == ["away 90-"])
    }

    @Test func `a file that is too large loses its oldest stays`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add((0..<20_000).map { change("keys", $0 % 2 == 0 ? .away : .home, "Hall", at: Double($0)) })
        try store.commit()
        let size = try store.size()
        try prune(store, endedBefore: Self.start - .seconds(1), bytes: size / 2)
        try store.commit()
        #expect(try store.size() <= size / 2)
        let last = try await store.states(at: Self.forever)
        #expect(last.first?.from == Self.start + .seconds(19_999))
    }

    @Test func `the stays of items that change are deleted where another has lain still for years`() async throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([change("passport", .home, "Office", at: -100_000_000)])
        try store.add((0..<20_000).map { change("keys", $0 % 2 == 0 ? .away : .home, "Hall", at: Double($0)) })
        try store.commit()
        let size = try store.size()
        try prune(store, endedBefore: Self.start - .seconds(200_000_000), bytes: size / 2)
        #expect(try store.size() <= size / 2)
        // Nothing can be deleted any more: the present state of each item stays.
        try prune(store, endedBefore: Self.start - .seconds(200_000_000), bytes: 1)
        let states = try await store.states(at: Self.forever)
        #expect(states.map(\.item).sorted() == ["keys", "passport"])
    }

    @Test func `a file that is no database is set aside, and that is a problem until somebody deletes it`() throws {
        let folder = try TestFolder()
        let (path, name) = (folder.path("history.sqlite"), folder.path("history.sqlite.unreadable"))
        for (name, text) in [("history.sqlite", "no database, "), ("history.sqlite-wal", "and what was written last")] {
            _ = try folder.write(String(repeating: text, count: 100), to: name)
        }
        let store = try store(folder)
        try store.add([change("keys", .home, "Kitchen", at: 0)])
        try store.commit()
        #expect(store.problem?.contains(name) == true)
        #expect(String(decoding: try readFile(at: name), as: UTF8.self).hasPrefix("no database"))
        #expect(String(decoding: try readFile(at: name + "-wal"), as: UTF8.self).hasPrefix("and what"))
        // The next start still reports it.
        #expect(try self.store(folder).problem?.contains(name) == true)
        unlink(name)
        #expect(try store.problem == nil && self.store(folder).problem == nil)
        #expect(access(path, F_OK) == 0)
    }

    @Test func `a damaged page is found by the check, or by its use, and a new history begins each time`() async throws
    {
        let folder = try TestFolder()
        let store = try store(folder)
        for time in 1...2 {
            try fill(store, items: 1, stays: 20_000)
            try store.add([], cursor: LogCursor("1.abcd-\(time)"))
            try store.commit()
            _ = try await store.queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            #expect(store.isSound())
            var bytes = try readFile(at: folder.path("history.sqlite"), limit: 16 << 20)
            for offset in bytes.count / 4..<bytes.count / 4 * 3 { bytes[offset] = 0x55 }
            let file = Glibc.open(folder.path("history.sqlite"), O_WRONLY)
            #expect(pwrite(file, bytes, bytes.count, 0) == bytes.count)
            close(file)
            if time == 1 {
                #expect(!store.isSound())
                try store.beginAnew()
            } else {
                store.queue.releaseMemory()
                let error = await #expect(throws: (any Error).self) {
                    try await store.totals(from: Self.start, to: Self.forever)
                }
                #expect(try store.recover(from: try #require(error)))
            }
            #expect(try await stays(store, of: nil) == [])
            #expect(try store.cursor().isEmpty && store.isSound())
            let name = folder.path("history.sqlite.unreadable\(time == 1 ? "" : "-2")")
            #expect(access(name, F_OK) == 0)
            #expect(store.problem?.contains(name) == true)
        }
        #expect(try store.recover(from: DatabaseError(resultCode: .SQLITE_FULL)) == false)
    }

    @Test func `each error has a remedy of its own`() throws {
        let folder = try TestFolder()
        let store = try store(folder)
        let remedies = [.SQLITE_FULL, .SQLITE_READONLY, .SQLITE_BUSY, .SQLITE_IOERR].map {
            (code: ResultCode) in store.remedy(of: DatabaseError(resultCode: code))
        }
        #expect(Set(remedies).count == 4 && remedies[0] == "free disk space" && remedies[1].contains("write"))
    }

    @Test func `a store names the items that are present, and whether stays ended before a time`() throws {
        let folder = try TestFolder()
        let store = try store(folder)
        try store.add([
            change("keys", .home, "Kitchen", at: 0), change("keys", .away, at: 60), change("bag", .unknown, at: 5),
            change("bike", .home, at: 7), Change(item: "bike", state: nil, at: Self.start + .seconds(8)),
        ])
        #expect(try store.present() == ["bag", "keys"])
        #expect(try !store.hasStays(endedBefore: Self.start + .seconds(7)))
        #expect(try store.hasStays(endedBefore: Self.start + .seconds(8)))
    }

    @Test func `a place beyond all times is none`() {
        #expect(HistoryStore.Place("keys:\(Int64.max)") == nil)
        #expect(HistoryStore.Place("keys:\(Int64.max - 1)") != nil)
    }

    @Test func `a household's day is less than 4 MB of writing`() throws {
        let folder = try TestFolder()
        let store = try store(folder)
        let before = try written()
        var generator = SplitMix64(seed: 1)
        // Twenty items that change a hundred times each, written every quarter of an hour.
        for quarter in 0..<96 {
            var changes: [Change] = []
            for _ in 0..<21 {
                let item = "item-\(Int.random(in: 0..<20, using: &generator))"
                let room = "Room \(Int.random(in: 0..<8, using: &generator))"
                let at = Double(quarter * 900) + Double.random(in: 0..<900, using: &generator)
                changes.append(change(item, .home, room, at: at))
            }
            let cursor = LogCursor("1.abcd-\(quarter * 21 + 21)")
            try store.add(changes.sorted { $0.at < $1.at }, cursor: cursor)
            try store.commit()
        }
        let megabytes = Double(try written() - before) / 1e6
        #expect(0.1 < megabytes && megabytes < 4, "\(megabytes) MB")
        print("history: a household's day writes \((megabytes * 100).rounded() / 100) MB")
    }

    /// The bytes that this thread has passed to write calls, as the kernel counts them. The store writes on the thread of its caller.
    private func written() throws -> Int {
        let text = String(decoding: try readFile(at: "/proc/thread-self/io"), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("wchar: ") })
        return try #require(Int(line.dropFirst(7)))
    }
}

import Beacons
import GRDB
import Glibc
import Linux
import Messages
import Synchronization

/// The stays of all items, in one SQLite file.
///
/// A row is a change: the item, the time, and the state from then on. The end of a stay is the beginning of the next, so that no fact stands
/// twice. A row with the state of the row before does not begin a stay: the view `beginning` has the rows that do. Changes collect in one open transaction until `commit`, or until somebody reads. A crash undoes them together with the cursor, so that
/// the event log provides them again: each change is stored exactly once.
package final class HistoryStore: HistoryWriter {
    /// The limit of stays in one response.
    package static let most = 1000
    /// The limit of steps of `strips`: a year by the hour has 8,760.
    package static let mostSteps = 10_000
    /// The limit of rows that one transaction changes: memory and the file beside the database grow with a transaction.
    static let mostRows = 5000
    /// A presence that is unknown for longer is a stay of its own, although the item was in its room all along.
    package static let shortestUnknown = Interval.seconds(60)
    /// How many items, and how many transactions, one call of `prune` handles at most.
    private static let itemsInStep = 1000
    private static let stepsInCall = 20

    /// How many reports are computed at once, each on a connection and a thread of its own.
    static let readers = 3
    /// The limit of the file's size in bytes up to which `isSound` reads it.
    static let mostChecked = 1 << 30

    let path: String
    let database: Mutex<DatabasePool>
    /// The one connection that writes, and those that read.
    var queue: DatabasePool { database.withLock(\.self) }
    /// The path of a damaged history that was set aside.
    let aside: Mutex<String?>
    /// Why a reader could not commit what waited, until the next write throws that error.
    let failure = Mutex<(any Error)?>(nil)
    private let measured = Mutex(0)
    /// Whether the log beside the file has rows that somebody deleted.
    private let mustTruncate = Mutex(false)
    /// How many changes the open transaction has.
    let uncommitted = Mutex(0)
    /// Where the deletion of old stays goes on; `nil`: at its beginning.
    let walk = Mutex<Walk?>(nil)

    /// Opens the file, and creates it if necessary. A file that is no database is set aside.
    package init(at path: String) throws(Failure) {
        self.path = path
        do { database = Mutex(try Self.openOrReplace(path)) } catch {
            throw Failure(.disk, "\(path) cannot be used (\(error)): \(Self.remedy(of: error, at: path))")
        }
        aside = Mutex(possibleNamesAside(of: path).first { access($0, F_OK) == 0 })
        measure()
    }

    func measure() {
        let bytes = try? queue.writeWithoutTransaction { try size(in: $0) }
        measured.withLock { $0 = bytes ?? 0 }
    }

    // MARK: Writing

    package func cursor() throws -> LogCursor {
        try queue.writeWithoutTransaction { db in
            try String.fetchOne(db, sql: "SELECT event FROM progress WHERE reader = 'events'").map { LogCursor($0) }
                ?? LogCursor()
        }
    }

    /// Adds changes, and how far the event logs are stored with them, to the open transaction, which is written if it has become large.
    /// If that fails, the transaction is undone.
    package func add(_ changes: [Change], cursor: LogCursor? = nil) throws {
        guard !changes.isEmpty || cursor != nil else { return }
        try undoingFailures { db in
            if !db.isInsideTransaction { try db.beginTransaction(.immediate) }
            for change in changes where try !isForgotten(change, in: db) { try insert(change, in: db) }
            if let cursor {
                try db.execute(
                    sql:
                        "INSERT INTO progress (reader, event) VALUES ('events', ?) ON CONFLICT (reader) DO UPDATE SET event = excluded.event",
                    arguments: [cursor.description])
            }
            let count = uncommitted.withLock { count in
                count += changes.count
                return count
            }
            if count >= Self.mostRows { try commit(db) }
        }
    }

    /// Runs a part of the open transaction, which is undone if the part fails.
    private func undoingFailures<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let failed = failure.withLock { failure in
            defer { failure = nil }
            return failure
        }
        if let failed { throw failed }
        return try queue.writeWithoutTransaction { db in
            do { return try body(db) } catch {
                if db.isInsideTransaction { try? db.rollback() }
                uncommitted.withLock { $0 = 0 }
                throw error
            }
        }
    }

    private func commit(_ db: Database) throws {
        try db.commit()
        uncommitted.withLock { $0 = 0 }
        let size = try size(in: db)
        measured.withLock { $0 = size }
    }

    /// Reads what is stored, beside writers and other readers. What waits for a commit is committed first, so that readers see it; if that
    /// fails, the next write throws the error, and its caller provides again what was undone.
    func reading<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        if uncommitted.withLock({ $0 > 0 }) {
            try await queue.writeWithoutTransaction { [self] db in
                guard db.isInsideTransaction else { return }
                do { try commit(db) } catch {
                    if db.isInsideTransaction { try? db.rollback() }
                    uncommitted.withLock { $0 = 0 }
                    failure.withLock { $0 = error }
                }
            }
        }
        return try await queue.read(body)
    }

    /// Writes the open transaction; returns whether there was one.
    @discardableResult
    package func commit() throws -> Bool {
        try undoingFailures { db in
            guard db.isInsideTransaction else { return false }
            try commit(db)
            return true
        }
    }

    /// Deletes the stays of an item that began up to `time`, and commits. Changes of the item up to `time` are dropped from then on, because
    /// the event log may still provide them.
    ///
    /// - Parameter isWhole: whether stays are deleted that began later, by a clock that is ahead.
    package func forget(_ item: String, upTo time: WallTime, isWhole: Bool) throws {
        try undoingFailures { db in
            if !db.isInsideTransaction { try db.beginTransaction(.immediate) }
            try db.execute(
                sql: """
                    INSERT INTO forgotten (item, before_ms) VALUES (?, ?)
                    ON CONFLICT (item) DO UPDATE SET before_ms = max(before_ms, excluded.before_ms)
                    """, arguments: [item, time.milliseconds])
            if isWhole {
                try db.execute(
                    sql: "DELETE FROM stay WHERE item = ? AND begin_ms > ?", arguments: [item, time.milliseconds])
            }
            try commit(db)
        }
        try deleteForgotten()
    }

    /// Deletes the stays of which that is due. A crash or an error between two of the transactions leaves rows, which `prune` deletes, or the
    /// removal of their item.
    func deleteForgotten() throws {
        try commit()
        while try undoingFailures({ try deleteForgotten(in: $0) }) == Self.mostRows {}
        mustTruncate.withLock { $0 = true }
        truncateLog()
    }

    /// Deletes the stays of an item that began up to `time`, and commits.
    package func forget(_ item: String, upTo time: WallTime) throws { try forget(item, upTo: time, isWhole: false) }

    /// Empties SQLite's log beside the file if it has deleted rows. While somebody reads, that fails, and `prune` tries again.
    private func truncateLog() {
        mustTruncate.withLock { isDue in
            guard isDue else { return }
            isDue = (try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }) == nil
        }
    }

    private func deleteForgotten(in db: Database) throws -> Int {
        try db.execute(
            sql: """
                DELETE FROM stay WHERE (item, begin_ms) IN (
                    SELECT stay.item, begin_ms FROM forgotten JOIN stay ON stay.item = forgotten.item AND begin_ms <= before_ms
                    LIMIT ?)
                """, arguments: [Self.mostRows])
        return db.changesCount
    }

    package func present() throws -> [String] {
        try queue.writeWithoutTransaction { db in
            try items(in: db).filter { try row(of: $0, notAfter: .max, in: db)?.state != nil }
        }
    }

    package func hasStays(endedBefore end: WallTime) throws -> Bool {
        try queue.writeWithoutTransaction { db in
            try items(in: db).contains { item in
                try Bool.fetchOne(
                    db, sql: "SELECT count(*) > 1 FROM (SELECT 1 FROM stay WHERE item = ? AND begin_ms <= ? LIMIT 2)",
                    arguments: [item, end.milliseconds]) ?? false
            }
        }
    }

    /// The items whose past was deleted, and up to which time, by item.
    package func forgotten() throws -> [String: WallTime] {
        try queue.writeWithoutTransaction { db in
            var forgotten: [String: WallTime] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT item, before_ms FROM forgotten") {
                forgotten[row["item"]] = WallTime(milliseconds: row["before_ms"])
            }
            return forgotten
        }
    }

    private func isForgotten(_ change: Change, in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM forgotten WHERE item = ? AND before_ms >= ?)",
            arguments: [change.item, change.at.milliseconds]) ?? false
    }

    /// One pass over the items that deletes what ended before a time.
    struct Walk {
        var end: Int64
        /// The last item that is done.
        var item = ""
        /// When the first stay ended that is left, and when the last one began, of the items that are done.
        var firstEnd: Int64?
        var last: Int64?
    }

    /// Deletes some of the stays that ended before `end`, and of the oldest if the file is larger than `bytes`, in transactions of a limited
    /// size; returns whether there are more.
    package func prune(endedBefore end: WallTime, bytes: Int) throws -> Bool {
        try commit()
        truncateLog()
        for _ in 0..<Self.stepsInCall {
            let isMore = try undoingFailures { db in
                try db.beginTransaction(.immediate)
                var walk = self.walk.withLock(\.self)
                if walk == nil {
                    if try deleteForgotten(in: db) == Self.mostRows {
                        try commit(db)
                        return true
                    }
                    // The event log has nothing as old as this.
                    try db.execute(sql: "DELETE FROM forgotten WHERE before_ms < ?", arguments: [end.milliseconds])
                    walk = Walk(end: end.milliseconds)
                }
                let next = try step(walk!, bytes: bytes, in: db)
                try commit(db)
                self.walk.withLock { $0 = next }
                return next != nil
            }
            if !isMore { return false }
        }
        return true
    }

    /// Goes on with a pass; returns where the next step begins, `nil`: there is nothing left to delete.
    private func step(_ walk: Walk, bytes: Int, in db: Database) throws -> Walk? {
        var walk = walk
        var room = Self.mostRows
        let items = try items(after: walk.item, most: Self.itemsInStep, in: db)
        for item in items {
            try db.execute(
                sql: """
                    DELETE FROM stay WHERE item = ?1 AND begin_ms IN (
                        SELECT begin_ms FROM stay WHERE item = ?1 AND begin_ms <
                            (SELECT max(begin_ms) FROM stay WHERE item = ?1 AND begin_ms <= ?2)
                        ORDER BY begin_ms LIMIT ?3)
                    """, arguments: [item, walk.end, room])
            room -= db.changesCount
            guard room > 0 else { return walk }
            // What remains of an item that was removed long ago.
            try db.execute(
                sql: """
                    DELETE FROM stay WHERE item = ?1 AND presence IS NULL AND begin_ms <= ?2
                        AND NOT EXISTS (SELECT 1 FROM stay WHERE item = ?1 AND begin_ms > ?2)
                    """, arguments: [item, walk.end])
            walk.item = item
            let end = try Int64.fetchOne(
                db, sql: "SELECT begin_ms FROM stay WHERE item = ? ORDER BY begin_ms LIMIT 1 OFFSET 1",
                arguments: [item])
            let last = try Int64.fetchOne(db, sql: "SELECT max(begin_ms) FROM stay WHERE item = ?", arguments: [item])
            walk.firstEnd = [walk.firstEnd, end].compactMap(\.self).min()
            walk.last = [walk.last, last].compactMap(\.self).max()
        }
        guard items.count < Self.itemsInStep else { return walk }
        // A twentieth of the time since the first stay ended, the oldest first. Where none has ended, the file is as small as it can be.
        guard try size(in: db) > bytes, let first = walk.firstEnd, let last = walk.last else { return nil }
        return Walk(end: first + (last - first) / 20)
    }

    /// The size of what is stored, in bytes, without free pages.
    package func size() throws -> Int { try queue.writeWithoutTransaction { try size(in: $0) } }

    /// The size as of the last commit, without a look at the disk.
    package var lastSize: Int { measured.withLock(\.self) }

    private func size(in db: Database) throws -> Int {
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
        return (pages - free) * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 1024)
    }

    struct StoredRow {
        var begin: Int64
        var state: Stay.State?
    }

    /// Puts a change into the item's timeline, also behind one with the same state: a change between the two may arrive later, from the event
    /// log of another aggregator. Readers see the two as one stay.
    private func insert(_ change: Change, in db: Database) throws {
        let begin = change.at.milliseconds
        // The removal of an item without any stay needs no row.
        if change.state == nil, try row(of: change.item, notAfter: begin, in: db) == nil { return }
        if let former = change.former, let gap = try gap(before: begin, of: change.item, for: former, in: db) {
            try put(former, of: change.item, at: gap, in: db)
        }
        try put(change.state, of: change.item, at: begin, in: db)
        if let gap = change.gap {
            try db.execute(sql: "DELETE FROM stay WHERE item = ? AND begin_ms = ?", arguments: [change.item, gap])
        }
    }

    private func put(_ state: Stay.State?, of item: String, at begin: Int64, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO stay (item, begin_ms, presence, room) VALUES (?, ?, ?, ?)
                ON CONFLICT (item, begin_ms) DO UPDATE SET presence = excluded.presence, room = excluded.room
                """, arguments: [item, begin, state?.presence.rawValue, state?.room])
    }

    /// Where the timeline lacks the state that an event reports of the time before it; `nil`: it has one. Locations bring first stays and
    /// the rooms of returns, and a crash may have undone those. Since when an item was there is unknown: it was right before the event.
    private func gap(before event: Int64, of item: String, for former: Stay.State, in db: Database) throws -> Int64? {
        let last = try row(of: item, notAfter: event - 1, in: db)
        guard let last, let state = last.state, state.presence != .unknown else { return event - 1 }
        return state == Stay.State(.home) && former.room != nil ? last.begin : nil
    }

    func row(of item: String, notAfter time: Int64, in db: Database) throws -> StoredRow? {
        try first("stay WHERE item = ? AND begin_ms <= ? ORDER BY begin_ms DESC", [item, time], in: db)
    }

    /// The first row of a table or view, as far as `condition` has rows of it.
    func first(_ condition: String, _ arguments: StatementArguments, in db: Database) throws -> StoredRow? {
        let row = try Row.fetchOne(
            db, sql: "SELECT begin_ms, presence, room FROM \(condition) LIMIT 1", arguments: arguments)
        return row.map(StoredRow.init)
    }

    /// The items, by id; each step searches the next in the table's order.
    func items(after item: String = "", most: Int = .max, in db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                WITH RECURSIVE each(item) AS (
                    SELECT min(item) FROM stay WHERE item > ?
                    UNION ALL SELECT (SELECT min(item) FROM stay WHERE stay.item > each.item) FROM each WHERE item IS NOT NULL
                ) SELECT item FROM each WHERE item IS NOT NULL LIMIT ?
                """, arguments: [item, most])
    }
}

extension HistoryStore.StoredRow {
    init(_ row: Row) {
        begin = row["begin_ms"]
        let presence: String? = row["presence"]
        state = presence.flatMap(Presence.init(rawValue:)).map { Stay.State($0, room: row["room"]) }
    }
}

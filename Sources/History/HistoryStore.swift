import Beacons
import GRDB
import Linux
import Messages

/// The stays of all items, in one SQLite file.
///
/// A row is a change: the item, the time, and the state from then on. The end of a stay is the beginning of the next, so that no fact stands
/// twice. Changes collect in one open transaction until `commit`; all readers use the same connection and see them at once. A crash undoes
/// them together with the cursor, so that the event log provides them again: each change is stored exactly once.
public final class HistoryStore: HistoryWriter {
    /// The limit of stays in one response.
    public static let most = 1000

    let queue: DatabaseQueue

    /// Opens the file, and creates it if necessary.
    public init(at path: String) throws(Failure) {
        var configuration = Configuration()
        configuration.label = "history"
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { db in
            // Small pages: a change rewrites one, and cards wear out by the byte.
            try db.execute(sql: "PRAGMA page_size = 1024")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            // A power cut may undo the last commits, but never half of one.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            // Nothing is written before a commit.
            try db.execute(sql: "PRAGMA cache_spill = OFF")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 1000")
        }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS stay (
                            item TEXT NOT NULL,
                            begin_ms BIGINT NOT NULL,
                            presence TEXT,
                            room TEXT,
                            PRIMARY KEY (item, begin_ms)
                        ) WITHOUT ROWID;
                        CREATE TABLE IF NOT EXISTS forgotten (
                            item TEXT NOT NULL PRIMARY KEY,
                            before_ms BIGINT NOT NULL
                        ) WITHOUT ROWID;
                        CREATE TABLE IF NOT EXISTS progress (
                            reader TEXT NOT NULL PRIMARY KEY,
                            event TEXT NOT NULL
                        ) WITHOUT ROWID;
                        """)
                // A damaged file is found now, not while people look.
                guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                }
            }
        } catch {
            throw Failure(.disk, "\(path) cannot be used (\(error)): move it away, or free disk space")
        }
    }

    /// Whether an error of `init` means that the file is not a database, so that a new one may take its place.
    public static func isDamaged(at path: String) -> Bool {
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } != "ok"
        } catch let error as DatabaseError {
            return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
        } catch {
            return false
        }
    }

    // MARK: Writing

    /// The last event of the event log that is stored; `nil` before the first.
    public func cursor() throws -> EventID? {
        try queue.writeWithoutTransaction { db in
            try String.fetchOne(db, sql: "SELECT event FROM progress WHERE reader = 'events'").flatMap { EventID($0) }
        }
    }

    /// Adds changes, and the last event that they come from, to the open transaction. If that fails, the transaction is undone.
    public func add(_ changes: [Change], cursor: EventID? = nil) throws {
        guard !changes.isEmpty || cursor != nil else { return }
        try queue.writeWithoutTransaction { db in
            do {
                if !db.isInsideTransaction { try db.beginTransaction(.immediate) }
                for change in changes where try !isForgotten(change, in: db) { try insert(change, in: db) }
                if let cursor {
                    try db.execute(
                        sql:
                            "INSERT INTO progress (reader, event) VALUES ('events', ?) ON CONFLICT (reader) DO UPDATE SET event = excluded.event",
                        arguments: [cursor.description])
                }
            } catch {
                if db.isInsideTransaction { try? db.rollback() }
                throw error
            }
        }
    }

    /// Adds current states: a state that lasts already changes nothing, and a state never begins before the last one did.
    ///
    /// A state that began before the last known one is older than the events, which arrive by another way: it is skipped.
    public func observe(_ changes: [Change]) throws {
        let changes = try queue.writeWithoutTransaction { db in
            try changes.compactMap { change -> Change? in
                guard let last = try row(of: change.item, notAfter: Int64.max, in: db) else {
                    return change.state == nil ? nil : change
                }
                guard last.state != change.state else { return nil }
                if change.at.milliseconds < last.begin, last.state.map({ $0.presence != .unknown }) ?? false {
                    return nil
                }
                var change = change
                change.at = max(change.at, WallTime(milliseconds: last.begin))
                return change
            }
        }
        try add(changes)
    }

    /// Writes the open transaction; returns whether there was one.
    @discardableResult
    public func commit() throws -> Bool {
        try queue.writeWithoutTransaction { db in
            guard db.isInsideTransaction else { return false }
            do { try db.commit() } catch {
                if db.isInsideTransaction { try? db.rollback() }
                throw error
            }
            return true
        }
    }

    /// Deletes all stays of an item, and commits. Changes of the item up to `time` are dropped from then on, because the event log may still
    /// provide them.
    public func forget(_ item: String, upTo time: WallTime) throws {
        try queue.writeWithoutTransaction { db in
            do {
                if !db.isInsideTransaction { try db.beginTransaction(.immediate) }
                try db.execute(sql: "DELETE FROM stay WHERE item = ?", arguments: [item])
                try db.execute(
                    sql: """
                        INSERT INTO forgotten (item, before_ms) VALUES (?, ?)
                        ON CONFLICT (item) DO UPDATE SET before_ms = excluded.before_ms
                        """, arguments: [item, time.milliseconds])
                try db.commit()
            } catch {
                if db.isInsideTransaction { try? db.rollback() }
                throw error
            }
        }
    }

    /// The items whose past was deleted, and up to which time, by item.
    public func forgotten() throws -> [String: WallTime] {
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

    /// Deletes stays that ended before `end`, and the oldest if the file is larger than `bytes`. Part of the open transaction.
    public func prune(endedBefore end: WallTime, bytes: Int) throws {
        try queue.writeWithoutTransaction { db in
            if !db.isInsideTransaction { try db.beginTransaction(.immediate) }
            do {
                try prune(endedBefore: end.milliseconds, in: db)
                // The event log has nothing as old as this.
                try db.execute(sql: "DELETE FROM forgotten WHERE before_ms < ?", arguments: [end.milliseconds])
                while try size(in: db) > bytes {
                    // A twentieth of the time since the first stay ended, the oldest first. Where none has ended, the file is as small as it can be.
                    guard let first = try firstEnd(in: db),
                        let last = try Int64.fetchOne(db, sql: "SELECT max(begin_ms) FROM stay")
                    else { break }
                    try prune(endedBefore: first + (last - first) / 20, in: db)
                }
            } catch {
                if db.isInsideTransaction { try? db.rollback() }
                throw error
            }
        }
    }

    /// When the first stay ended that is stored; `nil`: none has ended.
    private func firstEnd(in db: Database) throws -> Int64? {
        try items(in: db).compactMap { item in
            try Int64.fetchOne(
                db, sql: "SELECT begin_ms FROM stay WHERE item = ? ORDER BY begin_ms LIMIT 1 OFFSET 1",
                arguments: [item])
        }.min()
    }

    private func prune(endedBefore end: Int64, in db: Database) throws {
        for item in try items(in: db) {
            try db.execute(
                sql: """
                    DELETE FROM stay WHERE item = ?1 AND begin_ms <
                        (SELECT max(begin_ms) FROM stay WHERE item = ?1 AND begin_ms <= ?2)
                    """, arguments: [item, end])
            // What remains of an item that was removed long ago.
            try db.execute(
                sql: """
                    DELETE FROM stay WHERE item = ?1 AND presence IS NULL AND begin_ms <= ?2
                        AND NOT EXISTS (SELECT 1 FROM stay WHERE item = ?1 AND begin_ms > ?2)
                    """, arguments: [item, end])
        }
    }

    /// The size of what is stored, in bytes, without free pages.
    public func size() throws -> Int { try queue.writeWithoutTransaction { try size(in: $0) } }

    private func size(in db: Database) throws -> Int {
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
        return (pages - free) * (try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 1024)
    }

    struct StoredRow {
        var begin: Int64
        var state: Stay.State?
    }

    /// Puts a change into the item's timeline; neighbours with the same state become one stay.
    private func insert(_ change: Change, in db: Database) throws {
        let begin = change.at.milliseconds
        let former = try row(of: change.item, notAfter: begin, in: db)
        guard former == nil || former?.state != change.state else { return }
        // The removal of an item without any stay needs no row.
        guard former != nil || change.state != nil else { return }
        if let next = try row(of: change.item, after: begin, in: db), next.state == change.state {
            try db.execute(
                sql: "DELETE FROM stay WHERE item = ? AND begin_ms = ?", arguments: [change.item, next.begin])
        }
        if former?.begin == begin, let earlier = try row(of: change.item, notAfter: begin - 1, in: db),
            earlier.state == change.state
        {
            try db.execute(sql: "DELETE FROM stay WHERE item = ? AND begin_ms = ?", arguments: [change.item, begin])
            return
        }
        try db.execute(
            sql: """
                INSERT INTO stay (item, begin_ms, presence, room) VALUES (?, ?, ?, ?)
                ON CONFLICT (item, begin_ms) DO UPDATE SET presence = excluded.presence, room = excluded.room
                """, arguments: [change.item, begin, change.state?.presence.rawValue, change.state?.room])
    }

    func row(of item: String, notAfter time: Int64, in db: Database) throws -> StoredRow? {
        try Row.fetchOne(
            db,
            sql:
                "SELECT begin_ms, presence, room FROM stay WHERE item = ? AND begin_ms <= ? ORDER BY begin_ms DESC LIMIT 1",
            arguments: [item, time]
        ).map(StoredRow.init)
    }

    private func row(of item: String, after time: Int64, in db: Database) throws -> StoredRow? {
        try Row.fetchOne(
            db,
            sql: "SELECT begin_ms, presence, room FROM stay WHERE item = ? AND begin_ms > ? ORDER BY begin_ms LIMIT 1",
            arguments: [item, time]
        ).map(StoredRow.init)
    }

    /// The items, by id; each step searches the next in the table's order.
    func items(after item: String = "", in db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                WITH RECURSIVE each(item) AS (
                    SELECT min(item) FROM stay WHERE item > ?
                    UNION ALL SELECT (SELECT min(item) FROM stay WHERE stay.item > each.item) FROM each WHERE item IS NOT NULL
                ) SELECT item FROM each WHERE item IS NOT NULL
                """, arguments: [item])
    }
}

extension HistoryStore.StoredRow {
    init(_ row: Row) {
        begin = row["begin_ms"]
        let presence: String? = row["presence"]
        state = presence.flatMap(Presence.init(rawValue:)).map { Stay.State($0, room: row["room"]) }
    }
}

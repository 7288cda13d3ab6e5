import GRDB
import Glibc
import Linux
import Synchronization

/// How the file is opened and checked, and how a damaged one is set aside.
extension HistoryStore {
    /// Opens the file; sets one aside that is no database, or is damaged, and begins a new one.
    static func openOrReplace(_ path: String) throws -> DatabasePool {
        // SQLite would delete what was written beside a file that is none of its own.
        if !isDatabase(path) { _ = try setAside(path) }
        do { return try open(path) } catch {
            guard isDamage(error) else { throw error }
            _ = try setAside(path)
            return try open(path)
        }
    }

    /// Whether a file begins as those of SQLite do; an empty one is new.
    private static func isDatabase(_ path: String) -> Bool {
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return true }
        defer { close(number) }
        var head = [UInt8](repeating: 0, count: 16)
        return read(number, &head, head.count) <= 0 || head == Array("SQLite format 3\0".utf8)
    }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "history"
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(2)
        configuration.maximumReaderCount = Self.readers
        configuration.prepareDatabase { db in
            guard !db.configuration.readonly else { return }
            // Small pages: a change rewrites one, and cards wear out by the byte.
            try db.execute(sql: "PRAGMA page_size = 1024")
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            // A power cut may undo the last commits, but never half of one.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 1000")
            // What somebody deleted is not to be found in the file.
            try db.execute(sql: "PRAGMA secure_delete = ON")
        }
        // SQLite gives its other files the mode of this one.
        _ = try? FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o640)
        let queue = try DatabasePool(path: path, configuration: configuration)
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
                    CREATE VIEW IF NOT EXISTS beginning AS SELECT item, begin_ms, presence, room FROM stay AS later
                    WHERE NOT coalesce((
                        SELECT earlier.presence IS later.presence AND earlier.room IS later.room FROM stay AS earlier
                        WHERE earlier.item = later.item AND earlier.begin_ms < later.begin_ms
                        ORDER BY earlier.begin_ms DESC LIMIT 1), FALSE);
                    CREATE TABLE IF NOT EXISTS forgotten (
                        item TEXT NOT NULL PRIMARY KEY,
                        before_ms BIGINT NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE IF NOT EXISTS progress (
                        reader TEXT NOT NULL PRIMARY KEY,
                        event TEXT NOT NULL
                    ) WITHOUT ROWID;
                    """)
        }
        return queue
    }

    /// Writes what is committed in the file at `path` into a new file, as of one moment, while a service may be writing the history.
    package static func copy(_ path: String, to copy: String) throws(Failure) {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [copy]) }
        } catch {
            throw Failure(.disk, "\(path) cannot be copied (\(error)): \(remedy(of: error, at: path))")
        }
    }

    /// Why a part of the past is not in this history, in a sentence; `nil` if all is.
    package var problem: String? {
        guard let name = aside.withLock(\.self), access(name, F_OK) == 0 else { return nil }
        return "The history was damaged: it is set aside as \(name), and a new one began; "
            + "delete that file if you do not need it."
    }

    /// Whether the file can be read as a whole, unless it is larger than `mostChecked`: takes up to half a minute, beside all other use.
    package func isSound() -> Bool {
        var info = stat()
        guard stat(path, &info) == 0, info.st_size <= Self.mostChecked else { return true }
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try queue.unsafeRead { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } == "ok"
        } catch {
            return !Self.isDamage(error)
        }
    }

    /// Moves the file and the files beside it away, and creates a new one. The moved file may be the only copy.
    package func beginAnew() throws {
        try database.withLock { queue in
            try? queue.close()
            let name = try Self.setAside(path)
            aside.withLock { $0 = name }
            queue = try Self.open(path)
        }
        uncommitted.withLock { $0 = 0 }
        walk.withLock { $0 = nil }
        failure.withLock { $0 = nil }
        measure()
    }

    /// Creates a new history after an error that means that the file is damaged; returns whether the file was damaged.
    package func recover(from error: any Error) throws -> Bool {
        guard Self.isDamage(error) else { return false }
        try beginAnew()
        return true
    }

    private static func setAside(_ path: String) throws -> String {
        let name = try Linux.setAside(path)
        // What was committed last is in this file only.
        rename(path + "-wal", name + "-wal")
        unlink(path + "-shm")
        return name
    }

    private static func isDamage(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(code)
    }

    package func remedy(of error: any Error) -> String { Self.remedy(of: error, at: path) }

    /// What to do about an error of the file at a path.
    static func remedy(of error: any Error, at path: String) -> String {
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_FULL?: "free disk space"
        case .SQLITE_READONLY?, .SQLITE_PERM?, .SQLITE_CANTOPEN?, .SQLITE_AUTH?:
            "let the service's user write \(path) and its folder"
        case .SQLITE_BUSY?, .SQLITE_LOCKED?: "end the other program that has \(path) open"
        case .SQLITE_IOERR?: "examine the disk, with dmesg"
        case .SQLITE_CORRUPT?, .SQLITE_NOTADB?: "move the file away"
        default: "look at \(path) and its disk"
        }
    }
}

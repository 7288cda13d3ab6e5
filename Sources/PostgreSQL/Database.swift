import Beacons
import CPostgreSQL
import Glibc
import Synchronization

/// A connection to a PostgreSQL server, which is made again when it is lost. Each call blocks until the server has responded, or for a limited time.
final class Database: Sendable {
    /// What a statement or a connection failed with.
    struct Problem: Error, CustomStringConvertible {
        /// The server's or the library's words, in one line.
        var description: String
        /// The server's code, SQLSTATE; `nil` if the server did not respond.
        var state: String?

        /// Whether the server refuses what a statement contains, and will each time: a text that the database cannot hold, a number out of
        /// range, a row that is too long.
        var isRefusal: Bool { state.map { $0.hasPrefix("22") || $0.hasPrefix("54") } ?? false }
    }

    fileprivate struct State: @unchecked Sendable {
        var connection: OpaquePointer?
        /// For how long the server may not respond to a statement. Its own limit (`statement_timeout`) needs a server that works.
        var patience: Interval
    }

    private let address: String
    private let setUp: String
    private let state: Mutex<State>

    /// The database at a connection URL of libpq, not connected yet. Each new connection begins with the statements `setUp`.
    init(_ address: String, setUp: String, patience: Interval = .seconds(30)) {
        state = Mutex(State(patience: patience))
        // Without time limits libpq waits for hours for a server that is gone.
        var address = address
        for (name, value) in [("connect_timeout", 10), ("tcp_user_timeout", 20_000)] where !address.contains(name) {
            address += "\(address.contains("?") ? "&" : "?")\(name)=\(value)"
        }
        self.address = address
        self.setUp = setUp
    }

    deinit { state.withLock { $0.close() } }

    /// Runs one statement; returns the first column of its first row.
    @discardableResult
    func query(_ statement: String, _ parameters: String?...) throws(Problem) -> String? {
        try query(statement, parameters)
    }

    @discardableResult
    func query(_ statement: String, _ parameters: [String?]) throws(Problem) -> String? {
        // A lost connection shows when it is used: the statement is run once more, on a new one. A statement that failed left nothing.
        let outcome = state.withLock { state -> Result<String?, Problem> in
            do throws(Problem) {
                let isNew = try state.open(address, setUp)
                do throws(Problem) {
                    return .success(try state.query(statement, parameters))
                } catch {
                    guard !isNew else { throw error }
                    state.close()
                    try state.open(address, setUp)
                    return .success(try state.query(statement, parameters))
                }
            } catch {
                if !state.isConnected { state.close() }
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

fileprivate extension Database.State {
    var isConnected: Bool { connection.map { postgresql_is_connected($0) } ?? false }

    mutating func close() {
        if let connection { postgresql_finish(connection) }
        connection = nil
    }

    /// Connects unless a connection stands; returns whether there is a new one.
    @discardableResult
    mutating func open(_ address: String, _ setUp: String) throws(Database.Problem) -> Bool {
        guard !isConnected else { return false }
        close()
        guard postgresql_load() else {
            throw Database.Problem(description: "libpq is not installed: install Debian's package libpq5")
        }
        connection = postgresql_connect(address)
        guard isConnected else { throw problem }
        _ = try query(setUp, [])
        return true
    }

    mutating func query(_ statement: String, _ parameters: [String?]) throws(Database.Problem) -> String? {
        let texts = parameters.map { $0.map { UnsafePointer(strdup($0)) } ?? nil }
        defer { for text in texts { free(UnsafeMutablePointer(mutating: text)) } }
        let response = postgresql_query(
            connection, statement, Int32(texts.count), texts, Int32(patience.milliseconds))
        guard let response else {
            var problem = problem
            if problem.description.isEmpty { problem.description = "the server does not respond" }
            close()
            throw problem
        }
        return try check(response)
    }

    /// The first column of a response's first row, if it is a success.
    private func check(_ response: OpaquePointer) throws(Database.Problem) -> String? {
        defer { postgresql_clear(response) }
        guard postgresql_succeeded(response) else {
            var problem = problem
            problem.state = postgresql_state(response).map { String(cString: $0) }
            throw problem
        }
        return postgresql_text(response).map { String(cString: $0) }
    }

    /// The problem in one line, without the library's line feeds.
    private var problem: Database.Problem {
        let text = connection.flatMap { postgresql_error($0) }.map { String(cString: $0) } ?? "out of memory"
        return Database.Problem(description: text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
}

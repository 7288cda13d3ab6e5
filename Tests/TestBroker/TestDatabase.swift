import Beacons
import Glibc
import Linux

/// A real PostgreSQL server of a test's own, with a socket in its folder only.
package final class TestDatabase {
    /// Debian's folder of the newest release's programs; `nil` if there is no server.
    private static let programs: String? = (13...19).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
        .first { access("\($0)/postgres", X_OK) == 0 }
    /// Whether there is a server to be started.
    package static var isInstalled: Bool { programs != nil }

    private let folder: TestFolder
    private var process: Child?

    /// Starts a server with an empty database, and waits until it accepts connections.
    package init() throws {
        folder = try TestFolder()
        // The server refuses to run as root.
        if geteuid() == 0 { _ = try Child(["chown", "postgres", folder.path]).waitForEnd() }
        let code = try Self.start(
            "initdb", ["-D", folder.path("data"), "-A", "trust", "-U", "site", "--no-sync"], log: folder.path("initdb")
        ).waitForEnd()
        guard code == 0 else { throw SystemError("run initdb", code: Int32(code)) }
        try start()
    }

    deinit { process?.end(by: SIGQUIT) }

    /// The URL of its database.
    package var address: String { "postgresql:///postgres?host=\(folder.path)&user=site" }

    /// Kills the server: it recovers at the next start.
    package func kill() {
        process?.end(by: SIGQUIT)
        process = nil
    }

    /// Starts the server and waits until it accepts connections.
    package func start() throws {
        process = try Self.start(
            "postgres", ["-D", folder.path("data"), "-k", folder.path, "-c", "listen_addresses="],
            log: folder.path("log"))
        let deadline = Clock.now + .seconds(60)
        while try Self.start("pg_isready", ["-q", "-h", folder.path], log: "/dev/null").waitForEnd() != 0 {
            guard Clock.now < deadline else { throw SystemError("start postgres", code: ETIMEDOUT) }
            _ = wait(for: [], until: Clock.now + .milliseconds(50))
        }
    }

    /// The processor time of the server and of what works for its connections now.
    package var processorTime: Interval {
        guard let pid = process?.pid else { return .zero }
        let children = (try? readFile(at: "/proc/\(pid)/task/\(pid)/children", limit: 4096)) ?? []
        let pids = String(decoding: children, as: UTF8.self).split(separator: " ").compactMap { Int32($0) } + [pid]
        return pids.reduce(.zero) { $0 + Self.processorTime(of: $1) }
    }

    private static func processorTime(of pid: Int32) -> Interval {
        let bytes = (try? readFile(at: "/proc/\(pid)/stat", limit: 4096)) ?? []
        // Behind the program's name, which may have blanks: the 12th and 13th field, in ticks.
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return .zero }
        return .seconds(Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    private static func start(_ program: String, _ arguments: [String], log: String) throws -> Child {
        let command = ["\(programs ?? "")/\(program)"] + arguments
        // `exec`, so that a signal reaches the server.
        return try Child(
            geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] + command : command,
            output: log)
    }
}

import Beacons
import Glibc
import Linux

/// A real PostgreSQL server of a test's own, which listens on a socket in its folder only.
public final class TestDatabase {
    /// Debian's folder of the newest release's programs; `nil` if there is no server.
    private static let programs: String? = (13...19).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
        .first { access("\($0)/postgres", X_OK) == 0 }
    /// Whether there is a server to be started.
    public static var isInstalled: Bool { programs != nil }

    private let folder: TestFolder
    private var process: Child?

    /// Starts a server with an empty database, and waits until it accepts connections.
    public init() throws {
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
    public var address: String { "postgresql:///postgres?host=\(folder.path)&user=site" }

    /// Kills the server: it recovers at the next start.
    public func kill() {
        process?.end(by: SIGQUIT)
        process = nil
    }

    /// Starts the server and waits until it accepts connections.
    public func start() throws {
        process = try Self.start(
            "postgres", ["-D", folder.path("data"), "-k", folder.path, "-c", "listen_addresses="],
            log: folder.path("log"))
        let deadline = Clock.now + .seconds(60)
        while try Self.start("pg_isready", ["-q", "-h", folder.path], log: "/dev/null").waitForEnd() != 0 {
            guard Clock.now < deadline else { throw SystemError("start postgres", code: ETIMEDOUT) }
            _ = wait(for: [], until: Clock.now + .milliseconds(50))
        }
    }

    private static func start(_ program: String, _ arguments: [String], log: String) throws -> Child {
        let command = ["\(programs ?? "")/\(program)"] + arguments
        // `exec`, so that a signal reaches the server.
        return try Child(
            geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] + command : command,
            output: log)
    }
}

import Beacons
import Glibc
import Linux

/// A real mosquitto of a test's own, on a free port of the loopback.
package final class TestBroker {
    /// Whether there is a mosquitto to be started: `.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here")`.
    package static var isInstalled: Bool { ["mosquitto", "mosquitto_passwd"].allSatisfy(isProgramInstalled) }

    /// What it is configured with.
    package struct Options {
        /// Users and their passwords; none lets everybody in.
        package var users: [String: String] = [:]
        /// The lines of its ACL file; none lets everybody do everything.
        package var acl: [String] = []
        /// The certificate that it shows: its presence means TLS.
        package var identity: TestIdentity?
        /// The authority whose certificates clients must show.
        package var clientAuthority: TestAuthority?
        /// The address of the loopback at which the broker accepts connections.
        package var address = "127.0.0.1"
        /// The port of the broker; `nil` for a free one.
        package var port: UInt16?
        /// More lines for the configuration, below the `listener`.
        package var lines: [String] = []

        /// A broker that is open to everybody.
        package init() {}
    }

    /// The port of the broker, the same after a restart.
    package private(set) var port: UInt16
    /// Holds its configuration, and its `log`.
    package let folder: TestFolder
    private let options: Options
    private var process: Child?

    /// Starts a broker and waits until it accepts connections.
    package init(_ options: Options = Options()) throws {
        self.options = options
        folder = try TestFolder()
        port = 0
        try setUsers(options.users)
        try tryPorts {
            port = try options.port ?? Loopback.freePort()
            try restart()
        }
    }

    /// The broker's process: it is running, or has been killed.
    package var pid: pid_t? { process?.pid }

    /// Ends it the hard way, or with `number`, and waits until it is gone. What it did not write to disk, it forgets.
    package func kill(_ number: Int32 = SIGKILL) {
        process?.end(by: number)
        process = nil
    }

    /// Sends it a signal and leaves it at that: SIGSTOP, SIGCONT, SIGHUP.
    package func signal(_ number: Int32) {
        process?.signal(number)
    }

    /// Starts the broker again on the same port, with a configuration file written anew, and waits until it accepts connections.
    package func restart() throws {
        kill()
        process = try startMosquitto(writeConfiguration(), log: folder.path("log"))
    }

    /// Replaces its users; a running broker knows them after `signal(SIGHUP)` or `restart()`.
    package func setUsers(_ users: [String: String]) throws {
        try folder.write("", to: "users")
        for (name, password) in users {
            try run(["mosquitto_passwd", "-b", folder.path("users"), name, password], in: folder)
        }
    }

    /// What it has logged so far.
    package var log: String {
        (try? readFile(at: folder.path("log"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func writeConfiguration() throws -> String {
        // Started by root it would become another user, who may not enter the folder.
        var lines = geteuid() == 0 ? ["user root"] : []
        lines += ["log_dest stderr", "log_type all", "listener \(port) \(options.address)"]
        lines.append("allow_anonymous \(options.users.isEmpty)")
        if !options.users.isEmpty { lines.append("password_file \(folder.path("users"))") }
        if !options.acl.isEmpty {
            lines.append("acl_file \(try folder.write(options.acl.joined(separator: "\n") + "\n", to: "acl"))")
        }
        if let identity = options.identity {
            lines += ["certfile \(identity.certificate)", "keyfile \(identity.key)"]
        }
        if let authority = options.clientAuthority {
            lines += ["cafile \(authority.certificate)", "require_certificate true"]
        }
        lines += options.lines
        return try folder.write(lines.joined(separator: "\n") + "\n", to: "mosquitto.conf")
    }
}

/// Starts a mosquitto, and waits until it logs that it runs: a response at its port could come from another program.
///
/// - Parameter log: the file that it logs to, behind what is there.
package func startMosquitto(_ configuration: String, log: String) throws -> Child {
    let before = (try? readFile(at: log))?.count ?? 0
    let process = try Child(["mosquitto", "-c", configuration], output: log)
    let deadline = Clock.now + .seconds(60)
    while true {
        // Its end first: what it logged until then is in the file.
        let isRunning = process.isRunning
        let logged = String(decoding: ((try? readFile(at: log)) ?? []).dropFirst(before), as: UTF8.self)
        if isRunning, logged.contains(" running\n") { return process }
        guard isRunning, Clock.now < deadline else { throw TestBrokerError("mosquitto: \(logged.suffix(2000))") }
        // Only reading shows when another process writes.
        poll(nil, 0, 5)
    }
}

/// Does what takes ports that were free a moment ago; anew where somebody else was faster, as tests run beside each other.
package func tryPorts(_ start: () throws -> Void) throws {
    for _ in 1..<5 {
        do { return try start() } catch let error as TestBrokerError where "\(error)".contains("already in use") {}
    }
    try start()
}

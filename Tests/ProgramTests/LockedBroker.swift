import Glibc
import Linux
import Mosquitto
import TestBroker

/// A mosquitto as `forgetmenot broker-setup` locks it, with the gateways kitchen and hall and the user anna.
final class LockedBroker {
    /// One of the files, and a line's beginning that is replaced by other lines in it: a lock that is left open, to see that it is one.
    struct Weakness {
        var file = "mosquitto.conf"
        var line: String
        /// `@` is the folder.
        var instead = ""
        /// Only behind the last line that begins so.
        var after = ""
    }

    let folder: TestFolder
    private(set) var port = 0
    private(set) var gatewayPort = 0
    /// The ports for people and for gateways on other machines, with TLS.
    private(set) var tlsPorts = (0, 0)
    let hasCertificates: Bool
    private var process: Child?

    init(certificates: Bool = false, tls: Bool = false, _ weaknesses: [Weakness] = []) throws {
        folder = try TestFolder()
        hasCertificates = certificates
        try tryPorts {
            port = Int(try Loopback.freePort())
            gatewayPort = Int(try Loopback.freePort())
            let ended = try setUp(
                ["--gateway", "Kitchen", "--gateway", "hall", "--user", "anna"]
                    + (certificates ? ["--certificates"] : []))
            guard ended.status == 0 else { throw TestBrokerError("broker-setup: \(ended)") }
            if tls { try useTLS() }
            for weakness in weaknesses { try weaken(weakness) }
            try start()
        }
    }

    deinit {
        process?.end(by: SIGKILL)
    }

    /// Runs `broker-setup` with these words more.
    func setUp(_ words: [String]) throws -> Ended {
        try RunningProgram(
            [
                Program.aggregator.path, "broker-setup", "--folder", folder.path, "--config",
                folder.path("aggregator.toml"),
            ]
                + ["--bind", "127.0.0.1", "--port", "\(port)", "--gateway-port", "\(gatewayPort)"] + words
        ).ended()
    }

    /// Has clients on other machines use TLS, on free ports.
    func useTLS() throws {
        guard try setUp(["--tls"]).status == 0 else { throw TestBrokerError("broker-setup refuses --tls") }
        tlsPorts = (Int(try Loopback.freePort()), Int(try Loopback.freePort()))
        try rewrite("setup.toml") { text in
            text.replacing("tls_port = 8883\n", with: "tls_port = \(tlsPorts.0)\n")
                .replacing("tls_gateway_port = 8884\n", with: "tls_gateway_port = \(tlsPorts.1)\n")
        }
        guard try setUp([]).status == 0 else { throw TestBrokerError("broker-setup refuses its ports") }
    }

    /// The text of a file in the folder.
    func text(_ name: String) throws -> String { String(decoding: try readFile(at: folder.path(name)), as: UTF8.self) }

    /// Starts the broker again, and waits until it accepts connections.
    func start() throws {
        process?.end(by: SIGTERM)
        // Started by root it would become another user, who may not enter a test's folder.
        if geteuid() == 0 { try rewrite("mosquitto.conf") { $0.hasPrefix("user ") ? $0 : "user root\n" + $0 } }
        process = try startMosquitto(folder.path("mosquitto.conf"), log: folder.path("log"))
    }

    /// How a gateway connects.
    func asGateway(_ name: String) -> BrokerOptions { options(name, port: gatewayPort) }

    /// How anybody else connects.
    func asUser(_ name: String) -> BrokerOptions { options(name, port: port) }

    private func options(_ name: String, port: Int) -> BrokerOptions {
        var options = BrokerOptions(host: "localhost", port: port, clientID: name)
        if hasCertificates {
            options.caFile = folder.path("ca.crt")
            options.certificateFile = folder.path("secrets/\(name).crt")
            options.keyFile = folder.path("secrets/\(name).key")
        } else {
            options.username = name
            options.passwordFile = folder.path("secrets/\(name).password")
        }
        return options
    }

    private func weaken(_ weakness: Weakness) throws {
        try rewrite(weakness.file) { text in
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let start = weakness.after.isEmpty ? 0 : lines.lastIndex { $0.hasPrefix(weakness.after) } ?? lines.count
            guard let place = lines[start...].firstIndex(where: { $0.hasPrefix(weakness.line) }) else {
                throw TestBrokerError("\(weakness.file) has no line \(weakness.line): \(text)")
            }
            lines[place] = weakness.instead.split(separator: "@", omittingEmptySubsequences: false).joined(
                separator: folder.path)
            return lines.joined(separator: "\n")
        }
    }

    private func rewrite(_ name: String, _ change: (String) throws -> String) throws {
        try folder.write(try change(try text(name)), to: name)
    }
}

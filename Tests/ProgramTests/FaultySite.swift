import Beacons
import Glibc
import Linux
import Mosquitto
import TestBroker

/// A broker, a gateway and an aggregator that start while something is wrong.
final class FaultySite {
    /// Who signs, and what was signed, once for all houses: each signature takes a while.
    struct Papers {
        let authority: TestAuthority
        let other: TestAuthority
        let broker: TestIdentity
        let tomorrow: TestIdentity
        let client: TestIdentity
        /// What the broker is called where its name is looked up in a file of the test's own.
        static let name = "broker.test"

        init() throws {
            (authority, other) = (try TestAuthority(), try TestAuthority())
            broker = try authority.issue(to: "localhost", alias: Self.name)
            tomorrow = try authority.issue(to: "localhost", validFrom: Clock.wall + .seconds(86_400))
            client = try authority.issue(to: "kitchen")
        }
    }

    let fault: BootFault
    let hasTLS: Bool
    var name: String { "\(fault.rawValue), \(hasTLS ? "TLS" : "plain")" }
    private let papers: Papers
    private let broker: TestBroker
    private let folder: TestFolder
    private var healedAt = WallTime(milliseconds: 0)
    private var programs: [(word: String, process: RunningProgram)] = []

    init(_ fault: BootFault, withTLS: Bool, _ papers: Papers) throws {
        (self.fault, hasTLS, self.papers) = (fault, withTLS, papers)
        folder = try TestFolder()
        var options = TestBroker.Options()
        options.users = fault == .unknownUser ? ["hall": "rose"] : ["kitchen": "rose"]
        if withTLS {
            options.clientAuthority = papers.authority
            let shown = TestIdentity(certificate: folder.path("broker.crt"), key: folder.path("broker.key"))
            try Self.copy(fault == .certificateNotYetValid ? papers.tomorrow : papers.broker, to: shown)
            options.identity = shown
        }
        broker = try TestBroker(options)
        try folder.write(fault == .wrongPassword ? "thorn\n" : "rose\n", to: "password")
        try Self.copy(
            papers.client, to: TestIdentity(certificate: folder.path("client.crt"), key: folder.path("client.key")))
        try copy((fault == .wrongAuthority ? papers.other : papers.authority).certificate, to: "ca.crt")
        try begin()
    }

    private static func copy(_ source: TestIdentity, to target: TestIdentity) throws {
        try replaceFile(at: target.certificate, with: readFile(at: source.certificate))
        try replaceFile(at: target.key, with: readFile(at: source.key))
    }

    private func copy(_ source: String, to name: String) throws {
        try replaceFile(at: folder.path(name), with: readFile(at: source))
    }

    // MARK: The fault

    private func begin() throws {
        switch fault {
        case .brokerDown: broker.kill()
        case .brokerSilent: broker.signal(SIGSTOP)
        case .nameUnknown:
            try write("127.0.0.1 localhost\n", into: "hosts")
            try write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n", into: "resolv.conf")
        case .noStateFolder: try folder.write("", to: "state")
        // Ten years.
        case .clockBehind: try write("-315360000\n", into: "clock")
        case .keyUnreadable: chmod(folder.path("client.key"), 0)
        default: break
        }
    }

    /// Ends the fault.
    func heal() throws {
        healedAt = Clock.wall
        switch fault {
        case .brokerDown: try broker.restart()
        case .brokerSilent: broker.signal(SIGCONT)
        case .nameUnknown: try write("127.0.0.1 localhost \(Papers.name)\n", into: "hosts")
        case .wrongPassword: try folder.write("rose\n", to: "password")
        case .unknownUser:
            try broker.setUsers(["kitchen": "rose"])
            broker.signal(SIGHUP)
        case .noStateFolder: unlink(folder.path("state"))
        case .noAdapter: break
        case .clockBehind: try write("0\n", into: "clock")
        case .certificateNotYetValid:
            let shown = TestIdentity(certificate: folder.path("broker.crt"), key: folder.path("broker.key"))
            try Self.copy(papers.broker, to: shown)
            try broker.restart()
        case .wrongAuthority: try copy(papers.authority.certificate, to: "ca.crt")
        case .keyUnreadable: chmod(folder.path("client.key"), 0o600)
        }
    }

    /// In place: what is mounted is the file, and not its name.
    private func write(_ text: String, into name: String) throws {
        let number = open(folder.path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw SystemError.last("write \(folder.path(name))") }
        let file = FileDescriptor(owning: number)
        guard Glibc.write(file.number, text, text.utf8.count) == text.utf8.count else {
            throw SystemError.last("write \(folder.path(name))")
        }
    }

    // MARK: The programs

    /// Starts both.
    func start() throws {
        let radio = fault == .noAdapter ? "bluez:hci97" : "simulation"
        let host = fault == .nameUnknown ? Papers.name : "localhost"
        var mqtt = "[mqtt]\nhost = \"\(host)\"\nport = \(broker.port)\n"
        mqtt += "username = \"kitchen\"\npassword_file = \"password\"\n"
        if hasTLS { mqtt += "ca_file = \"ca.crt\"\ncertificate_file = \"client.crt\"\nkey_file = \"client.key\"\n" }
        let gateway = try folder.write(
            "id = \"kitchen\"\nroom = \"Kitchen\"\nstate_directory = \"state/gateway\"\n" + mqtt
                + "[radio]\nsource = \"\(radio)\"\n" + Site.region, to: "gateway.toml")
        let aggregator = try folder.write(
            "state_directory = \"state/aggregator\"\n" + mqtt + Site.noPage, to: "aggregator.toml")
        for (program, file) in [(Program.gateway, gateway), (.aggregator, aggregator)] {
            let words = fault.prefix(in: folder) + [program.path, "run", "--config", file]
            programs.append((program.rawValue, try RunningProgram(words)))
        }
    }

    /// Waits until both programs are in the fault, and report it.
    func waitForFault() throws {
        for (_, process) in programs {
            if let complaint = fault.complaint(withTLS: hasTLS) {
                try process.complaint(of: complaint, within: .seconds(60))
            } else {
                try process.complaint(of: "Connected to the broker", within: .seconds(60))
            }
        }
    }

    /// Waits until both programs are connected and monitor, and returns how long after the fault's end that was; `nil` where they were all along.
    func recovery() throws -> Interval? {
        var longest: Interval?
        if !fault.letsConnect(withTLS: hasTLS) {
            for (_, process) in programs {
                let line = try process.complaint(of: "Connected to the broker", within: .seconds(60))
                let at = line.split(separator: " ").first.flatMap { WallTime(String($0)) }
                longest = max(longest ?? .zero, (at ?? Clock.wall) - healedAt)
            }
        } else if fault == .noStateFolder {
            for (_, process) in programs {
                try process.complaint(of: "The disk can be written again", within: .seconds(60))
            }
        }
        try proveThatTheyRun()
        return longest
    }

    private func proveThatTheyRun() throws {
        var options = BrokerOptions(host: "localhost", port: Int(broker.port), clientID: "observer")
        (options.username, options.passwordFile) = ("kitchen", try folder.write("rose\n", to: "observer.password"))
        if hasTLS {
            (options.caFile, options.certificateFile) = (papers.authority.certificate, papers.client.certificate)
            options.keyFile = papers.client.key
        }
        let observer = try Observer(options)
        let state = "forgetmenot/regions/house/kitchen/state"
        let expected = fault == .noAdapter ? "\"state\":\"unknown\"" : "\"state\":\"inside\""
        try observer.wait(for: "both") {
            observer.latest["forgetmenot/aggregator/availability"] == "online"
                && observer.latest["forgetmenot/gateways/kitchen/availability"] == "online"
                && observer.latest[state]?.contains(expected) == true
        }
    }

    /// Ends both, in order.
    func stop() throws -> [String] {
        try programs.compactMap { word, process in
            let end = try process.ended(by: SIGTERM)
            return end.status == 0 && !end.hasCrashed ? nil : "\(name): \(word) ended with \(end.status): \(end.errors)"
        }
    }
}

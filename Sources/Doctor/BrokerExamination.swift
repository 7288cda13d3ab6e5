import Beacons
import Glibc
import Linux
import Messages
import Mosquitto

/// Examines the broker: whether it responds, and whether it accepts the login.
package struct BrokerExamination: Sendable {
    /// The limit for the broker's response.
    private static let patience = Interval.seconds(5)

    private var options: BrokerOptions
    private let filter: String
    private let user: String
    /// The program that is logged in, so that this examination must not use the same login.
    private let runner: String?
    private let known: Finding?
    private let hasCertificate: Bool

    /// - Parameters:
    ///   - options: the broker and the login. The client id is not used, because it may be in use.
    ///   - filter: the topic filter that the program must be allowed to read.
    ///   - runner: the running program, such as `the gateway (process 812)`. A broker that uses user names as client ids
    ///     would disconnect that program, so the examination then connects without a user name and a certificate.
    ///   - known: what that program knows of its own login; `nil`: nothing.
    package init(
        _ options: BrokerOptions, reading filter: String, beside runner: String?, knowing known: Finding? = nil
    ) {
        self.options = options
        self.filter = filter
        self.runner = runner
        self.known = known
        hasCertificate = options.certificateFile != nil
        user = options.username.map { "user \($0)" } ?? "a client without username"
        self.options.clientID = "\(options.clientID)-doctor-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        self.options.subscriptions = runner == nil ? [Subscription(filter, .atMostOnce)] : []
        guard runner != nil else { return }
        self.options.username = nil
        self.options.passwordFile = nil
        self.options.certificateFile = nil
        self.options.keyFile = nil
    }

    /// The findings `broker` and `credentials`; this takes some seconds if the broker does not respond.
    package func findings() -> [Finding] {
        let connection: BrokerConnection
        do throws(Failure) {
            connection = try BrokerConnection(options)
            try connection.start()
        } catch {
            return [unseen("the connection cannot be started"), Finding("credentials", .failed, "\(error)")]
        }
        defer { connection.stop(within: .milliseconds(500)) }
        var deadline = Clock.now + Self.patience
        var isIn = false
        /// The addresses of the broker that were not tried yet.
        var addresses = options.alternatives.count
        while Clock.now < deadline {
            for notice in connection.take() {
                switch notice {
                case .connected where runner != nil: return [response, known ?? untried]
                case .connected: isIn = true
                case .subscribed:
                    let text = "\(user) is accepted, and may subscribe to \(filter)"
                    return [response, Finding("credentials", .passed, text)]
                case .subscriptionRefused(_, let refusal):
                    return [response, Finding("credentials", .failed, "\(refusal): see the broker's ACL")]
                case .failing(let fault) where addresses > 0 && fault.kind.isOfReach:
                    addresses -= 1
                    deadline = Clock.now + Self.patience
                case .failing(let fault), .disconnected(let fault): return findings(of: fault)
                default: break
                }
            }
            _ = wait(for: [connection.wakeup], until: deadline)
        }
        let silence = Finding("credentials", .failed, "\(user) is accepted, but its subscription gets no response")
        return isIn ? [response, silence] : [Finding("broker", .failed, "\(address) does not respond"), unknown]
    }

    private func findings(of fault: BrokerFault) -> [Finding] {
        switch fault.kind {
        case .file: [unseen("the files must be correct first"), Finding("credentials", .failed, "\(fault)")]
        case .credentials where runner != nil, .refused where runner != nil: [response, known ?? untried]
        // A broker that requires a certificate was itself trusted before.
        case .tls where runner != nil && hasCertificate: [response, known ?? untried]
        case .credentials, .refused, .takenOver: [response, Finding("credentials", .failed, "\(fault)")]
        case .unreachable where isHere:
            [Finding("broker", .failed, "\(fault)" + (mosquittoErrors().map { "; mosquitto: \($0)" } ?? "")), unknown]
        default: [Finding("broker", .failed, "\(fault)"), unknown]
        }
    }

    private var address: String {
        guard options.alternatives.isEmpty else {
            return ([options.host] + options.alternatives).joined(separator: " or ") + ", port \(options.port),"
        }
        return options.host.contains(":") ? "[\(options.host)]:\(options.port)" : "\(options.host):\(options.port)"
    }

    private var isHere: Bool { options.host == "localhost" || options.host == "::1" || options.host.hasPrefix("127.") }

    private var response: Finding {
        Finding(
            "broker", .passed,
            "\(address) responds\(options.caFile == nil ? "" : " over TLS, with a trusted certificate")")
    }

    private var untried: Finding {
        Finding("credentials", .skipped, "not tried, because a second login might disconnect \(runner ?? "the first")")
    }

    private var unknown: Finding { Finding("credentials", .skipped, "not tried, because the broker is not reachable") }

    private func unseen(_ reason: String) -> Finding { Finding("broker", .skipped, "not checked: \(reason)") }
}

/// Why systemd could not start this machine's mosquitto, in mosquitto's words; `nil` if it did, or this user may not read that.
package func mosquittoErrors() -> String? {
    // On a slow machine systemd tries again and again, and never gives up.
    let command =
        "case $(systemctl is-active mosquitto) in failed | activating) journalctl -q --no-pager -u mosquitto -o cat -n 20 | tail -c 4000;; *) false;; esac"
    guard let output = try? MemoryFile(for: "the errors of mosquitto"),
        let program = try? Subprocess(["sh", "-c", command], input: [], output: output, errors: "/dev/null"),
        program.waitForEnd() == .exited(0)
    else { return nil }
    let text = String(decoding: output.contents(limit: 4000), as: UTF8.self)
    // systemd tried some times: each time with the same errors.
    var sentences: [Substring] = []
    for line in text.split(separator: "\n") {
        guard let sentence = line.firstRange(of: "Error").map({ line[$0.lowerBound...] }) else { continue }
        if !sentences.contains(sentence) { sentences.append(sentence) }
    }
    return sentences.isEmpty ? nil : sentences.prefix(3).joined(separator: " ")
}

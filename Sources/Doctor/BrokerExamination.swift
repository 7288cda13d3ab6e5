import Beacons
import Broker
import Linux
public import Mosquitto

/// Examines the broker: whether it responds, and whether it accepts the login.
public struct BrokerExamination: Sendable {
    /// The limit for the broker's response.
    private static let patience = Interval.seconds(5)

    private var options: BrokerOptions
    private let filter: String
    private let user: String
    /// The program that is logged in, so that this examination must not use the same login.
    private let runner: String?
    private let hasCertificate: Bool

    /// - Parameters:
    ///   - options: the broker and the login. The client id is not used, because it may be in use.
    ///   - filter: the topic filter that the program must be allowed to read.
    ///   - runner: the running program, such as `the gateway (process 812)`. A broker that uses user names as client ids
    ///     would disconnect that program, so the examination then connects without a user name and a certificate.
    public init(_ options: BrokerOptions, reading filter: String, beside runner: String?) {
        self.options = options
        self.filter = filter
        self.runner = runner
        hasCertificate = options.certificateFile != nil
        user = options.username.map { "user \($0)" } ?? "a client without username"
        self.options.clientID = "\(options.clientID)-doctor-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
        self.options.subscriptions = runner == nil ? [Subscription(filter, qos: .atMostOnce)] : []
        guard runner != nil else { return }
        self.options.username = nil
        self.options.passwordFile = nil
        self.options.certificateFile = nil
        self.options.keyFile = nil
    }

    /// The findings `broker` and `credentials`; this takes some seconds if the broker does not respond.
    public func findings() -> [Finding] {
        let connection: BrokerConnection
        do throws(Failure) {
            connection = try makeConnection(options)
            try connection.begin()
        } catch {
            return [unseen("the connection cannot be started"), Finding("credentials", .failed, "\(error)")]
        }
        defer { connection.stop(within: .milliseconds(500)) }
        let deadline = Clock.now + Self.patience
        var isIn = false
        while Clock.now < deadline {
            for notice in connection.take() {
                switch notice {
                case .connected where runner != nil: return [response, untried]
                case .connected: isIn = true
                case .subscribed:
                    return [response, Finding("credentials", .passed, "\(user) is accepted, and may read \(filter)")]
                case .subscriptionRefused(_, let refusal):
                    return [response, Finding("credentials", .failed, "\(refusal): see the broker's ACL")]
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
        case .credentials where runner != nil, .refused where runner != nil: [response, untried]
        // A broker that requires a certificate was itself trusted before.
        case .tls where runner != nil && hasCertificate: [response, untried]
        case .credentials, .refused, .takenOver: [response, Finding("credentials", .failed, "\(fault)")]
        default: [Finding("broker", .failed, "\(fault)"), unknown]
        }
    }
}

extension BrokerExamination {
    private var address: String {
        options.host.contains(":") ? "[\(options.host)]:\(options.port)" : "\(options.host):\(options.port)"
    }

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

import Beacons
import Linux
import TestBroker

/// What a server like ntfy receives for one phone, and what the phone would show.
final class PushedMessages {
    /// What the server does with a request.
    enum Manner {
        case takes
        /// It responds that it cannot.
        case fails
        /// It has the request, and does not respond.
        case hangs
        /// Its port is closed.
        case down
    }

    var manner = Manner.takes { didSet { server.isUp = manner != .down } }
    var port: UInt16 { server.port }
    /// When the aggregator was killed last.
    var lastKill = Instant.zero
    /// The message that the phone shows.
    private(set) var shown: String?
    /// The messages that the phone has shown, in order: one that replaces itself counts once.
    private(set) var messages: [String] = []
    /// How often a message came again although the server had not taken it for certain: the phone shows it once.
    private(set) var repeats = 0
    /// Requests that the server refused or left without a response.
    private(set) var failures = 0
    private(set) var faults: [String] = []

    private let server: TestPushServer
    private var sequences: Set<String> = []
    private var takenAt: [String: Instant] = [:]
    private var cleared: Set<String> = []

    init() { server = try! TestPushServer() }

    /// So long after the response the aggregator may not have it on its disk.
    private static let unwritten = Interval.seconds(5)

    /// Takes the requests that come within `span`.
    func serve(within span: Interval) throws {
        guard server.isCalled(within: span) else { return }
        let status: Int? =
            switch manner {
            case .takes, .down: 200
            case .fails: 503
            case .hangs: nil
            }
        let request = try server.take(status: status)
        if manner == .fails { failures += 1 } else { note(request, isTaken: manner == .takes) }
    }

    private func note(_ request: TestPushServer.Request, isTaken: Bool) {
        if !isTaken { failures += 1 }
        guard request.method == "POST" else {
            if let shown { cleared.insert(shown) }
            shown = nil
            return
        }
        let message = Self.text(after: "/acknowledge/", in: request.body)
        sequences.insert(Self.text(after: "\"sequence_id\":\"", in: request.body))
        if sequences.count > 1 { faults.append("the phone shows two: \(sequences.sorted())") }
        if cleared.contains(message) { faults.append("\(message) came after its withdrawal") }
        if messages.contains(message) {
            repeats += 1
            if let at = takenAt[message], !(at...at + Self.unwritten).contains(lastKill) {
                faults.append("\(message) came again, although the server had taken it")
            }
        } else {
            messages.append(message)
        }
        shown = message
        if isTaken { takenAt[message] = Clock.now }
    }

    private static func text(after start: String, in body: String) -> String {
        body.firstRange(of: start).map { String(body[$0.upperBound...].prefix { $0 != "\"" }) } ?? ""
    }
}

import Beacons

/// Detects a broker that still responds but delivers nothing with QoS 1 any more: what this client sends to itself must return.
///
/// mosquitto (2.0.11 at least) keeps a place of the session's window for each message that is larger than the client accepts. When all
/// twenty are taken, only messages with QoS 0 arrive, until the client connects again.
struct Echo {
    enum Step {
        case send
        case reconnect
    }

    /// How long nothing arrives before an echo is sent, and how long that may take.
    private let span: Interval
    /// When the echo was sent that nothing has followed yet.
    private var sentAt: Instant?
    private var arrivedAt: Instant?
    private var isTested = false
    /// Whether an echo has returned on this connection. A broker may acknowledge what its ACL denies.
    private var returns = false

    init(after span: Interval) {
        self.span = span
    }

    /// Records a message with QoS 1, or an echo.
    mutating func arrived(isEcho: Bool, at now: Instant) {
        guard isTested else { return }
        (arrivedAt, sentAt) = (now, nil)
        returns = returns || isEcho
    }

    /// Records that the broker does not accept the echo.
    mutating func refused() { returns = false }

    /// What is to be done while nothing waits to be read. The first echo is sent at once, to know whether it returns.
    mutating func step(at now: Instant) -> Step? {
        if let sentAt { return returns && now - sentAt >= span ? .reconnect : nil }
        if let arrivedAt, now - arrivedAt < span { return nil }
        (sentAt, isTested) = (now, true)
        return .send
    }
}

import Beacons

/// Detects another client with the same id if the broker does not report it. MQTT 3.1.1 has no such message, and
/// mosquitto before 2.0.15 does not send the one of MQTT 5. Such a broker accepts each connection and closes it shortly
/// after without a reason.
///
/// An unstable link or a crashing broker may look the same once or twice, but the broker is then unreachable for a
/// while. From the second such ending on, the next attempt therefore comes at once. The suspicion grows only if that
/// attempt is accepted. Other failures look different: resets and silence.
struct Suspicion {
    private static let soon = Interval.seconds(30)

    private let endings: Int
    private var count = 0

    /// - Parameter endings: the number of such endings in a row that raises the suspicion.
    init(endings: Int) {
        self.endings = endings
    }

    /// Whether the next attempt must test that the broker is reachable, and therefore comes at once.
    var requiresProof: Bool { count >= 2 }

    /// Records the end of a connection; returns whether the suspicion is raised.
    mutating func isRaised(by fault: BrokerFault, after lasted: Interval) -> Bool {
        count = fault.kind == .closed && lasted < Self.soon ? count + 1 : 0
        guard count >= endings else { return false }
        // The other client may have gone since. The next suspicion also needs a test, but fewer endings.
        count = max(1, endings - 2)
        return true
    }

    /// Records that an attempt failed.
    mutating func isAllayed() {
        count = 0
    }
}

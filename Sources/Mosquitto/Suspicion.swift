import Beacons

/// Whether another client seems to have our id, where the broker does not say so (MQTT 3.1.1 has no word for it, and mosquitto before
/// 2.0.15 does not say it either): it lets us in each time, and soon closes the connection without a word.
///
/// A bad line, or a broker that dies, can look so once or twice. But then the way to the broker is closed for a while: from the second
/// such ending on the next attempt comes at once, and only where that is let in it goes on being suspicious. Other breaks look otherwise
/// anyway: resets, silence.
struct Suspicion {
    private static let soon = Interval.seconds(30)

    private let endings: Int
    private var count = 0

    /// - Parameter endings: so many in a row raise it.
    init(endings: Int) {
        self.endings = endings
    }

    /// Whether the next attempt is to show that the way is open: it comes at once.
    var wantsProof: Bool { count >= 2 }

    /// A connection ended.
    mutating func isRaised(by fault: BrokerFault, after lasted: Interval) -> Bool {
        count = fault.kind == .closed && lasted < Self.soon ? count + 1 : 0
        guard count >= endings else { return false }
        // The other may have gone since: the next time that needs a proof, too, and not all of them.
        count = max(1, endings - 2)
        return true
    }

    /// An attempt failed.
    mutating func isAllayed() {
        count = 0
    }
}

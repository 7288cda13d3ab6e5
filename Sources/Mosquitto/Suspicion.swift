import Beacons

/// Whether another client seems to have our id, where the broker does not say so: it lets us in each time, and soon closes the
/// connection without a word.
///
/// A network that breaks looks otherwise: by resets, by silence, and by attempts that fail.
struct Suspicion {
    private static let soon = Interval.seconds(30)

    private let endings: Int
    private var count = 0

    /// - Parameter endings: so many in a row raise it.
    init(endings: Int) {
        self.endings = endings
    }

    /// A connection ended.
    mutating func isRaised(by fault: BrokerFault, after lasted: Interval) -> Bool {
        count = fault.kind == .closed && lasted < Self.soon ? count + 1 : 0
        return count >= endings
    }

    /// An attempt failed.
    mutating func isAllayed() {
        count = 0
    }
}

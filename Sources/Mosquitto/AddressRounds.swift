import Beacons

/// The order in which the broker's addresses are tried, and after which attempts the connection waits.
///
/// Another address may work, so the connection waits only after a round in which all addresses failed. A cluster that lost a server accepts
/// clients again within seconds, so the connection does not wait after the first rounds. A connection that ended after a moment counts as a failed
/// attempt: a cluster that elects a leader accepts a client and drops it again.
struct AddressRounds {
    /// The rounds over all addresses that follow one another without a wait.
    static let quickRounds = 3

    /// The index of the address that is tried next.
    private(set) var place = 0
    private let count: Int
    private var failures = 0

    /// - Parameter count: the number of addresses, at least 1.
    init(count: Int) {
        self.count = count
    }

    /// Goes on to the next address. Returns whether it is tried at once; if not, the back-off decides how long the connection waits.
    ///
    /// - Parameters:
    ///   - fault: why the attempt or the connection ended.
    ///   - lasted: how long the connection lasted; `nil`: there was none.
    mutating func isNextAtOnce(after fault: BrokerFault, lasted: Interval?) -> Bool {
        place = (place + 1) % count
        // Two clients with one id disconnect each other. They would only do so faster.
        let isFailure = lasted.map { $0 < Backoff.proof && fault.kind != .closed && fault.kind != .takenOver } ?? true
        failures = isFailure ? failures + 1 : 0
        return failures % count != 0 || (count > 1 && (1...Self.quickRounds).contains(failures / count))
    }
}

import Synchronization

/// What the page counts since its start.
final class Counters: Sendable {
    private let statuses = Mutex<[Int: UInt64]>([:])

    /// Counts a response by the hundreds of its status.
    func count(_ status: Int) { statuses.withLock { $0[status / 100, default: 0] += 1 } }

    /// The number of responses by the hundreds of their status.
    var responses: [Int: UInt64] { statuses.withLock { $0 } }
}

import Beacons
import Messages

/// Asks the broker once more for retained entries of the registry that did not come.
///
/// A broker drops what exceeds a client's queue without a word (mosquitto: `max_queued_messages`, by default 1000). A registry that is larger
/// never arrives whole through one subscription. The missing entries are subscribed to one by one, a few at a time, and unsubscribed from again.
package struct RegistryFetch: Sendable {
    /// What the connection has to do.
    package enum Step: Hashable, Sendable {
        case subscribe([Topic])
        case unsubscribe([Topic])
    }

    /// Entries asked for at once: far less than any broker queues.
    static let most = 200
    /// The first question waits until no entry has come for so long.
    static let quiet = Interval.seconds(2)
    /// A request without a response after this time gets none.
    static let patience = Interval.seconds(5)
    /// After so long what did not come is asked for again.
    static let pause = Interval.seconds(60)

    private var lastArrival = Instant.zero
    private var asked: [Topic] = []
    private var askedAt = Instant.zero
    private var given: Set<Topic> = []
    private var gaveUpAt: Instant?

    package init() {}

    package mutating func entryArrived(at now: Instant) { lastArrival = now }

    /// Whether everything that is `missing` was asked for, in vain.
    package func hasGivenUp(on missing: Set<Topic>) -> Bool { asked.isEmpty && missing.isSubset(of: given) }

    /// What to do about the entries that are missing now. Call about once a second, with none missing as well.
    package mutating func advance(missing: Set<Topic>, at now: Instant) -> [Step] {
        var steps: [Step] = []
        if !asked.isEmpty {
            let open = asked.filter(missing.contains)
            guard open.isEmpty || now >= askedAt + Self.patience else { return [] }
            steps.append(.unsubscribe(asked))
            given.formUnion(open)
            asked = []
        }
        guard !missing.isEmpty else {
            (given, gaveUpAt) = ([], nil)
            return steps
        }
        if hasGivenUp(on: missing) {
            let since = gaveUpAt ?? now
            gaveUpAt = since
            guard now >= since + Self.pause else { return steps }
            (given, gaveUpAt) = ([], nil)
        }
        guard now >= lastArrival + Self.quiet else { return steps }
        asked = Array(missing.subtracting(given).sorted { "\($0)" < "\($1)" }.prefix(Self.most))
        guard !asked.isEmpty else { return steps }
        askedAt = now
        return steps + [.subscribe(asked)]
    }
}

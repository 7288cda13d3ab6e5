/// The numbered events of one boot: what happened, in order, kept for readers that missed some of it.
///
/// Events are numbered from 1 and delivered in order; a delivered one is kept too, because an acknowledgement of the broker
/// is not durable. At most `limit` are kept: the oldest are dropped first, delivered or not, and `forgotten` says which.
public struct EventLog: Sendable {
    /// One event as it is published.
    public struct Entry: Sendable, Hashable {
        /// Its number, from 1.
        public var seq: UInt64
        /// Where it is published.
        public var topic: String
        /// The JSON object.
        public var payload: [UInt8]
    }

    /// The word of the process start that numbers them.
    public let boot: String
    private let limit: Int
    private var entries: [Entry] = []
    private var nextSeq: UInt64 = 1
    private var nextToSend: UInt64 = 1
    private var inFlight: Set<UInt64> = []

    /// An empty log that keeps at most `limit` events.
    public init(boot: String, limit: Int) {
        precondition(limit > 0)
        self.boot = boot
        self.limit = limit
    }

    /// The number that the next event gets.
    public var upcoming: UInt64 { nextSeq }

    /// The numbers of what is kept; `nil` when there is nothing.
    public var kept: ClosedRange<UInt64>? {
        guard let first = entries.first, let last = entries.last else { return nil }
        return first.seq...last.seq
    }

    /// How many events still wait for the broker's acknowledgement.
    public var undelivered: Int {
        let waiting =
            entries.last.map { $0.seq >= nextToSend ? Int($0.seq - max(nextToSend, entries[0].seq)) + 1 : 0 } ?? 0
        return waiting + inFlight.count
    }

    /// Adds an event, whose number is `upcoming`: the payload says it, too.
    public mutating func append(topic: String, payload: [UInt8]) {
        entries.append(Entry(seq: nextSeq, topic: topic, payload: payload))
        nextSeq += 1
        // Cutting in blocks keeps the cost of dropping at O(1) per event.
        if entries.count >= limit + max(1, limit / 4) { entries.removeFirst(entries.count - limit) }
    }

    /// The events numbered within `range`, oldest first, at most `most`; and whether there are more.
    public func entries(in range: ClosedRange<UInt64>, most: Int) -> (entries: ArraySlice<Entry>, more: Bool) {
        guard let kept, range.overlaps(kept) else { return ([], false) }
        let wanted = range.clamped(to: kept)
        let start = Int(wanted.lowerBound - kept.lowerBound)
        let count = Int(wanted.upperBound - wanted.lowerBound) + 1
        return (entries[start..<start + min(count, most)], count > most)
    }

    /// Of the numbers within `range`, those that were dropped.
    public func forgotten(in range: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        let firstKept = entries.first?.seq ?? nextSeq
        guard firstKept > 1, range.lowerBound < firstKept else { return nil }
        return range.lowerBound...min(range.upperBound, firstKept - 1)
    }

    /// The next event to publish; `nil` when all were taken. It counts as in flight until acknowledged or rewound.
    public mutating func takeNext() -> Entry? {
        guard let first = entries.first, nextToSend < nextSeq else { return nil }
        nextToSend = max(nextToSend, first.seq)
        let entry = entries[Int(nextToSend - first.seq)]
        inFlight.insert(entry.seq)
        nextToSend += 1
        return entry
    }

    /// The broker has the event `seq`.
    public mutating func acknowledge(_ seq: UInt64) {
        inFlight.remove(seq)
    }

    /// The event `seq` could not be handed over after all: it is the next again.
    public mutating func giveBack(_ seq: UInt64) {
        inFlight.remove(seq)
        nextToSend = min(nextToSend, seq)
    }

    /// The connection is gone: everything from the first unacknowledged event on is to be published again, in order.
    public mutating func rewind() {
        guard let first = inFlight.min() else { return }
        nextToSend = min(nextToSend, first)
        inFlight.removeAll(keepingCapacity: true)
    }
}

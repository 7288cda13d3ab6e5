/// The delivery of events to the broker, in order, until they are acknowledged.
extension EventLog {
    /// The number of events that the broker has not acknowledged yet.
    package var undelivered: Int {
        let earlier = backlog.reduce(0) { $0 + $1.seqs.count }
        return earlier + ahead.count + Int(nextSeq - 1 - sentUpTo) + inFlight.count { !$0.isAcknowledged } + aside.count
    }

    /// The events that the caller must read from disk and `supply` before the delivery can continue; `nil`: none.
    package var requested: EventSpan? {
        guard ahead.isEmpty else { return nil }
        if let span = backlog.first { return span.first(Self.mostRead) }
        let next = sentUpTo + 1
        guard next < firstInMemory else { return nil }
        return catalogue.seqs(of: boot).first { $0.upperBound >= next }
            .map { EventSpan(boot: boot, seqs: max($0.lowerBound, next)...$0.upperBound).first(Self.mostRead) }
    }

    /// Accepts the events that the disk has of the `requested` ones; the others are counted as lost.
    package mutating func supply(_ entries: [Entry], for span: EventSpan) {
        lost += UInt64(span.seqs.count - min(span.seqs.count, entries.count))
        ahead += entries
        guard span.boot != boot else {
            sentUpTo = max(sentUpTo, span.seqs.upperBound)
            return
        }
        guard let first = backlog.first, first.boot == span.boot else { return }
        let rest = first.seqs.upperBound
        if span.seqs.upperBound < rest {
            backlog[0].seqs = span.seqs.upperBound + 1...rest
        } else {
            backlog.removeFirst()
        }
    }

    /// The next event to publish; `nil` if there is none, or if the next event is `requested` or not yet stored on disk.
    package mutating func dequeue() -> Entry? {
        guard let entry = nextEntry() else { return nil }
        handedOver += 1
        inFlight.append(Flight(entry: entry, order: handedOver))
        return entry
    }

    private mutating func nextEntry() -> Entry? {
        if !ahead.isEmpty { return ahead.removeFirst() }
        guard requested == nil, let first = memory.first?.seq else { return nil }
        let next = max(sentUpTo + 1, first)
        guard next < nextSeq, !waitsForDisk || next <= storedUpTo else { return nil }
        sentUpTo = next
        return memory[Int(next - first)]
    }

    /// Whether the event `seq` of this run and all events before it were taken for delivery.
    package func isHandedOver(_ seq: UInt64) -> Bool { backlog.isEmpty && ahead.isEmpty && sentUpTo >= seq }

    package mutating func acknowledge(_ place: Place) {
        guard let index = inFlight.firstIndex(where: { $0.entry.place == place }) else { return }
        inFlight[index].isAcknowledged = true
        removeDelivered()
    }

    /// Records that the broker refused the event. The event waits until `retry`; later events are delivered meanwhile.
    ///
    /// If later events are acknowledged, a restart does not retry the event. It stays in the log, where readers can
    /// request it.
    package mutating func refuse(_ place: Place) {
        guard let index = inFlight.firstIndex(where: { $0.entry.place == place }) else { return }
        aside.append(inFlight.remove(at: index))
        removeDelivered()
    }

    /// The number of refused events that wait for `retry`.
    package var refused: Int { aside.count }

    /// Returns the refused events to the front of the delivery, in order.
    package mutating func retry() -> [Place] {
        let entries = aside.sorted { $0.order < $1.order }.map(\.entry)
        aside = []
        ahead.insert(contentsOf: entries, at: 0)
        return entries.map(\.place)
    }

    private mutating func removeDelivered() {
        let done = inFlight.prefix { $0.isAcknowledged }
        inFlight.removeFirst(done.count)
        guard let last = done.last?.entry.place, last.boot != boot || !hasUndeliveredEarlierRuns else { return }
        // A retried event proves nothing about the events that were delivered meanwhile.
        if let delivered, delivered.boot == boot, last.boot != boot || last.seq < delivered.seq { return }
        delivered = last
    }

    private var hasUndeliveredEarlierRuns: Bool {
        !backlog.isEmpty || ahead.contains { $0.place.boot != boot }
            || (inFlight + aside).contains { $0.entry.place.boot != boot }
    }

    /// Returns the last taken event to the front of the delivery, because it could not be published.
    package mutating func giveBack() {
        guard let last = inFlight.popLast() else { return }
        ahead.insert(last.entry, at: 0)
    }

    /// Gives up the delivery of all events that are not delivered, because another process publishes in their place. They stay in the log.
    ///
    /// - Returns: the events of this run among them that are in memory, in order.
    package mutating func withdraw() -> [Entry] {
        let taken = (aside + inFlight.filter { !$0.isAcknowledged }).map(\.entry) + ahead
        let withdrawn = taken.filter { $0.place.boot == boot } + memory.filter { $0.seq > sentUpTo }
        (ahead, aside, inFlight, backlog) = ([], [], [], [])
        sentUpTo = nextSeq - 1
        if let last = spans.last { delivered = Place(boot: last.boot, seq: last.seqs.upperBound) }
        return withdrawn.sorted { $0.seq < $1.seq }
    }

    /// Handles a lost connection: the refused events and all events from the first unacknowledged one on are published
    /// again, in order.
    package mutating func rewind() {
        ahead.insert(contentsOf: (aside + inFlight).sorted { $0.order < $1.order }.map(\.entry), at: 0)
        inFlight.removeAll(keepingCapacity: true)
        aside = []
    }
}

/// An event that was taken and is not delivered yet.
struct Flight: Sendable {
    var entry: Entry
    /// The position in the order of delivery, higher than that of all events taken before.
    var order: UInt64
    var isAcknowledged = false
}

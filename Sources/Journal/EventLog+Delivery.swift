/// What is handed to the broker, in order, and what becomes of it there.
extension EventLog {
    /// How many events still wait for the broker's acknowledgement.
    public var undelivered: Int {
        let earlier = backlog.reduce(0) { $0 + $1.seqs.count }
        return earlier + ahead.count + Int(nextSeq - 1 - sentUpTo) + inFlight.count { !$0.isAcknowledged } + aside.count
    }

    /// What has to be read from the disk, and supplied, before there is a next event to deliver.
    public var wanted: EventSpan? {
        guard ahead.isEmpty else { return nil }
        if let span = backlog.first { return span.first(Self.mostRead) }
        let next = sentUpTo + 1
        guard next < firstInMemory else { return nil }
        return catalogue.seqs(of: boot).first { $0.upperBound >= next }
            .map { EventSpan(boot: boot, seqs: max($0.lowerBound, next)...$0.upperBound).first(Self.mostRead) }
    }

    /// Takes what the disk has of what was wanted; what it has not is lost.
    public mutating func supply(_ entries: [Entry], for span: EventSpan) {
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

    /// The next event to publish; `nil` when all were taken, or the next is `wanted` or waits for the disk.
    public mutating func takeNext() -> Entry? {
        guard let entry = nextEntry() else { return nil }
        handedOver += 1
        inFlight.append(Flight(entry: entry, order: handedOver))
        return entry
    }

    private mutating func nextEntry() -> Entry? {
        if !ahead.isEmpty { return ahead.removeFirst() }
        guard wanted == nil, let first = memory.first?.seq else { return nil }
        let next = max(sentUpTo + 1, first)
        guard next < nextSeq, !waitsForDisk || next <= keptUpTo else { return nil }
        sentUpTo = next
        return memory[Int(next - first)]
    }

    /// Whether the event `seq` of this boot was taken to be delivered, and all before it.
    public func isHandedOver(_ seq: UInt64) -> Bool { backlog.isEmpty && ahead.isEmpty && sentUpTo >= seq }

    /// The broker has the event.
    public mutating func acknowledge(_ place: Place) {
        guard let index = inFlight.firstIndex(where: { $0.entry.place == place }) else { return }
        inFlight[index].isAcknowledged = true
        takeOffDelivered()
    }

    /// The broker does not take the event: it waits aside until `retry`, and those behind it go on.
    ///
    /// Once later events are acknowledged, a restart does not try it again: it stays in the log, where readers who miss it ask for it.
    public mutating func refuse(_ place: Place) {
        guard let index = inFlight.firstIndex(where: { $0.entry.place == place }) else { return }
        aside.append(inFlight.remove(at: index))
        takeOffDelivered()
    }

    /// How many events the broker refused that wait to be tried again.
    public var refused: Int { aside.count }

    /// Those that were refused are the next again, in order.
    public mutating func retry() -> [Place] {
        let entries = aside.sorted { $0.order < $1.order }.map(\.entry)
        aside = []
        ahead.insert(contentsOf: entries, at: 0)
        return entries.map(\.place)
    }

    private mutating func takeOffDelivered() {
        let done = inFlight.prefix { $0.isAcknowledged }
        inFlight.removeFirst(done.count)
        guard let last = done.last?.entry.place, last.boot != boot || !owesEarlierBoots else { return }
        // What was tried again says nothing of what was delivered meanwhile.
        if let delivered, delivered.boot == boot, last.boot != boot || last.seq < delivered.seq { return }
        delivered = last
    }

    private var owesEarlierBoots: Bool {
        !backlog.isEmpty || ahead.contains { $0.place.boot != boot }
            || (inFlight + aside).contains { $0.entry.place.boot != boot }
    }

    /// The last event taken could not be handed over after all: it is the next again.
    public mutating func giveBack() {
        guard let last = inFlight.popLast() else { return }
        ahead.insert(last.entry, at: 0)
    }

    /// The connection is gone: what was refused, and everything from the first unacknowledged event on, is to be published again, in order.
    public mutating func rewind() {
        ahead.insert(contentsOf: (aside + inFlight).sorted { $0.order < $1.order }.map(\.entry), at: 0)
        inFlight.removeAll(keepingCapacity: true)
        aside = []
    }
}

/// An event on its way to the broker.
struct Flight: Sendable {
    var entry: Entry
    /// Greater than that of every event that was taken before.
    var order: UInt64
    var isAcknowledged = false
}

extension EventSpan {
    /// The first `most` of them.
    fileprivate func first(_ most: Int) -> EventSpan {
        EventSpan(boot: boot, seqs: seqs.lowerBound...min(seqs.upperBound, seqs.lowerBound + UInt64(most - 1)))
    }
}

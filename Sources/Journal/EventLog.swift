import Beacons

/// The numbered events of a service: what happened, in order, kept for readers that missed some of it.
///
/// Events of this boot are numbered from 1; those of earlier boots stand on the disk, if there is one. All are delivered in order, and
/// kept after that, because an acknowledgement of the broker is not durable. In memory are the newest of this boot, at most
/// `memoryLimit` bytes of them: of more, the oldest are left to the disk, or forgotten where it did not take them.
///
/// Write-ahead: on a service with a disk an event is delivered only once it is kept there, so that what a reader was told is never
/// taken back by a power cut. Where the disk fails, events are delivered from memory.
///
/// It reads and writes nothing itself: `frame(at:)` is to be written, `wanted` to be read and supplied.
public struct EventLog: Sendable {
    /// A thousand events and more.
    public static let memoryLimit = 768 << 10
    /// As many are read from the disk at once.
    public static let mostRead = 64

    /// The word of the process start that numbers them.
    public let boot: String
    /// What is on the disk.
    public private(set) var catalogue = Catalogue()
    /// Whether events wait for the disk before they are delivered.
    public var waitsForDisk = false
    /// How many events were dropped before they were delivered.
    public private(set) var lost: UInt64 = 0

    private let memoryLimit: Int
    private var memory: [Entry] = []
    private var weight = 0
    private var nextSeq: UInt64 = 1
    /// The last event of this boot that is on the disk.
    public private(set) var keptUpTo: UInt64 = 0
    /// The last event of this boot that was taken to be delivered.
    private var sentUpTo: UInt64 = 0
    /// Events of earlier boots that are still to be delivered.
    private var backlog: [EventSpan] = []
    /// Read from the disk, or given back: to be delivered before all others.
    private var ahead: [Entry] = []
    private var inFlight: [Flight] = []
    /// Refused by the broker, in order: they wait to be tried again, and hold up no others.
    private var aside: [Flight] = []
    private var handedOver: UInt64 = 0
    /// The last of those up to which all is acknowledged, and whether the disk was told.
    private var delivered: Place?
    private var deliveredOnDisk: Place?

    /// An empty log of this boot.
    public init(boot: String, memoryLimit: Int = memoryLimit) {
        precondition(memoryLimit > 0)
        self.boot = boot
        self.memoryLimit = memoryLimit
    }

    // MARK: What happens

    /// The number that the next event gets.
    public var upcoming: UInt64 { nextSeq }

    /// Adds an event, whose number is `upcoming`: the payload says it, too.
    public mutating func append(topic: String, payload: [UInt8]) {
        let entry = Entry(Place(boot: boot, seq: nextSeq), topic: topic, payload: payload)
        memory.append(entry)
        weight += entry.weight
        nextSeq += 1
        // Cutting in blocks keeps the cost of dropping at O(1) per event.
        if weight > memoryLimit + memoryLimit / 4 { trim() }
    }

    private mutating func trim() {
        // What a small disk took and dropped again is nowhere once it leaves the memory.
        let firstOnDisk = catalogue.seqs(of: boot).first?.lowerBound ?? .max
        var count = 0
        while weight > memoryLimit, count < memory.count - 1 {
            let entry = memory[count]
            weight -= entry.weight
            if entry.seq > sentUpTo, entry.seq > keptUpTo || entry.seq < firstOnDisk { lost += 1 }
            count += 1
        }
        memory.removeFirst(count)
    }

    // MARK: What is there

    /// What is there, oldest boot first.
    public var spans: [EventSpan] {
        var spans = catalogue.spans
        guard let first = memory.first else { return spans }
        let held = first.seq...nextSeq - 1
        if let last = spans.last, last.boot == boot, last.seqs.upperBound + 1 >= held.lowerBound {
            spans[spans.count - 1].seqs = min(last.seqs.lowerBound, held.lowerBound)...held.upperBound
        } else {
            spans.append(EventSpan(boot: boot, seqs: held))
        }
        return spans
    }

    /// Where the events are that were asked for by number.
    public func find(_ range: ClosedRange<UInt64>, of boot: String, most: Int) -> Finding {
        var seqs: [ClosedRange<UInt64>] = []
        var (room, more) = (UInt64(most), false)
        for span in spans where span.boot == boot && span.seqs.overlaps(range) {
            let wanted = span.seqs.clamped(to: range)
            guard room > 0 else {
                more = true
                break
            }
            let count = UInt64(wanted.count)
            if count > room { more = true }
            seqs.append(wanted.lowerBound...wanted.lowerBound + min(count, room) - 1)
            room -= min(count, room)
        }
        // What this boot has not numbered yet is not forgotten; what an ended one does not have will never come.
        let end = boot == self.boot ? min(range.upperBound, nextSeq - 1) : range.upperBound
        return Finding(boot: boot, asked: range.lowerBound, end: end, seqs: seqs, more: more)
    }

    /// The events of this boot in memory that are numbered within `range`, oldest first, at most `most`; and whether there are more.
    public func entries(in range: ClosedRange<UInt64>, most: Int) -> (entries: ArraySlice<Entry>, more: Bool) {
        guard let first = memory.first?.seq, range.overlaps(first...nextSeq - 1) else { return ([], false) }
        let wanted = range.clamped(to: first...nextSeq - 1)
        let start = Int(wanted.lowerBound - first)
        return (memory[start..<start + min(wanted.count, most)], wanted.count > most)
    }

    /// The first event of this boot that is in memory; what is before it is on the disk, or nowhere.
    public var firstInMemory: UInt64 { memory.first?.seq ?? nextSeq }

    /// How many events of this boot are in memory.
    public var inMemory: Int { memory.count }
    /// How many may be: weightless ones, a quarter beyond the limit, as they are cut in blocks.
    public static let mostInMemory = memoryLimit / 4 * 5 / 144 + 1

    /// What a boot's wall clock said when it began, if that was known at any time.
    public func origin(of boot: String) -> WallTime? { catalogue.origin(of: boot) }

    // MARK: Delivery

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

    // MARK: The disk

    /// Takes over what a disk holds: events of earlier boots that were not delivered come before all of this one that were not.
    public mutating func adopt(_ catalogue: Catalogue) {
        self.catalogue = catalogue
        ahead.removeAll { entry in
            entry.place.boot != boot && catalogue.undelivered.contains { $0.contains(entry.place) }
        }
        if let again = ahead.first(where: { $0.place.boot == boot })?.seq, again >= firstInMemory {
            ahead.removeAll { $0.place.boot == boot }
            sentUpTo = again - 1
        }
        backlog = catalogue.undelivered.filter { $0.boot != boot }
        // What this boot wrote may stand on a disk that is no longer there.
        keptUpTo = catalogue.seqs(of: boot).last?.upperBound ?? 0
        deliveredOnDisk = catalogue.delivered
        // The mark says that of all earlier boots everything was delivered: not before it was.
        if !backlog.isEmpty { delivered = catalogue.delivered }
    }

    /// How many events are not on the disk yet.
    public var unkept: Int { Int(nextSeq - 1 - max(keptUpTo, firstInMemory - 1)) }

    /// Whether the disk is behind in what was delivered.
    public var owesMark: Bool { delivered != nil && delivered != deliveredOnDisk }

    /// The next events that are not on the disk, as many as a frame takes; none, where all are there and only a mark is owed.
    public func frame(at moment: WrittenAt) -> Frame {
        let next = max(keptUpTo + 1, firstInMemory)
        var entries: [Entry] = []
        var bytes = 0
        for entry in memory.suffix(unkept).prefix(Frame.mostEvents) where bytes < Frame.fullBytes {
            entries.append(entry)
            bytes += entry.weight
        }
        return Frame(boot: boot, first: next, writtenAt: moment, delivered: delivered, entries: entries)
    }

    /// A frame is on the disk, in the segment begun last, whose size is now `bytes`.
    public mutating func kept(_ frame: Frame, bytes: Int) {
        catalogue.note(frame)
        catalogue.grow(to: bytes)
        keptUpTo = max(keptUpTo, frame.seqs?.upperBound ?? 0)
        deliveredOnDisk = frame.delivered
    }

    /// A new segment was begun on the disk.
    public mutating func begin(segment number: UInt32) {
        catalogue.begin(segment: number)
    }

    /// The oldest segment, if there is more on the disk than `limit` bytes, or it was delivered and is older than `earliest`.
    public func surplus(limit: Int, earliest: WallTime?) -> UInt32? {
        catalogue.surplus(limit: limit, earliest: earliest)
    }

    /// The oldest segment was deleted from the disk: what was to be delivered from it is lost.
    public mutating func dropOldest() {
        for dropped in catalogue.dropOldest() {
            let last = dropped.seqs.upperBound
            if dropped.boot == boot {
                let gone = min(last, firstInMemory - 1)
                lost += gone > sentUpTo ? gone - max(sentUpTo, dropped.seqs.lowerBound - 1) : 0
                continue
            }
            while let waiting = backlog.first, waiting.boot == dropped.boot, waiting.seqs.lowerBound <= last {
                let gone = min(last, waiting.seqs.upperBound)
                lost += gone - waiting.seqs.lowerBound + 1
                backlog.removeFirst()
                guard gone < waiting.seqs.upperBound else { continue }
                backlog.insert(EventSpan(boot: waiting.boot, seqs: gone + 1...waiting.seqs.upperBound), at: 0)
            }
        }
    }
}

/// An event on its way to the broker.
private struct Flight: Sendable {
    var entry: Entry
    /// Greater than that of every event that was taken before.
    var order: UInt64
    var isAcknowledged = false
}

extension EventSpan {
    fileprivate func contains(_ place: Place) -> Bool { boot == place.boot && seqs.contains(place.seq) }

    /// The first `most` of them.
    fileprivate func first(_ most: Int) -> EventSpan {
        EventSpan(boot: boot, seqs: seqs.lowerBound...min(seqs.upperBound, seqs.lowerBound + UInt64(most - 1)))
    }
}

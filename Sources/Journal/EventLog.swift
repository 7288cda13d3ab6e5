import Beacons

/// The numbered events of a service: what happened, in order, kept for readers that missed some of it.
///
/// Events of this boot are numbered from 1; those of earlier boots stand on the disk, if there is one. All are delivered in order, and
/// kept after that, because an acknowledgement of the broker is not durable. In memory are the newest of this boot, at most
/// `memoryLimit` bytes of them: of more, the oldest are left to the disk, or forgotten where it did not take them.
///
/// Write-ahead: on a service with a disk an event is delivered, announced, or given to who asks only once it is kept there, so that what
/// a reader was told is never taken back by a power cut. Where the disk fails, events are told from memory.
///
/// It reads and writes nothing itself: `frame(at:)` is to be written, `wanted` to be read and supplied.
public struct EventLog: Sendable {
    /// About a thousand events.
    public static let memoryLimit = 640 << 10
    /// As many are read from the disk at once.
    public static let mostRead = 64

    /// The word of the process start that numbers them.
    public let boot: String
    /// What is on the disk.
    public private(set) var catalogue = Catalogue()
    /// Whether events wait for the disk before they are delivered.
    public var waitsForDisk = false
    /// How many events were dropped before they were delivered.
    public internal(set) var lost: UInt64 = 0

    private let memoryLimit: Int
    var memory: [Entry] = []
    private var weight = 0
    var nextSeq: UInt64 = 1
    /// The last event of this boot that is on the disk.
    public private(set) var keptUpTo: UInt64 = 0
    /// The last event of this boot that was taken to be delivered.
    var sentUpTo: UInt64 = 0
    /// Events of earlier boots that are still to be delivered.
    var backlog: [EventSpan] = []
    /// Read from the disk, or given back: to be delivered before all others.
    var ahead: [Entry] = []
    var inFlight: [Flight] = []
    /// Refused by the broker, in order: they wait to be tried again, and hold up no others.
    var aside: [Flight] = []
    var handedOver: UInt64 = 0
    /// The last of those up to which all is acknowledged, and whether the disk was told.
    var delivered: Place?
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
        if weight > memoryLimit + memoryLimit / 8 { trim() }
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

    /// The last event of this boot that may be told: one that waits for the disk has not happened yet for anybody else.
    private var tellable: UInt64 { waitsForDisk ? max(keptUpTo, sentUpTo) : nextSeq - 1 }

    /// What is there and may be told, oldest boot first.
    public var spans: [EventSpan] {
        var spans = catalogue.spans
        guard let first = memory.first, first.seq <= tellable else { return spans }
        let held = first.seq...tellable
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
        // What this boot has not told yet is not forgotten; what an ended one does not have will never come.
        let end = boot == self.boot ? min(range.upperBound, tellable) : range.upperBound
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
    /// How many may be: weightless ones, an eighth beyond the limit, as they are cut in blocks.
    public static let mostInMemory = memoryLimit / 8 * 9 / 144 + 1

    /// What a boot's wall clock said when it began, if that was known at any time.
    public func origin(of boot: String) -> WallTime? { catalogue.origin(of: boot) }

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

extension EventSpan {
    fileprivate func contains(_ place: Place) -> Bool { boot == place.boot && seqs.contains(place.seq) }
}

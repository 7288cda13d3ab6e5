import Beacons

/// The numbered events of a service, in order, stored for readers that missed some of them.
///
/// Events of this run are numbered from 1; events of earlier runs are on disk, if there is a disk. All events are
/// delivered in order and stored after that, because an acknowledgement of the broker is not durable. Memory has the
/// newest events of this run, at most `memoryLimit` bytes. Older events are dropped from memory, and are lost if the
/// disk does not have them. A disk that works gets every event first: a thousand messages of the broker that arrive
/// together can cause more events than `memoryLimit` permits, and those stay in memory until they are stored.
///
/// The log is write-ahead: with a disk, an event is delivered, announced or returned only after it is stored. A power
/// cut so never revokes an event that a reader has received. If the disk fails, events are delivered from memory.
///
/// The log performs no input and output: the caller writes `frame(at:)`, and reads and supplies `requested`.
package struct EventLog: Sendable {
    /// The memory limit in bytes, enough for about a thousand events.
    package static let memoryLimit = 640 << 10
    /// The limit in bytes of events that a working disk has not stored yet: one event of every item of the largest
    /// site.
    package static let mostUnstoredBytes = 64 << 20
    static let mostRead: UInt64 = 64

    /// The run id of this process, which numbers its events.
    package let boot: String
    /// The index of the events on disk.
    package private(set) var catalogue = Catalogue()
    /// Whether events are delivered only after they are stored on disk.
    package var waitsForDisk = false
    /// The number of events that were dropped before delivery.
    package internal(set) var lost: UInt64 = 0

    private let memoryLimit: Int
    var memory: [Entry] = []
    private var weight = 0
    var nextSeq: UInt64 = 1
    /// The last event of this run on disk.
    package private(set) var storedUpTo: UInt64 = 0
    /// The last event of this run that was taken for delivery.
    var sentUpTo: UInt64 = 0
    /// The events of earlier runs that are not delivered yet.
    var backlog: [EventSpan] = []
    /// The events that are delivered before all others: read from disk, or returned by `giveBack`.
    var ahead: [Entry] = []
    var inFlight: [Flight] = []
    /// The events that the broker refused, in order, waiting for `retry`.
    var aside: [Flight] = []
    var handedOver: UInt64 = 0
    /// The last event of the acknowledged sequence; `deliveredOnDisk` is the value that the disk has.
    var delivered: Place?
    private var deliveredOnDisk: Place?

    package init(boot: String, memoryLimit: Int = memoryLimit) {
        precondition(memoryLimit > 0)
        self.boot = boot
        self.memoryLimit = memoryLimit
    }

    // MARK: What happens

    /// The number of the next event.
    package var upcoming: UInt64 { nextSeq }

    /// Appends an event with the number `upcoming`, which the payload must also contain.
    package mutating func append(topic: String, payload: [UInt8]) {
        let entry = Entry(Place(boot: boot, seq: nextSeq), topic: topic, payload: payload)
        memory.append(entry)
        weight += entry.weight
        nextSeq += 1
        // Trimming in blocks keeps the cost of dropping at O(1) per event.
        if weight > memoryLimit + memoryLimit / 8 { trim() }
    }

    private mutating func trim() {
        // Events that a full disk has already dropped again are lost when they leave memory.
        let firstOnDisk = catalogue.seqs(of: boot).first?.lowerBound ?? .max
        var count = 0
        while weight > memoryLimit, count < memory.count - 1 {
            let entry = memory[count]
            if waitsForDisk, entry.seq > storedUpTo, weight <= Self.mostUnstoredBytes { break }
            weight -= entry.weight
            if entry.seq > sentUpTo, entry.seq > storedUpTo || entry.seq < firstOnDisk { lost += 1 }
            count += 1
        }
        memory.removeFirst(count)
    }

    // MARK: What is there

    /// The last event of this run that readers may see. An event that is not stored yet does not exist for readers.
    private var visibleUpTo: UInt64 { waitsForDisk ? max(storedUpTo, sentUpTo) : nextSeq - 1 }

    /// The events that readers may see, oldest run first.
    package var spans: [EventSpan] {
        var spans = catalogue.spans
        guard let first = memory.first, first.seq <= visibleUpTo else { return spans }
        let held = first.seq...visibleUpTo
        if let last = spans.last, last.boot == boot, last.seqs.upperBound + 1 >= held.lowerBound {
            spans[spans.count - 1].seqs = min(last.seqs.lowerBound, held.lowerBound)...held.upperBound
        } else {
            spans.append(EventSpan(boot: boot, seqs: held))
        }
        return spans
    }

    /// The place that is the latest in this log; `nil` if none of their runs is here.
    package func latest(of places: [Place]) -> Place? {
        spans.reversed().lazy.compactMap { span in places.first { $0.boot == span.boot } }.first
    }

    package func find(_ range: ClosedRange<UInt64>, of boot: String, most: Int) -> Finding {
        var seqs: [ClosedRange<UInt64>] = []
        var (room, more) = (UInt64(most), false)
        for span in spans where span.boot == boot && span.seqs.overlaps(range) {
            let requested = span.seqs.clamped(to: range)
            guard room > 0 else {
                more = true
                break
            }
            let count = UInt64(requested.count)
            if count > room { more = true }
            seqs.append(requested.lowerBound...requested.lowerBound + min(count, room) - 1)
            room -= min(count, room)
        }
        // Events of this run that are not visible yet are not lost. Events that an ended run does not have will never
        // come.
        let end = boot == self.boot ? min(range.upperBound, visibleUpTo) : range.upperBound
        return Finding(boot: boot, asked: range.lowerBound, end: end, seqs: seqs, more: more)
    }

    /// The events of this run in memory within `range`, oldest first, at most `most`, and whether there are more.
    package func entries(in range: ClosedRange<UInt64>, most: Int) -> (entries: ArraySlice<Entry>, more: Bool) {
        guard let first = memory.first?.seq, range.overlaps(first...nextSeq - 1) else { return ([], false) }
        let requested = range.clamped(to: first...nextSeq - 1)
        let start = Int(requested.lowerBound - first)
        return (memory[start..<start + min(requested.count, most)], requested.count > most)
    }

    /// The first event of this run in memory. Earlier events are on disk or lost.
    package var firstInMemory: UInt64 { memory.first?.seq ?? nextSeq }

    package var inMemory: Int { memory.count }
    /// The limit of stored events in memory: empty events, and an eighth beyond the memory limit because of trimming in
    /// blocks.
    package static let mostInMemory = memoryLimit / 8 * 9 / 144 + 1

    /// The wall clock time at the start of a run; `nil` if it was never known.
    package func origin(of boot: String) -> WallTime? { catalogue.origin(of: boot) }

    // MARK: The disk

    /// Uses the contents of a disk. The undelivered events of earlier runs are delivered before the undelivered events
    /// of this run.
    package mutating func adopt(_ catalogue: Catalogue) {
        self.catalogue = catalogue
        ahead.removeAll { entry in
            entry.place.boot != boot && catalogue.undelivered.contains { $0.contains(entry.place) }
        }
        if let again = ahead.first(where: { $0.place.boot == boot })?.seq, again >= firstInMemory {
            ahead.removeAll { $0.place.boot == boot }
            sentUpTo = again - 1
        }
        backlog = catalogue.undelivered.filter { $0.boot != boot }
        // The events that this run has stored may be on a disk that is no longer there.
        storedUpTo = catalogue.seqs(of: boot).last?.upperBound ?? 0
        deliveredOnDisk = catalogue.delivered
        // A mark of this run would state that all earlier runs are delivered, which is not true yet.
        if !backlog.isEmpty { delivered = catalogue.delivered }
    }

    /// The number of events that are not on disk yet.
    package var unstored: Int { Int(nextSeq - 1 - max(storedUpTo, firstInMemory - 1)) }

    package var needsMark: Bool { delivered != nil && delivered != deliveredOnDisk }

    /// The next frame to write: events that are not on disk, up to the size of a frame, or no events if only the mark
    /// must be written.
    package func frame(at moment: WrittenAt) -> Frame {
        let next = max(storedUpTo + 1, firstInMemory)
        var entries: [Entry] = []
        var bytes = 0
        for entry in memory.suffix(unstored).prefix(Frame.mostEvents) where bytes < Frame.fullBytes {
            entries.append(entry)
            bytes += entry.weight
        }
        return Frame(boot: boot, first: next, writtenAt: moment, delivered: delivered, entries: entries)
    }

    /// Records that a frame is on disk, in the newest segment, which now has `bytes`.
    package mutating func stored(_ frame: Frame, bytes: Int) {
        catalogue.note(frame)
        catalogue.grow(to: bytes)
        storedUpTo = max(storedUpTo, frame.seqs?.upperBound ?? 0)
        deliveredOnDisk = frame.delivered
        if weight > memoryLimit + memoryLimit / 8 { trim() }
    }

    package mutating func begin(segment number: UInt32) {
        catalogue.begin(segment: number)
    }

    /// The oldest segment if it must be dropped: the segments exceed `limit` bytes, or it is delivered and older than
    /// `earliest`.
    package func surplus(limit: Int, earliest: WallTime?) -> UInt32? {
        catalogue.surplus(limit: limit, earliest: earliest)
    }

    /// Records that the oldest segment was deleted. Its undelivered events are lost.
    package mutating func dropOldest() {
        for dropped in catalogue.dropOldest() {
            let last = dropped.seqs.upperBound
            if dropped.boot == boot {
                let gone = min(last, firstInMemory - 1)
                let counted = max(sentUpTo, dropped.seqs.lowerBound - 1)
                lost += gone > counted ? gone - counted : 0
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

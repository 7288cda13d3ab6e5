import Beacons
import Glibc
import Journal
import Linux

/// Keeps an event log on disk: `events/1.log`, `events/2.log` and so on in the state folder, each a segment of frames.
///
/// Events are written in groups: the first after a quiet time at once, then so often as `Limits.within` says, or when fifty wait; each
/// group is synced before one of its events is delivered. A start begins a segment of its own as soon as it has something to write, so
/// nothing is ever written behind a torn end. Where the disk fails it says so in `problem`, tries again every `patience`, and then
/// writes what the log still holds.
public final class EventArchive {
    /// How much is kept, and how soon it is written.
    public struct Limits: Hashable, Sendable {
        /// The most bytes of all segments together; the oldest are dropped first, delivered or not.
        public var bytes: Int
        /// What was delivered is dropped when it is older, by a clock that is right.
        public var age: Interval
        /// Two commits are at least so long apart, unless fifty events wait; zero: every event is committed at once.
        public var within: Interval

        /// All limits.
        public init(bytes: Int, age: Interval, within: Interval) {
            self.bytes = bytes
            self.age = age
            self.within = within
        }
    }

    /// How long it waits before it tries a disk again that failed.
    public static let patience = Interval.seconds(5)
    /// What was delivered is written so long after the last frame, where no event takes it along. It is not waited for, so that the kernel
    /// writes it with the next page: it costs little, and saves readers the doubles after a kill, though not those after a power cut.
    static let laziness = Interval.seconds(1)
    /// The size of a segment: what is dropped at once.
    static let segmentBytes = 256 << 10
    static let mostWaiting = 50

    /// Why events are not on disk, in a sentence; `nil` when they are.
    public private(set) var problem: String?
    /// How many bytes of what was found were not readable.
    public private(set) var damaged = 0

    private let state: StateFolder
    private let folder: StateFolder
    /// Which folder was read: another may be there later.
    private var identity: StateFolder.Identity?
    private let limits: Limits
    private var segment: Segment?
    private var reader: Reader?
    /// Whether what is there is to be read, for the first time or again.
    private var mustRead = true
    private var lastCommit: Instant?
    private var retryAt: Instant?

    /// The archive in a service's state folder, which need not be there yet.
    public init(in folder: StateFolder, limits: Limits) {
        state = folder
        self.folder = StateFolder(path: folder.file("events"))
        self.limits = limits
    }

    // MARK: Writing

    /// Reads what is there and writes what is due. Call it before the log's events are delivered.
    ///
    /// - Parameter now: on the clock of the machine, whatever clock the events are on.
    public func keep(_ log: inout EventLog, writtenAt: WrittenAt, at now: Instant) {
        if let retryAt, now < retryAt { return }
        guard mustRead || isDue(log, at: now) else { return }
        do throws(SystemError) {
            if mustRead || segment?.isGone == true || folder.identity != identity { try open(&log) }
            try commit(&log, writtenAt)
            dropSurplus(&log, writtenAt)
            lastCommit = now
            retryAt = nil
            problem = nil
            log.waitsForDisk = true
        } catch {
            segment?.abandon()
            segment = nil
            retryAt = now + Self.patience
            problem = error.sentence(ofState: state)
            log.waitsForDisk = false
        }
    }

    /// When `keep` wants to be called again, if nothing happens until then.
    public func nextDeadline(_ log: EventLog) -> Instant? {
        if let retryAt { return retryAt }
        if log.unkept > 0 { return (lastCommit ?? .zero) + limits.within }
        return log.owesMark ? (lastCommit ?? .zero) + Self.laziness : nil
    }

    /// Writes everything that there is to write, now: at the end.
    public func finish(_ log: inout EventLog, writtenAt: WrittenAt) {
        guard !mustRead, retryAt == nil else { return }
        do throws(SystemError) { try commit(&log, writtenAt) } catch { problem = error.sentence(ofState: state) }
    }

    private func isDue(_ log: EventLog, at now: Instant) -> Bool {
        if retryAt != nil || log.unkept >= Self.mostWaiting { return true }
        return nextDeadline(log).map { $0 <= now } ?? false
    }

    private func commit(_ log: inout EventLog, _ writtenAt: WrittenAt) throws(SystemError) {
        while log.unkept > 0 || log.owesMark {
            let frame = log.frame(at: writtenAt)
            let bytes = frame.bytes
            if segment.map({ $0.size + bytes.count > Self.segmentBytes }) ?? true { try beginSegment(&log) }
            // A mark alone is worth no sync: without it an event comes twice, and is known by its id.
            try segment?.append(bytes, isUrgent: !frame.entries.isEmpty)
            log.kept(frame, bytes: segment?.size ?? 0)
        }
    }

    private func beginSegment(_ log: inout EventLog) throws(SystemError) {
        let number = log.catalogue.nextSegment
        segment = nil
        segment = try Segment(creating: path(of: number))
        try syncFolder(folder.path)
        log.begin(segment: number)
    }

    private func dropSurplus(_ log: inout EventLog, _ writtenAt: WrittenAt) {
        let earliest = writtenAt.isSynchronised ? writtenAt.wall - limits.age : nil
        while let number = log.surplus(limit: limits.bytes, earliest: earliest) {
            unlink(path(of: number))
            log.dropOldest()
        }
    }

    private func path(of number: UInt32) -> String { folder.file("\(number).log") }

    // MARK: Reading

    /// Reads every segment, whatever has become of it, and hands the catalogue to the log.
    private func open(_ log: inout EventLog) throws(SystemError) {
        segment = nil
        reader = nil
        mustRead = true
        try folder.make()
        var catalogue = Catalogue()
        damaged = 0
        for number in try folder.entries().compactMap(Self.number).sorted() {
            catalogue.begin(segment: number)
            // One that cannot be read is no reason to lose the others.
            guard let bytes = try? readOwnFile(at: path(of: number), limit: 8 * Self.segmentBytes) else { continue }
            var frames = SegmentReader(bytes)
            catalogue.grow(to: bytes.count)
            while let frame = frames.next() { catalogue.note(frame) }
            damaged += frames.damaged
        }
        log.adopt(catalogue)
        identity = folder.identity
        mustRead = false
    }

    private static func number(of name: String) -> UInt32? {
        guard name.hasSuffix(".log"), let number = UInt32(name.dropLast(4)), "\(number).log" == name else { return nil }
        return number < .max ? number : nil
    }

    /// The events of a span that are on the disk, lowest numbers first; `nil` where the disk cannot be read now.
    public func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? {
        guard !mustRead, folder.identity == identity else {
            mustRead = true
            return nil
        }
        var entries: [Entry] = []
        var next = span.seqs.lowerBound
        while next <= span.seqs.upperBound, let found = catalogue.segment(of: Place(boot: span.boot, seq: next)) {
            let last = min(found.upTo, span.seqs.upperBound)
            entries += read(EventSpan(boot: span.boot, seqs: next...last), inSegment: found.number)
            next = last + 1
        }
        return entries
    }

    private func read(_ span: EventSpan, inSegment number: UInt32) -> [Entry] {
        var next = span.seqs.lowerBound
        var entries: [Entry] = []
        // Who reads on where it stopped, or behind, need not begin at the beginning of the segment.
        let place = Place(boot: span.boot, seq: next)
        let isAhead = reader.map { $0.segment == number && $0.next.boot == place.boot && $0.next.seq <= place.seq }
        if isAhead != true {
            guard let bytes = try? readOwnFile(at: path(of: number), limit: 8 * Self.segmentBytes) else { return [] }
            reader = Reader(segment: number, next: place, frames: SegmentReader(bytes), rest: [])
        }
        guard var current = reader.take() else { return [] }
        while next <= span.seqs.upperBound {
            if current.rest.isEmpty {
                guard let frame = current.frames.next() else { break }
                current.rest = frame.boot == span.boot ? frame.entries[...] : []
                continue
            }
            guard let entry = current.rest.first, entry.seq <= span.seqs.upperBound else { break }
            current.rest.removeFirst()
            guard entry.seq >= next else { continue }
            entries.append(entry)
            next = entry.seq + 1
        }
        current.next = Place(boot: span.boot, seq: next)
        reader = current
        return entries
    }

    /// Where a reader of many events in their order has come to.
    private struct Reader {
        var segment: UInt32
        var next: Place
        var frames: SegmentReader
        var rest: ArraySlice<Entry>
    }
}

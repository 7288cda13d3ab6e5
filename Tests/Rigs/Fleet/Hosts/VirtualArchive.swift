import Beacons
import Journal

/// The event log on a simulated disk: segments of frames, written in groups as the live archive does; what was committed outlives the process.
struct VirtualArchive: Sendable {
    /// Two commits are at least so long apart, unless fifty events wait.
    private static let within = Interval.seconds(1)
    private static let laziness = Interval.seconds(10)
    private static let segmentBytes = 256 << 10
    private static let mostWaiting = 50
    /// Of all segments together.
    private static let mostBytes = 8 << 20

    private var segments: [UInt32: [UInt8]] = [:]
    private var current: UInt32?
    private var lastCommit = Instant.zero

    // MARK: Over restarts

    /// A process starts: what is there is handed to its log, which from then on waits for the disk.
    mutating func open(_ log: inout EventLog) {
        current = nil
        var catalogue = Catalogue()
        for (number, bytes) in segments.sorted(by: { $0.key < $1.key }) {
            catalogue.begin(segment: number)
            catalogue.grow(to: bytes.count)
            var frames = SegmentReader(bytes)
            while let frame = frames.next() { catalogue.note(frame) }
        }
        log.adopt(catalogue)
        log.waitsForDisk = true
    }

    /// The power fails in the middle of a write: some of what was to be committed next stands at the end of the segment.
    mutating func tear(_ log: EventLog, writtenAt: WrittenAt, share: Double) {
        guard let current, log.unkept > 0 else { return }
        let bytes = log.frame(at: writtenAt).bytes
        segments[current]! += bytes.prefix(Int(Double(bytes.count) * share))
    }

    // MARK: Writing

    /// When something is to be committed.
    func nextDeadline(_ log: EventLog) -> Instant? {
        if log.unkept > 0 { return lastCommit + Self.within }
        return log.owesMark ? lastCommit + Self.laziness : nil
    }

    /// Commits what is due.
    mutating func keep(_ log: inout EventLog, writtenAt: WrittenAt, at now: Instant) {
        guard log.unkept >= Self.mostWaiting || nextDeadline(log).map({ $0 <= now }) ?? false else { return }
        finish(&log, writtenAt: writtenAt)
        lastCommit = now
    }

    /// Commits everything.
    mutating func finish(_ log: inout EventLog, writtenAt: WrittenAt) {
        while log.unkept > 0 || log.owesMark {
            let frame = log.frame(at: writtenAt)
            let bytes = frame.bytes
            if current.map({ segments[$0]!.count + bytes.count > Self.segmentBytes }) ?? true {
                current = log.catalogue.nextSegment
                segments[current!] = []
                log.begin(segment: current!)
            }
            segments[current!]! += bytes
            log.kept(frame, bytes: segments[current!]!.count)
        }
        while let number = log.surplus(limit: Self.mostBytes, earliest: nil) {
            segments[number] = nil
            log.dropOldest()
        }
    }

    // MARK: Reading

    func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry] {
        var entries: [Entry] = []
        for (_, bytes) in segments.sorted(by: { $0.key < $1.key }) {
            var frames = SegmentReader(bytes)
            while let frame = frames.next() {
                guard frame.boot == span.boot else { continue }
                entries += frame.entries.filter { span.seqs.contains($0.seq) }
            }
        }
        return entries
    }
}

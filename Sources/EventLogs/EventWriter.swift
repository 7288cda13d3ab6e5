import Beacons

/// An event log on its way to disk: decides when events are written, and what happens where the disk fails. It writes nothing itself.
///
/// Events are written in groups: the first after a quiet time at once, then every `Limits.within`, or when fifty wait.
/// A start begins a segment of its own as soon as there is something to write, so nothing is ever written behind a torn end.
/// If the disk fails, `problem` has the reason, and the writer tries again every `patience`. Meanwhile events are published from memory.
///
/// The caller asks `next` for a step, carries it out, and hands the outcome to `handle`, until there is no next step.
package struct EventWriter: Sendable {
    /// How much is stored, and how soon it is written.
    package struct Limits: Hashable, Sendable {
        /// The most bytes of all segments together; the oldest are dropped first, delivered or not.
        package var bytes: Int
        /// Delivered events are dropped when they are older, by a clock that is right.
        package var age: Interval
        /// Two commits are at least so long apart, unless fifty events wait; zero: every event is committed at once.
        package var within: Interval

        package init(bytes: Int, age: Interval, within: Interval) {
            self.bytes = bytes
            self.age = age
            self.within = within
        }
    }

    /// What is to be done on the disk.
    package enum Step: Sendable, CustomStringConvertible {
        /// Read every segment.
        case open
        /// Write a frame behind the others of a segment; `isUrgent`: wait until it is on the disk.
        case append([UInt8], segment: UInt32, isNew: Bool, isUrgent: Bool)
        case delete(UInt32)

        /// How many bytes it writes, or reads at most.
        package var bytes: Int {
            switch self {
            case .open: Catalogue.mostSegments * EventWriter.segmentBytes
            case .append(let frame, _, _, _): frame.count
            case .delete: 0
            }
        }

        /// The step in words, without its bytes.
        package var description: String {
            switch self {
            case .open: "read every segment"
            case .append(let frame, let segment, _, _): "write \(frame.count) bytes to segment \(segment)"
            case .delete(let segment): "delete segment \(segment)"
            }
        }
    }

    package enum Outcome: Sendable {
        /// Every segment was read.
        case opened(Catalogue)
        /// The frame was written, or the segment deleted.
        case done
        /// The folder or the segment is no longer the one that was read: everything is to be read again.
        case gone
        /// The disk failed, for this reason.
        case failed(String)

        /// What of the log could not be read, in a sentence.
        package var damage: String? { if case .opened(let catalogue) = self { catalogue.damage } else { nil } }
    }

    /// How long the writer waits before it tries a disk again that failed.
    package static let patience = Interval.seconds(5)
    /// The mark of what was delivered is written so long after the last frame, where no event takes it along. It is not waited for, so that
    /// the kernel writes it with the next page: it costs little, and saves readers the doubles after a kill, though not those after a power cut.
    static let laziness = Interval.seconds(1)
    /// The size of a segment: what is dropped at once.
    package static let segmentBytes = 256 << 10
    static let mostWaiting = 50

    package var log: EventLog
    /// Why events are not on disk, in a sentence; `nil` when they are.
    package private(set) var problem: String?

    private let limits: Limits
    /// Whether the disk is to be read, for the first time or again.
    private var mustOpen = true
    /// A commit has begun, and ends when nothing is left to write.
    private var isCommitting = false
    private var segment: (number: UInt32, bytes: Int)?
    /// The number of the segment that was tried last: a file of a failed attempt may still be there.
    private var lastTried: UInt32 = 0
    private var step: (frame: Frame, segment: UInt32, isNew: Bool, bytes: Int)?
    private var lastCommit: Instant?
    private var retryAt: Instant?

    /// A writer that has not read its disk yet.
    package init(_ log: EventLog, _ limits: Limits) { (self.log, self.limits) = (log, limits) }

    /// When `next` wants to be called again, if nothing happens until then.
    package var nextDeadline: Instant? {
        if let retryAt { return retryAt }
        if log.unstored > 0 { return (lastCommit ?? .zero) + limits.within }
        return log.needsMark ? (lastCommit ?? .zero) + Self.laziness : nil
    }

    /// The next step that is due. Call it before events are delivered, until it returns `nil`.
    ///
    /// - Parameter now: on the clock of the machine, whatever clock the events are on.
    package mutating func next(writtenAt: WrittenAt, at now: Instant) -> Step? {
        if let retryAt, now < retryAt { return nil }
        guard isCommitting || mustOpen || isDue(at: now) else { return nil }
        isCommitting = true
        if mustOpen { return .open }
        if log.unstored > 0 || log.needsMark { return append(log.frame(at: writtenAt)) }
        let earliest = writtenAt.isSynchronised ? writtenAt.wall - limits.age : nil
        if let number = log.surplus(limit: limits.bytes, earliest: earliest) { return .delete(number) }
        (isCommitting, lastCommit, retryAt, problem) = (false, now, nil, nil)
        log.waitsForDisk = true
        return nil
    }

    /// Handles the outcome of the step that `next` returned last.
    package mutating func handle(_ outcome: Outcome, at now: Instant) {
        defer { step = nil }
        switch outcome {
        case .opened(let catalogue):
            mustOpen = false
            segment = nil
            log.adopt(catalogue)
        case .done:
            guard let step else { return log.dropOldest() }
            if step.isNew { log.begin(segment: step.segment) }
            let bytes = (step.isNew ? 0 : segment?.bytes ?? 0) + step.bytes
            segment = (step.segment, bytes)
            log.stored(step.frame, bytes: bytes)
        case .gone: reopen()
        case .failed(let reason):
            (isCommitting, segment, problem) = (false, nil, reason)
            retryAt = now + Self.patience
            log.waitsForDisk = false
        }
    }

    /// Writes everything that there is to write, without waiting for its time: before a state that follows from it, or at the end.
    package mutating func finish() { isCommitting = isCommitting || !mustOpen }

    /// Reads the disk again: it is not the one that was read.
    package mutating func reopen() {
        mustOpen = true
        segment = nil
    }

    private func isDue(at now: Instant) -> Bool {
        if retryAt != nil || log.unstored >= Self.mostWaiting { return true }
        return nextDeadline.map { $0 <= now } ?? false
    }

    private mutating func append(_ frame: Frame) -> Step {
        let bytes = frame.bytes
        let isNew = segment.map { $0.bytes + bytes.count > Self.segmentBytes } ?? true
        let number = isNew ? max(log.catalogue.nextSegment, lastTried &+ 1) : segment!.number
        lastTried = max(lastTried, number)
        step = (frame, number, isNew, bytes.count)
        // A mark alone is worth no sync: without it an event comes twice, and is known by its id.
        return .append(bytes, segment: number, isNew: isNew, isUrgent: !frame.entries.isEmpty)
    }
}

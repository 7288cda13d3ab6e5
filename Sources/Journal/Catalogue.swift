import Beacons

/// What the segments on disk hold, without the events themselves: which numbers of which boot stand in which segment.
///
/// It grows with the segments, of which there are at most `mostSegments`, and with the gaps that damage has torn; the oldest segments
/// are dropped first.
public struct Catalogue: Sendable {
    /// Each start that has something to say begins a segment; more are not kept.
    public static let mostSegments = 4096

    /// One file.
    struct Segment: Sendable {
        var number: UInt32
        var bytes: Int
        /// When its last frame was written, where the clock was right then.
        var newest: WallTime?
    }

    /// Events of one boot that follow each other in one segment.
    struct Run: Sendable {
        var segment: UInt32
        var span: EventSpan
    }

    /// In the order in which they were written.
    private(set) var segments: [Segment] = []
    private(set) var runs: [Run] = []
    /// The boots of the runs, in their order.
    private var boots: [String] = []
    /// What the wall clock said when a boot began, where that ever was known.
    private var origins: [String: WallTime] = [:]
    /// The event up to which all is delivered, as far as the disk knows.
    public private(set) var delivered: Place?

    /// A disk with nothing on it.
    public init() {}

    /// The size of all segments, in bytes.
    public var bytes: Int { segments.reduce(0) { $0 + $1.bytes } }

    /// The number that a new segment may have.
    public var nextSegment: UInt32 { (segments.last?.number ?? 0) &+ 1 }

    /// A segment was found or begun; they come in the order of their numbers.
    public mutating func begin(segment number: UInt32) {
        segments.append(Segment(number: number, bytes: 0))
    }

    /// The last segment is so long now, what is damaged in it included.
    public mutating func grow(to bytes: Int) {
        guard !segments.isEmpty else { return }
        segments[segments.count - 1].bytes = bytes
    }

    /// Takes note of a frame in the last segment. What was written before already, again after a failure or by damage, is left out.
    public mutating func note(_ frame: Frame) {
        guard let segment = segments.last?.number else { return }
        if let delivered = frame.delivered { self.delivered = delivered }
        if let origin = frame.writtenAt.origin {
            origins[frame.boot] = origin
            segments[segments.count - 1].newest = frame.writtenAt.wall
        }
        guard let seqs = frame.seqs else { return }
        if boots.last != frame.boot {
            guard !boots.contains(frame.boot) else { return }
            boots.append(frame.boot)
        }
        let last = runs.last
        let known = last?.span.boot == frame.boot ? last!.span.seqs.upperBound : 0
        guard seqs.upperBound > known else { return }
        if let last, last.segment == segment, last.span.boot == frame.boot, seqs.lowerBound <= known + 1 {
            runs[runs.count - 1].span.seqs = last.span.seqs.lowerBound...seqs.upperBound
        } else {
            let fresh = max(seqs.lowerBound, known + 1)...seqs.upperBound
            runs.append(Run(segment: segment, span: EventSpan(boot: frame.boot, seqs: fresh)))
        }
    }

    /// The oldest segment, if it is to be dropped: more than `limit` bytes are there, or it was delivered and is older than `earliest`.
    func surplus(limit: Int, earliest: WallTime?) -> UInt32? {
        guard segments.count > 1, let oldest = segments.first else { return nil }
        if bytes > limit || segments.count > Self.mostSegments { return oldest.number }
        guard let earliest, let newest = oldest.newest, newest < earliest else { return nil }
        let isDelivered = runs.prefix { $0.segment == oldest.number }.allSatisfy { pending(in: $0.span) == nil }
        return isDelivered ? oldest.number : nil
    }

    /// Forgets the oldest segment; returns what stood in it.
    mutating func dropOldest() -> [EventSpan] {
        guard !segments.isEmpty else { return [] }
        let number = segments.removeFirst().number
        let dropped = runs.prefix { $0.segment == number }.map(\.span)
        runs.removeFirst(dropped.count)
        let first = runs.first.flatMap { boots.firstIndex(of: $0.span.boot) } ?? boots.count
        for boot in boots[..<first] { origins[boot] = nil }
        boots.removeFirst(first)
        return dropped
    }

    /// What is there, oldest first.
    var spans: [EventSpan] {
        var spans: [EventSpan] = []
        for run in runs {
            if let last = spans.last, last.boot == run.span.boot, last.seqs.upperBound + 1 == run.span.seqs.lowerBound {
                spans[spans.count - 1].seqs = last.seqs.lowerBound...run.span.seqs.upperBound
            } else {
                spans.append(run.span)
            }
        }
        return spans
    }

    /// What is there of one boot, lowest numbers first.
    func seqs(of boot: String) -> [ClosedRange<UInt64>] { spans.lazy.filter { $0.boot == boot }.map(\.seqs) }

    /// The segment in which an event stands, and up to which number it goes on there.
    public func segment(of place: Place) -> (number: UInt32, upTo: UInt64)? {
        runs.first { $0.span.boot == place.boot && $0.span.seqs.contains(place.seq) }
            .map { ($0.segment, $0.span.seqs.upperBound) }
    }

    /// What the wall clock says now of a boot's beginning, where that was ever known.
    func origin(of boot: String) -> WallTime? { origins[boot] }

    /// What is there and not delivered, as far as the disk knows, oldest first.
    var undelivered: [EventSpan] {
        spans.compactMap { span in pending(in: span).map { EventSpan(boot: span.boot, seqs: $0) } }
    }

    private func pending(in span: EventSpan) -> ClosedRange<UInt64>? {
        guard let delivered else { return span.seqs }
        if span.boot == delivered.boot {
            guard span.seqs.upperBound > delivered.seq else { return nil }
            return max(span.seqs.lowerBound, delivered.seq + 1)...span.seqs.upperBound
        }
        // A boot of which nothing is left is older than all of which something is.
        guard let place = boots.firstIndex(of: span.boot), let mark = boots.firstIndex(of: delivered.boot) else {
            return span.seqs
        }
        return place < mark ? nil : span.seqs
    }
}

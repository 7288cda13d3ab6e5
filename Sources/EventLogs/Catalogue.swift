import Beacons

/// The index of the segments on disk, without the events themselves: which events of which run are in which segment.
///
/// The size is bounded by `mostSegments` and by the gaps of damaged frames. The oldest segments are dropped first.
package struct Catalogue: Sendable {
    /// The limit of segments. Each start that stores an event begins a segment.
    package static let mostSegments = 4096

    struct Segment: Sendable {
        var number: UInt32
        var bytes: Int
        /// The time of the last frame, if the clock was synchronised.
        var newest: WallTime?
    }

    /// Consecutive events of one run within one segment.
    struct Run: Sendable {
        var segment: UInt32
        var span: EventSpan
    }

    /// The segments in the order in which they were written.
    private(set) var segments: [Segment] = []
    private(set) var runs: [Run] = []
    /// The run ids, oldest first.
    private var boots: [String] = []
    /// The wall clock time at the start of a run, for the runs where it is known.
    private var origins: [String: WallTime] = [:]
    /// The last delivered event according to the disk; all events before it are delivered, too.
    package private(set) var delivered: Place?

    /// What of the disk could not be read, in a sentence; `nil`: nothing.
    package var damage: String?

    package init() {}

    /// The size of all segments, in bytes.
    package var bytes: Int { segments.reduce(0) { $0 + $1.bytes } }

    package var nextSegment: UInt32 { (segments.last?.number ?? 0) &+ 1 }

    /// Adds a segment that was found or begun. Segments are added in the order of their numbers.
    package mutating func begin(segment number: UInt32) {
        segments.append(Segment(number: number, bytes: 0))
    }

    /// Sets the size of the last segment, including damaged bytes.
    package mutating func grow(to bytes: Int) {
        guard !segments.isEmpty else { return }
        segments[segments.count - 1].bytes = bytes
    }

    /// Adds the events of a frame in the last segment. Events that an earlier frame already has, after a failure or
    /// damage, are skipped.
    package mutating func note(_ frame: Frame) {
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

    /// The oldest segment if it must be dropped: the segments exceed `limit` bytes, or it is delivered and older than
    /// `earliest`.
    func surplus(limit: Int, earliest: WallTime?) -> UInt32? {
        guard segments.count > 1, let oldest = segments.first else { return nil }
        if bytes > limit || segments.count > Self.mostSegments { return oldest.number }
        guard let earliest, let newest = oldest.newest, newest < earliest else { return nil }
        let isDelivered = runs.prefix { $0.segment == oldest.number }.allSatisfy { pending(in: $0.span) == nil }
        return isDelivered ? oldest.number : nil
    }

    /// Removes the oldest segment; returns the events that it contained.
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

    /// The stored events, oldest first.
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

    /// The stored events of one run, lowest numbers first.
    func seqs(of boot: String) -> [ClosedRange<UInt64>] { spans.lazy.filter { $0.boot == boot }.map(\.seqs) }

    /// The segment that contains an event, and the last consecutive event in that segment.
    package func segment(of place: Place) -> (number: UInt32, upTo: UInt64)? {
        runs.first { $0.span.boot == place.boot && $0.span.seqs.contains(place.seq) }
            .map { ($0.segment, $0.span.seqs.upperBound) }
    }

    /// The wall clock time at the start of a run; `nil` if it was never known.
    func origin(of boot: String) -> WallTime? { origins[boot] }

    /// The stored events that are not delivered according to the disk, oldest first.
    var undelivered: [EventSpan] {
        spans.compactMap { span in pending(in: span).map { EventSpan(boot: span.boot, seqs: $0) } }
    }

    private func pending(in span: EventSpan) -> ClosedRange<UInt64>? {
        guard let delivered else { return span.seqs }
        if span.boot == delivered.boot {
            guard span.seqs.upperBound > delivered.seq else { return nil }
            return max(span.seqs.lowerBound, delivered.seq + 1)...span.seqs.upperBound
        }
        // A run without stored events is older than all runs with stored events.
        guard let place = boots.firstIndex(of: span.boot), let mark = boots.firstIndex(of: delivered.boot) else {
            return span.seqs
        }
        return place < mark ? nil : span.seqs
    }

    /// The first consecutive events behind `place` within one segment; `nil` if there are none.
    ///
    /// - Parameters:
    ///   - place: the reader's position; `nil`, or of a run that is not here: the beginning.
    ///   - earliest: segments written before this time are skipped, if the clock was synchronised when they were written.
    package func piece(behind place: Place?, writtenSince earliest: WallTime? = nil) -> EventSpan? {
        let start = place.flatMap { place in runs.firstIndex { $0.span.boot == place.boot } }
        for run in runs[(start ?? 0)...] {
            var seqs = run.span.seqs
            if let place, run.span.boot == place.boot {
                guard seqs.upperBound > place.seq else { continue }
                seqs = max(seqs.lowerBound, place.seq + 1)...seqs.upperBound
            }
            if let earliest, let newest = newest(ofSegment: run.segment), newest < earliest { continue }
            return EventSpan(boot: run.span.boot, seqs: seqs)
        }
        return nil
    }

    /// The time of a segment's last frame, if the clock was synchronised. Segments are ordered by their numbers.
    private func newest(ofSegment number: UInt32) -> WallTime? {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < segments.count && segments[low].number == number ? segments[low].newest : nil
    }
}

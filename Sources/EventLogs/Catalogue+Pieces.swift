import Beacons

extension Catalogue {
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

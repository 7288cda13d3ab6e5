import Beacons
import EventLogs
import Messages

extension EventLog {
    /// The range of stored events of each run, as in `info`.
    package var ranges: [LogRange] {
        spans.compactMap { span in
            Boot(span.boot).map {
                LogRange(boot: $0, seqs: SeqRange(from: span.seqs.lowerBound, to: span.seqs.upperBound))
            }
        }
    }

    /// Responds to `request/events`: the requested events that are stored, and the ranges that are forgotten.
    ///
    /// - Parameters:
    ///   - origin: the start of this run by the present wall clock, if that is synchronised. It dates events from before the clock was set.
    ///   - read: gives what stands on the disk alone; `nil`: it cannot be read now, which is not that nothing is there.
    package func respond(
        _ request: Request, origin: WallTime?, read: (EventSpan, Catalogue) -> [Entry]? = { _, _ in [] }
    ) -> Response<EventsResponse>.Outcome {
        let requested: EventsRequest
        do { requested = try request.body() } catch { return .failed("\(error)") }
        let boot = requested.boot.description
        let finding = find(requested.seqs.from...requested.seqs.to, of: boot, most: EventsResponse.most)
        var isReadable = true
        let found = finding.seqs.flatMap { seqs in
            entries(in: seqs, of: boot) { span, catalogue in
                let entries = read(span, catalogue)
                isReadable = isReadable && entries != nil
                return entries ?? []
            }
        }
        guard isReadable else { return .failed("The event log cannot be read now: ask again in a while.") }
        let start = boot == self.boot ? origin : self.origin(of: boot)
        return .done(
            EventsResponse(
                events: found.compactMap { entry in
                    (try? LoggedEvent(parsing: entry.payload)).map { event in
                        start.map { event.dated(from: $0) } ?? event
                    }
                },
                forgotten: finding.forgotten(without: found)
                    .map { SeqRange(from: $0.lowerBound, to: $0.upperBound) },
                more: finding.more))
    }

    /// Returns the events of a run with numbers in `seqs`, from memory and from the disk, which `read` reads.
    package func entries(
        in seqs: ClosedRange<UInt64>, of boot: String, read: (EventSpan, Catalogue) -> [Entry]
    ) -> [Entry] {
        let isHere = boot == self.boot
        guard !isHere || seqs.lowerBound < firstInMemory else { return Array(entries(in: seqs, most: .max).entries) }
        let onDisk = isHere ? seqs.lowerBound...min(seqs.upperBound, firstInMemory - 1) : seqs
        let rest = isHere ? Array(entries(in: seqs, most: .max).entries) : []
        return read(EventSpan(boot: boot, seqs: onDisk), catalogue) + rest
    }

    package func isInMemory(_ request: Request) -> Bool {
        guard let requested = try? request.body(EventsRequest.self) else { return true }
        let finding = find(
            requested.seqs.from...requested.seqs.to, of: requested.boot.description, most: EventsResponse.most)
        guard let first = finding.seqs.first else { return true }
        return requested.boot.description == boot && first.lowerBound >= firstInMemory
    }
}

import Journal
import Messages

extension EventLog {
    /// Answers `request/events`: what is there of what was asked for, and what no longer is. Of another boot nothing is there.
    public func answer(_ request: Request, boot: Boot) -> Response<EventsAnswer>.Outcome {
        let wanted: EventsRequest
        do { wanted = try request.body() } catch { return .failed("\(error)") }
        guard wanted.boot == boot else {
            return .done(EventsAnswer(events: [], forgotten: [wanted.seqs]))
        }
        let range = wanted.seqs.from...wanted.seqs.to
        let (entries, more) = entries(in: range, most: EventsAnswer.most)
        let forgotten = forgotten(in: range).map { [SeqRange(from: $0.lowerBound, to: $0.upperBound)] } ?? []
        return .done(
            EventsAnswer(
                events: entries.compactMap { try? LoggedEvent(parsing: $0.payload) }, forgotten: forgotten, more: more))
    }
}

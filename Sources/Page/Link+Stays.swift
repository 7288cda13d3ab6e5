import Beacons
import History
import Messages
import SiteClient

/// The response to `request/stays`, with which `forgetmenot history` reads the same past as the page.
extension Link {
    /// The limit of these requests that are read at the same time.
    static let mostReadings = 16

    /// Responds to a request as soon as the history is read.
    func respondToStays(_ payload: [UInt8]) {
        let request = Request(parsing: payload)
        guard beginReading() else {
            return respond(to: request, .failed("Too many requests read the history: ask again in a while."))
        }
        Task.detached { [self] in
            let outcome = await stays(request)
            endReading()
            respond(to: request, outcome)
        }
    }

    private func respond(to request: Request, _ outcome: Response<StaysResponse>.Outcome) {
        send(Message(.response(.stays), Response(outcome, transaction: request.transaction)))
    }

    /// Responds to `request/forgotten`, with which another one of several aggregators learns whose past was deleted while it was down.
    func respondWithForgotten(_ payload: [UInt8]) {
        let request = Request(parsing: payload)
        guard let standby, (try? request.body(ForgottenRequest.self))?.aggregator == standby, let store = history,
            beginReading()
        else { return }
        Task.detached { [self] in
            let pasts = try? store.forgotten().map { ForgottenResponse.Past(item: $0.key, before: $0.value) }
            endReading()
            let outcome: Response<ForgottenResponse>.Outcome =
                pasts.map { .done(ForgottenResponse(pasts: $0)) }
                ?? .failed("The history cannot be read now: ask again in a while.")
            send(Message(.response(.forgotten), Response(outcome, transaction: request.transaction)))
        }
    }

    private func stays(_ request: Request) async -> Response<StaysResponse>.Outcome {
        if let refusal = request.refusal { return .failed("\(refusal)") }
        let asked: StaysRequest
        do { asked = try StaysRequest(requestedBy: request.arguments) } catch { return .failed("\(error)") }
        guard let store = history else {
            return .failed("The history cannot be used: look at the problems of the aggregator.")
        }
        let word = asked.item.name
        let known = board.item(named: word)
        guard known != nil || board.known != nil else { return .failed(SiteView.beginning) }
        // An item that was removed has a past without a name.
        guard let item = known?.id ?? (isValidID(word) ? word : nil) else {
            return .failed("There is no item \"\(word)\".")
        }
        do {
            let page = try await store.stays(
                of: item, from: asked.since ?? WallTime(milliseconds: 0), to: WallTime(milliseconds: .max),
                limit: StaysResponse.most, after: asked.after.map { HistoryStore.Place(item: item, begin: $0) })
            if page.stays.isEmpty, asked.after == nil {
                guard known != nil else { return .failed("There is no item \"\(word)\".") }
                guard try await !blocking({ try store.cursor() }).isEmpty else {
                    return .failed("The history is empty so far.")
                }
            }
            let stays = page.stays.map {
                StaysResponse.Stay($0.state.presence, room: $0.state.room, from: $0.from, to: $0.to)
            }
            return .done(
                StaysResponse(item: item, name: known?.name ?? item, stays: stays, more: page.next != nil))
        } catch {
            return .failed("The history cannot be read now: ask again in a while.")
        }
    }
}

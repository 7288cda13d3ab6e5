import Beacons
import Hummingbird
import Linux
import Messages
import Synchronization

final class SurveyRun: Sendable {
    private struct Current {
        var survey: SurveyResponse.Survey
        var seconds: Int
        var begin: Instant
        var task: Task<Void, Never>?
    }

    private let current = Mutex<Current?>(nil)
    /// Whether the aggregator is asked to begin a survey: of several that are begun at once, only the first is.
    private let isStarting = Mutex(false)
    private let link: Link
    private let board: Board

    init(link: Link, board: Board) {
        self.link = link
        self.board = board
    }

    /// The survey that runs; `nil` if none does.
    func json() -> [UInt8]? { current.withLock { $0.map { Self.progress($0, board) } } }

    /// Begins a survey, and publishes its progress until its end.
    func start(_ request: SurveyRequest) async throws(Refused) -> [UInt8] {
        let isOnly = isStarting.withLock { isStarting in
            guard !isStarting, current.withLock({ $0 == nil }) else { return false }
            isStarting = true
            return true
        }
        guard isOnly else { throw Refused(.conflict, "A survey runs already: end it first.") }
        defer { isStarting.withLock { $0 = false } }
        let survey = try await link.ask(.startSurvey, request).survey
        let begun = Current(survey: survey, seconds: request.seconds, begin: Clock.now)
        current.withLock { $0 = begun }
        let task = Task { await follow() }
        current.withLock { $0?.task = task }
        return Self.progress(begun, board)
    }

    /// Ends the survey without storing it.
    func discard() async throws(Refused) {
        guard let ended = current.withLock({ $0.take() }) else {
            throw Refused(.notFound, "There is no survey that runs.")
        }
        ended.task?.cancel()
        _ = try await link.ask(
            .stopSurvey, SurveyEnd(item: ended.survey.item, room: ended.survey.room, isStored: false))
        board.send(
            "survey",
            Self.result(ended, "discarded") { $0.object("survey", ended.survey) })
    }

    private func follow() async {
        while let running = current.withLock({ $0 }), !Task.isCancelled {
            if (Clock.now - running.begin).seconds >= Double(running.seconds) { return await finish() }
            board.send("survey", Self.progress(running, board))
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func finish() async {
        guard let ended = current.withLock({ $0.take() }) else { return }
        do throws(Refused) {
            let verdict = try await link.ask(
                .stopSurvey, SurveyEnd(item: ended.survey.item, room: ended.survey.room))
            board.send("survey", Self.result(ended, "done") { verdict.writeFields(to: &$0) })
        } catch {
            board.send("survey", Self.result(ended, "failed") { $0.field("error", error.sentence) })
        }
    }

    private static func progress(_ current: Current, _ board: Board) -> [UInt8] {
        let location = board.location(of: current.survey.item)
        return result(current, "running") { json in
            json.object("survey", current.survey)
            json.array("alike") { _ in }
            json.field("elapsed_s", min(current.seconds, max(0, Int((Clock.now - current.begin).seconds))))
            json.field("for_s", current.seconds)
            json.field("presence", location?.presence.rawValue)
            json.field("located_in", location?.room)
            json.field("gateway", location?.nearest.gateway)
        }
    }

    private static func result(
        _ current: Current, _ state: String, _ body: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        jsonObject { json in
            json.field("state", state)
            json.field("finished", state != "running")
            json.field("item", current.survey.item)
            json.field("room", current.survey.room)
            body(&json)
        }
    }
}

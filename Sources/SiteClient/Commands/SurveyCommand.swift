import ArgumentParser
import Beacons
import Linux
import Messages
import Settings
import Text

struct SurveyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey", abstract: "Record the RSSI fingerprint of a room.",
        usage: """
            forgetmenot survey ROOM --item ITEM [--for 60s]
            forgetmenot survey list
            forgetmenot survey remove ROOM|NUMBER
            """,
        subcommands: [SurveyMakeCommand.self, SurveyListCommand.self, SurveyRemoveCommand.self],
        defaultSubcommand: SurveyMakeCommand.self)
}

/// `forgetmenot survey ROOM --item ITEM`; with `make` before the room where that is called `list`.
struct SurveyMakeCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Record a room's fingerprint: carry an item around it meanwhile.",
        discussion: "If you interrupt the survey, nothing of it is stored.")

    @Argument(help: "The room's exact name.", completion: .rooms)
    var room: String

    @Option(help: "The id or exact name of the item that you carry.", completion: .items)
    var item: String

    @Option(name: .customLong("for"), help: "How long to record: 10s to 10m.")
    var length = "60s"

    @Flag(help: "Print one JSON array, and no progress.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        guard let length = Interval(duration: self.length), SurveyRequest.lengths.contains(Int(length.seconds)) else {
            throw Failure(.usage, "--for is \"\(self.length)\": write a length from 10s to 10m, like 60s")
        }
        let requested = SurveyRequest(room: room, item: item, seconds: Int(length.seconds))
        let boot = try session.view().aggregator.info?.stamp.boot
        let begun = try session.ask(.startSurvey, requested).survey
        if !json { printLine("Carry the item around in \(room) for \(Int(length.seconds)) s.") }
        let (isInterrupted, lastBoot) = try watch(begun, lasting: length, over: session, asJSON: json)
        let end = SurveyEnd(item: begun.item, room: begun.room, isStored: !isInterrupted)
        let response: SurveyResponse
        do throws(Failure) { response = try session.ask(.stopSurvey, end) } catch {
            guard lastBoot != boot, error.status == .no else { throw error }
            throw lostByRestart
        }
        // Without this survey, the response is about an earlier one with the item.
        guard response.survey.at >= begun.at else { throw lostByRestart }
        guard !isInterrupted else { throw Failure(.no, "interrupted: nothing of the survey is stored") }
        if json {
            printJSON(jsonArray([response]) { response, json in json.object(response.writeFields) })
        } else {
            for line in response.judgement { printLine(line) }
        }
        return .right
    }
}

struct SurveyListCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the stored surveys.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let surveys = try storedSurveys(over: session)
        guard !show.json else {
            printJSON(jsonArray(surveys) { $0.write(to: &$1) })
            return .right
        }
        var table = Table([.right("NUMBER"), "ROOM", "ITEM", .right("RECEIVED"), .right("GATEWAYS"), .right("AGO")])
        for survey in surveys {
            table.append([
                "\(survey.number)", survey.room, survey.item, "\(survey.seconds) s", "\(survey.gateways)",
                (Clock.wall - survey.at).age,
            ])
        }
        for line in table.lines(width: terminalWidth()) { printLine(line) }
        if surveys.isEmpty { printError("There are no surveys yet: make one with \"forgetmenot survey make\".") }
        return .right
    }
}

struct SurveyRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove one survey, or all surveys of a room.",
        discussion: "On a terminal, the command asks first.")

    @Argument(help: "The survey's number, or the room's exact name.", completion: .rooms)
    var survey: String

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        // A survey that is not stored is the aggregator's to refuse.
        if confirmation.isNeeded {
            let meant = try storedSurveys(over: session).filter { $0.room == survey || "\($0.number)" == survey }
            if let one = meant.first {
                let what = meant.count == 1 ? "the survey" : "all \(meant.count) surveys"
                try confirmation.ask("Remove \(what) of \(one.room)?", "nothing is removed")
            }
        }
        let left = try session.ask(.removeSurvey, NameOrID(name: survey)).surveys.count
        printLine("Removed; \(left) \(left == 1 ? "survey is" : "surveys are") left")
        return .right
    }
}

/// A survey that has not ended is not on the disk.
private let lostByRestart = Failure(
    .no, "the aggregator was restarted meanwhile, and nothing of the survey is stored: begin again")

/// Shows the item's location meanwhile; returns whether the user interrupted the survey, and which run of the aggregator was last.
private func watch(
    _ survey: SurveyResponse.Survey, lasting length: Interval, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> (isInterrupted: Bool, lastBoot: Boot?) {
    let begin = Clock.now
    let screen = asJSON ? nil : terminalWidth().map { _ in LiveScreen() }
    defer { screen?.end() }
    var view = SiteView()
    func lines() -> [String] {
        let passed = min(Int((Clock.now - begin).seconds), Int(length.seconds))
        let width = 30
        let filled = passed * width / max(1, Int(length.seconds))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        let found = view.locations[survey.item].map { location -> String in
            guard location.presence == .home else { return "not received" }
            let near = location.nearest.gateway.map { ", best received by \($0)" } ?? ""
            return "located in \(location.place) so far\(near)"
        }
        return [truncated("[\(bar)] \(passed) of \(Int(length.seconds)) s   \(found ?? "")", to: terminalWidth() ?? 80)]
    }
    let end = begin + length
    try session.follow(
        [.viewer], isPatient: true, tick: screen == nil ? nil : .seconds(1), onTick: { screen?.draw(lines()) ?? true }
    ) { event in
        switch event {
        case .message(let topic, let payload, let delivery): view.receive(topic, payload, delivery)
        case .caughtUp: return .ask([], within: max(.zero, end - Clock.now))
        case .failing: break
        }
        return .goOn
    }
    return (Clock.now < end, view.aggregator.info?.stamp.boot)
}

package func storedSurveys(over session: BrokerSession) throws(Failure) -> [SurveyResponse.Survey] {
    try session.ask(.learning, Nothing()).surveys
}

extension SurveyResponse {
    fileprivate var judgement: [String] {
        var lines = [
            "\(survey.room): received for \(survey.seconds) s by \(survey.gateways) \(survey.gateways == 1 ? "gateway" : "gateways")."
        ]
        if survey.gateways == 1 {
            lines.append("With one gateway in range, rooms are hard to distinguish: add a second gateway.")
        }
        if alike.isEmpty {
            lines.append("The surveys so far distinguish all rooms.")
        }
        for pair in alike {
            let percent = Int((pair.share * 100).rounded())
            lines.append(
                "\(pair.room) is hard to distinguish from \(pair.other): its fingerprint looks like that room's \(percent) % of the time."
            )
        }
        return lines
    }
}

import ArgumentParser
import Beacons
import Linux
import Messages
import Text

struct LearningCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learning", abstract: "Show or forget what was learned of the rooms' fingerprints.",
        subcommands: [LearningShowCommand.self, LearningForgetCommand.self], defaultSubcommand: LearningShowCommand.self
    )
}

struct LearningShowCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the learned fingerprints and how much they count.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let response = try session.ask(.learning, Nothing())
        report(response, asJSON: show.json)
        return .right
    }
}

struct LearningForgetCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget all recorded RSSI values and what was learned from them.",
        discussion: "Surveys stay. On a terminal, the command asks first.")

    @Flag(help: "Print what is left, as JSON.")
    var json = false

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        if confirmation.isNeeded {
            try confirmation.ask(
                "Forget all recorded RSSI values? To learn from everyday life again takes days.", "nothing is forgotten"
            )
        }
        let response = try session.ask(.forgetLearning, Nothing())
        if json {
            report(response, asJSON: true)
        } else {
            let surveys = response.surveys.count
            printLine(
                surveys == 0
                    ? "The recorded RSSI values are deleted. Locations come from names and plan only, until there is enough to learn from again."
                    : "The recorded RSSI values are deleted. The surveys stay (\(surveys)); \"forgetmenot survey remove\" removes them."
            )
        }
        return .right
    }
}

private func report(_ response: LearningResponse, asJSON: Bool) {
    guard !asJSON else {
        printJSON(jsonArray([response]) { response, json in json.object(response.writeFields) })
        return
    }
    printLine(response.sentence)
    guard !response.rooms.isEmpty else { return }
    var table = Table(["ROOM", .right("EVERYDAY"), .right("SURVEYED"), .right("FINGERPRINTS")])
    for room in response.rooms {
        table.append([
            room.room, Interval.seconds(Double(room.lived)).age, Interval.seconds(Double(room.surveyed)).age,
            "\(room.fingerprints)",
        ])
    }
    printLine("")
    for line in table.lines(width: terminalWidth()) { printLine(line) }
}

extension LearningResponse {
    /// The result in one to four sentences.
    fileprivate var sentence: String {
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
        func length(_ seconds: Int) -> String { Interval.seconds(Double(seconds)).age }
        guard let worth else {
            let stored =
                stored == 0 ? "No RSSI values are recorded yet" : "\(stored) moments with RSSI values are recorded"
            return isLearning
                ? "\(stored). The aggregator is learning now."
                : "\(stored): too few, or too contradictory, to learn from. Locations come from names and plan only."
        }
        var parts: [String] = []
        if worth.lived > 0 { parts.append("\(length(worth.lived)) of everyday life") }
        if worth.surveyed > 0 { parts.append("\(length(worth.surveyed)) of surveys") }
        var text = "Learned from \(parts.joined(separator: " and ")), \((Clock.wall - worth.at).age) ago"
        text += isLearning ? ". The aggregator is learning again now. " : ". "
        text += "Weight of the learned model beside names and plan: \(percent(worth.share))."
        guard worth.lived > 0 else { return text }
        text += " Models of two halves of the recording agree on \(percent(worth.agreement)) of it. "
        text += "Without the learned model \(percent(worth.difference)) would be located in another room."
        return text
    }
}

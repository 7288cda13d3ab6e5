import ArgumentParser
import Console
import Linux
import SiteClient

/// `forgetmenot survey`.
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

    @Argument(help: "The room's exact name.")
    var room: String

    @Option(help: "The id or exact name of the item that you carry.", completion: .items)
    var item: String

    @Option(name: .customLong("for"), help: "How long to record: 10s to 10m.")
    var length = "60s"

    @Flag(help: "Print one JSON array, and no progress.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try survey(room, with: item, lasting: length, over: session, asJSON: json)
    }
}

/// `forgetmenot survey list`.
struct SurveyListCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the stored surveys.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try listSurveys(over: session, asJSON: show.json)
    }
}

/// `forgetmenot survey remove ROOM|NUMBER`.
struct SurveyRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove one survey, or all surveys of a room.")

    @Argument(help: "The survey's number, or the room's exact name.")
    var survey: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try removeSurveys(survey, over: session)
    }
}

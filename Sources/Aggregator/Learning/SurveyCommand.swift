import SiteClient
import ArgumentParser
import Console
import Linux

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
struct SurveyMakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Record a room's fingerprint: carry an item around it meanwhile.",
        discussion: "If you interrupt the survey, nothing of it is stored.")

    @Argument(help: "The room's exact name.")
    var room: String

    @Option(help: "The id or exact name of the item that you carry.")
    var item: String

    @Option(name: .customLong("for"), help: "How long to record: 10s to 10m.")
    var length = "60s"

    @Flag(help: "Print one JSON array, and no progress.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try survey(room, with: item, lasting: length, over: try broker.connect(), asJSON: json)
        }
    }
}

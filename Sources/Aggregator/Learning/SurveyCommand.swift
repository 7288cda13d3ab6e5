import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot survey`.
struct SurveyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey", abstract: "Stand in a room with an item, so that the room is known by its sound.",
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
        commandName: "make", abstract: "Survey a room: stay there with the item, and see what that is worth.",
        discussion: "Interrupted, nothing of it is kept.")

    @Argument(help: "The room's exact name.")
    var room: String

    @Option(help: "The id or exact name of the item that is there.")
    var item: String

    @Option(name: .customLong("for"), help: "How long: 10s to 10m.")
    var length = "60s"

    @Flag(help: "The answer as one JSON array, and no progress.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try survey(room, with: item, lasting: length, over: try broker.connect(), asJSON: json)
        }
    }
}

import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot survey remove ROOM|NUMBER`.
struct SurveyRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove one survey, or all surveys of a room.")

    @Argument(help: "The survey's number, or the room's exact name.")
    var survey: String

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try removeSurveys(survey, over: try broker.connect())
        }
    }
}

import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot survey list`.
struct SurveyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the stored surveys.")

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try listSurveys(over: try broker.connect(), asJSON: json)
        }
    }
}

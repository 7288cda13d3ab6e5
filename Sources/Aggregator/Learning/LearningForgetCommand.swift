import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot learning forget`.
struct LearningForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget all recorded RSSI values and what was learned from them.",
        discussion: "Surveys stay.")

    @Flag(help: "Print what is left, as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try forgetLearning(over: try broker.connect(), asJSON: json)
        }
    }
}

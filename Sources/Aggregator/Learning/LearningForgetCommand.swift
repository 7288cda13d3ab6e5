import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot learning forget`.
struct LearningForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget what was lived here and learned from it; surveys stay.")

    @Flag(help: "What is left, as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try forgetLearning(over: try broker.connect(), asJSON: json)
        }
    }
}

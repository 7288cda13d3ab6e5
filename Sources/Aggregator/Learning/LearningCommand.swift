import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot learning`.
struct LearningCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learning", abstract: "What was learned, by living here, of how the rooms sound.",
        subcommands: [LearningShowCommand.self, LearningForgetCommand.self], defaultSubcommand: LearningShowCommand.self
    )
}

/// `forgetmenot learning show`.
struct LearningShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what was learned, and how much it is worth.")

    @Flag(help: "One JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try showLearning(over: try broker.connect(), asJSON: json)
        }
    }
}

import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot learning`.
struct LearningCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learning", abstract: "Show or forget what was learned of the rooms' fingerprints.",
        subcommands: [LearningShowCommand.self, LearningForgetCommand.self], defaultSubcommand: LearningShowCommand.self
    )
}

/// `forgetmenot learning show`.
struct LearningShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the learned fingerprints and how much they count.")

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try showLearning(over: try broker.connect(), asJSON: json)
        }
    }
}

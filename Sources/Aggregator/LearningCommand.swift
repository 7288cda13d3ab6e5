import ArgumentParser
import Console
import Linux
import SiteClient

/// `forgetmenot learning`.
struct LearningCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learning", abstract: "Show or forget what was learned of the rooms' fingerprints.",
        subcommands: [LearningShowCommand.self, LearningForgetCommand.self], defaultSubcommand: LearningShowCommand.self
    )
}

/// `forgetmenot learning show`.
struct LearningShowCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the learned fingerprints and how much they count.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try showLearning(over: session, asJSON: show.json)
    }
}

/// `forgetmenot learning forget`.
struct LearningForgetCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget all recorded RSSI values and what was learned from them.",
        discussion: "Surveys stay.")

    @Flag(help: "Print what is left, as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try forgetLearning(over: session, asJSON: json)
    }
}

import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot check`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read the configuration and name every problem in it, with its line.",
        discussion:
            "Prints one line for each problem and exits with 78; prints nothing and exits with 0 where there is none.")

    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try checkConfiguration(at: configuration.path)
        }
    }
}

import AggregatorService
import ArgumentParser
import Console
import Linux
import Page

/// `forgetmenot check`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the configuration file and report every problem.",
        discussion:
            "Prints one line for each problem, with its line number, and exits with 78. Without problems it prints nothing and exits with 0."
    )

    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try checkConfiguration(at: configuration.path) { (configuration) throws(Failure) in
                try checkTLSFiles(configuration.page)
            }
        }
    }
}

import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at broker, aggregator, gateways, clock and disk, and say what is wrong and what to do.",
        discussion: "One line for each; exit status 69 if anything is wrong. It changes nothing.")

    @Flag(help: "JSON: one array.")
    var json = false

    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try examineSite(at: configuration.path, asJSON: json)
        }
    }
}

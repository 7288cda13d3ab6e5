import ArgumentParser
import Console
import GatewayService
import Linux

/// `forgetmenot-gateway doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at adapter, broker, clock and disk, and say what is wrong and what to do.",
        discussion: """
            One line for each; exit status 69 if anything is wrong. It changes nothing, and beside a running gateway it does not log in as that.
            """)

    @Flag(help: "JSON: one array.")
    var json = false

    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try examine(at: configuration.given, asJSON: json)
        }
    }
}

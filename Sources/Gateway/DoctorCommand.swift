import ArgumentParser
import Console
import GatewayService
import Linux

struct DoctorCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose adapter, broker, clock and disk.",
        discussion: """
            Prints one line for each check, and what to do if the check failed. Exits with 69 if a check failed. Changes nothing. If the \
            gateway runs, doctor does not log in to the broker in the gateway's name.
            """)

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        try examine(at: configuration.given, asJSON: json)
    }
}

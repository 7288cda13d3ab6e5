import ArgumentParser
import Console
import GatewayService
import Linux

struct CheckCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the configuration file and report every problem.",
        discussion:
            "Prints one line for each problem, with its line number, and exits with 78. Without problems it prints nothing and exits with 0."
    )

    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        try checkConfiguration(at: configuration.path)
    }
}

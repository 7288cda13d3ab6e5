import ArgumentParser
import Console
import GatewayService
import Linux

struct RunCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the gateway service.")

    @OptionGroup var configuration: ConfigurationOption
    @Flag(name: .customLong("verbose"), help: "Log every message and every write of the event log.")
    var isVerbose = false

    func perform() throws(Failure) -> ExitStatus {
        let settings = try loadConfiguration(at: configuration.path)
        return try runGateway(settings, at: configuration.path, isVerbose: isVerbose)
    }
}

import ArgumentParser
import Broker
import Console

/// forgetmenot-gateway: hears with one adapter, and tells the broker.
@main
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgetmenot-gateway",
        abstract: "Listens for beacons with one Bluetooth adapter, and tells the site's broker.",
        version: version,
        subcommands: [
            RunCommand.self, CheckCommand.self, DoctorCommand.self, SetupCommand.self, ScanCommand.self,
            RecordCommand.self,
            TransmitCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static func main() { runProgram() }
}

import ArgumentParser
import Messages
import Console

/// `forgetmenot-gateway`: receives beacons with one adapter and publishes them to the broker.
@main
struct GatewayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgetmenot-gateway",
        abstract: "Receive beacons with one Bluetooth adapter and publish to MQTT.",
        version: version,
        subcommands: [
            RunCommand.self, CheckCommand.self, DoctorCommand.self, SetupCommand.self, JoinCommand.self,
            ScanCommand.self,
            EnrollCommand.self, RecordCommand.self,
            TransmitCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static func main() { runProgram() }
}

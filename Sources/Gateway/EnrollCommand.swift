import ArgumentParser
import Beacons
import Console
import GatewayService
import Linux
import Settings

struct EnrollCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Pair a phone, and add its key to the file of keys.",
        discussion: """
            Makes this machine visible to phones under the name Forgetmenot, waits until one pairs, takes its identity resolving key, and \
            removes the pairing again. Needs root, bluetoothd and bluetoothctl. The service is stopped meanwhile.
            """)

    @Argument(help: "The phone's name, such as \"Anna's phone\".")
    var name: String

    @Option(name: .customLong("for"), help: "For how long to wait for the phone.")
    var span = "3m"

    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        guard let patience = Interval(duration: span), (Interval.seconds(1)...Interval.seconds(3600)).contains(patience)
        else { throw Failure(.usage, "--for is \"\(span)\": write 1s to 1h, like 3m") }
        return try enroll(name, by: configuration.path, within: patience)
    }
}

import ArgumentParser
import Console
import GatewayService
import Linux

struct TransmitCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "transmit",
        abstract: "Transmit an iBeacon until interrupted.",
        discussion: """
            Works beside a gateway, other scans and bluetoothd on the same adapter. If the adapter is switched off and on, the command \
            resumes. At the end it restores the adapter's former state. It needs the capability CAP_NET_ADMIN.
            """)

    @Option(help: "The beacon's UUID.")
    var uuid: String

    @Option(parsing: .unconditional, help: "The beacon's major, 0 to 65535.")
    var major: Int

    @Option(parsing: .unconditional, help: "The beacon's minor, 0 to 65535.")
    var minor: Int

    // Unconditional: the parser would otherwise read a negative number as an option.
    @Option(parsing: .unconditional, help: "The RSSI at 1 m that the beacon claims, in dBm, -100 to -10: measure it.")
    var measuredPower = -59

    @Option(
        help: "The advertising interval, 20ms to 10240ms; controllers before Bluetooth 5 may refuse less than 100ms.")
    var interval = "100ms"

    @OptionGroup var adapter: AdapterOption
    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        let configuration = try configuration.ifAny(with: adapter)
        let beacon = try transmission(
            uuid: uuid, major: major, minor: minor, measuredPower: measuredPower, interval: interval)
        return try transmit(beacon, by: configuration)
    }
}

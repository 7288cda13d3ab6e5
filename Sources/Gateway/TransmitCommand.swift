import ArgumentParser
import Console
import GatewayService
import Linux

/// `forgetmenot-gateway transmit`.
struct TransmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transmit",
        abstract: "Be an iBeacon until interrupted.",
        discussion: """
            Runs beside a gateway, beside scans and beside bluetoothd on the same adapter, follows it through power off and on, and leaves it \
            as it was found. It needs the capability CAP_NET_ADMIN.
            """)

    @Option(help: "The beacon's UUID.")
    var uuid: String

    @Option(parsing: .unconditional, help: "The beacon's major, 0 to 65535.")
    var major: Int

    @Option(parsing: .unconditional, help: "The beacon's minor, 0 to 65535.")
    var minor: Int

    // Unconditional: else the minus of every right value would be taken for an option's.
    @Option(parsing: .unconditional, help: "What to claim to give at 1 m, in dBm, -100 to -10: measure it.")
    var measuredPower = -59

    @Option(help: "How often to send, 20ms to 10240ms; controllers before Bluetooth 5 may refuse less than 100ms.")
    var interval = "100ms"

    @OptionGroup var adapter: AdapterOption
    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            let words = TransmitWords(
                uuid: uuid, major: major, minor: minor, measuredPower: measuredPower, interval: interval)
            return try transmit(words, by: try configuration.ifAny(with: adapter))
        }
    }
}

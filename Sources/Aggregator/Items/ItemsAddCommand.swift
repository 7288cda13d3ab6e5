import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot items add NAME --uuid U --major M --minor N`.
struct ItemsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make a thing known: every gateway looks for its beacon from now on.")

    @Argument(help: "What people call it, in any script.")
    var name: String

    @Option(help: "The beacon's UUID.")
    var uuid: String

    @Option(help: "The beacon's major, 0 to 65535.")
    var major: Int

    @Option(help: "The beacon's minor, 0 to 65535.")
    var minor: Int

    @Option(help: "The id in topics; made from the name unless given.")
    var id: String?

    // Unconditional: else the minus of every right value would be taken for an option's.
    @Option(
        name: .customLong("measured-power"), parsing: .unconditional, help: "dBm at 1 m, whatever the beacon claims.")
    var measuredPower: Int?

    @Flag(help: "The answer as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            let wanted = ItemWords(
                name: name, uuid: uuid, major: major, minor: minor, id: id, measuredPower: measuredPower)
            return try addItem(wanted, over: try broker.connect(), asJSON: json)
        }
    }
}

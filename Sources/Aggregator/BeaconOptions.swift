import AggregatorService
import ArgumentParser

/// Which beacon, or which beacons.
struct BeaconOptions: ParsableArguments {
    @Option(help: "The beacon's UUID.")
    var uuid: String?

    // Numbers unconditional: else the minus of a wrong one, and of every measured power, would be taken for an option's.
    @Option(parsing: .unconditional, help: "The beacon's major, 0 to 65535.")
    var major: Int?

    @Option(parsing: .unconditional, help: "The beacon's minor, 0 to 65535.")
    var minor: Int?

    @Option(
        name: .customLong("measured-power"), parsing: .unconditional, help: "dBm at 1 m, whatever the beacon claims.")
    var measuredPower: Int?

    var words: BeaconWords { BeaconWords(uuid: uuid, major: major, minor: minor, measuredPower: measuredPower) }
}

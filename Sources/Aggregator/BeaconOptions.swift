import SiteClient
import ArgumentParser

/// The options that name a beacon, or a set of beacons.
struct BeaconOptions: ParsableArguments {
    @Option(help: "The beacon's UUID.")
    var uuid: String?

    // Unconditional: the parser would otherwise read a negative number as an option.
    @Option(parsing: .unconditional, help: "The beacon's major, 0 to 65535.")
    var major: Int?

    @Option(parsing: .unconditional, help: "The beacon's minor, 0 to 65535.")
    var minor: Int?

    @Option(
        name: .customLong("measured-power"), parsing: .unconditional,
        help: "The beacon's RSSI at 1 m in dBm, instead of the one it claims.")
    var measuredPower: Int?

    var words: BeaconWords { BeaconWords(uuid: uuid, major: major, minor: minor, measuredPower: measuredPower) }
}

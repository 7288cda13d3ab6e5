import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot nearby`.
struct NearbyCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "List beacons in range that belong to no item, strongest first.",
        discussion:
            "Asks every live gateway and waits up to 2 s for the responses. For each beacon it shows the gateway that receives it best."
    )

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try showNearby(over: session, asJSON: json)
    }
}

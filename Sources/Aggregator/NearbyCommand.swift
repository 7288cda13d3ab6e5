import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot nearby`.
struct NearbyCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "List beacons in range that belong to no item, strongest first.",
        discussion:
            "Asks every live gateway and waits up to 2 s for the responses. For each beacon it shows the gateway that receives it best."
    )

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try showNearby(over: session, asJSON: show.json)
    }
}

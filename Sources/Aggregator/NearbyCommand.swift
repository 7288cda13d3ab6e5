import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot nearby`.
struct NearbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "List beacons in range that belong to no item, strongest first.",
        discussion:
            "Asks every live gateway and waits up to 2 s for the responses. For each beacon it shows the gateway that receives it best."
    )

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try showNearby(over: try broker.connect(), asJSON: json)
        }
    }
}

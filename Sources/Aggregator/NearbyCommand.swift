import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot nearby`.
struct NearbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "Show the beacons that are no item's, strongest first, and who hears them best.",
        discussion: "Asks every live gateway, and waits 2 s for the answers.")

    @Flag(help: "One JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try showNearby(over: try broker.connect(), asJSON: json)
        }
    }
}

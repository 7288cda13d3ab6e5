import AggregatorService
import ArgumentParser
import Console
import Linux

struct PlacementCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "placement", abstract: "Show confused rooms, and where gateways should go.",
        discussion:
            "Computes both from the plan, which is in the configuration file or was drawn on the page. Surveys are used if the aggregator responds."
    )

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var configuration: ConfigurationOption

    func perform() throws(Failure) -> ExitStatus {
        try showPlacement(at: try configuration.path, asJSON: json)
    }
}

import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot where [ITEM]`.
struct WhereCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "where", abstract: "Show the location of every item, or of one.",
        discussion:
            """
            With an item, exits with 0 if the item is home, with 1 if it is away, with 66 if there is no such item, and with 69 if nobody \
            knows. If the aggregator is not running, the command shows the last known locations and exits with 69. DISTANCE is the distance to \
            the gateway of NEAR. With ±, it is the radius around the item's position on the floor plan.
            """
    )

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String?

    @Option(help: "Show only the items in this room.")
    var room: String?

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try showLocations(of: item, in: room, over: session, asJSON: show.json)
    }
}

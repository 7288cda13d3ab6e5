import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot items list`.
struct ItemsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List items and their beacons.")

    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try listItems(over: try broker.connect(), asJSON: json)
        }
    }
}

import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot watch`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the location of every item, live, until interrupted.")

    @Flag(help: "Print one JSON object per line, for each location that changes.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            try watchLocations(over: try broker.connect(), asJSON: json)
        }
    }
}

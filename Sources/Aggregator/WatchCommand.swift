import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot watch`.
struct WatchCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the location of every item, live, until interrupted.")

    @Flag(help: "Print one JSON object per line, for each location that changes.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try watchLocations(over: session, asJSON: json)
    }
}

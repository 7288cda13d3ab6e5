import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot events`.
struct EventsCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show when items moved, left and returned.")

    @Flag(help: "Show new events as well, until interrupted.")
    var follow = false

    @Option(parsing: .unconditional, help: "How far back to begin, like 12h or 2d.")
    var since = "1d"

    @Flag(help: "Print one JSON array; with --follow, one object per line.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try showEvents(since: since, follow: follow, over: session, asJSON: json)
    }
}

import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot history ITEM`.
struct HistoryCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show when one item moved, left and returned.")

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @Option(parsing: .unconditional, help: "How far back to begin, like 12h or 2d. (default: all known events)")
    var since: String?

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try showHistory(of: item, since: since, over: session, asJSON: show.json)
    }
}

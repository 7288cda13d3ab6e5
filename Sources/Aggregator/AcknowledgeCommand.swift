import SiteClient
import ArgumentParser
import Console
import Linux

/// `forgetmenot acknowledge ITEM`.
struct AcknowledgeCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "acknowledge", abstract: "Acknowledge an item's notification, so that it stops repeating.",
        discussion: "Exits with 1 if the item has no active notification.")

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        try acknowledge(item, over: session)
    }
}

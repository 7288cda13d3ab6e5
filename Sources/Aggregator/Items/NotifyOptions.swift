import SiteClient
import ArgumentParser

/// The options for an item's notifications.
struct NotifyOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Notify when the item leaves.")
    var notifyLeft: Bool?

    @Flag(inversion: .prefixedNo, help: "Notify when the item returns.")
    var notifyReturned: Bool?

    @Option(help: "Notify only if the item is still away after this time, like 30s.")
    var notifyAfter: String?

    @Option(help: "Repeat the notification this often, like 5m; 0s: never.")
    var notifyRepeat: String?

    @Option(help: "Stop repeating this long after the item left, like 1h; 0s: only when it is acknowledged or back.")
    var notifyUntil: String?

    @Option(help: "Notify only from this time of day on, like 07:00; needs --notify-to.")
    var notifyFrom: String?

    @Option(help: "Notify only until this time of day, like 22:00; a time before --notify-from is on the next day.")
    var notifyTo: String?

    @Option(help: "The message when the item leaves, instead of the usual sentence.")
    var leftText: String?

    @Option(help: "The message when the item returns, instead of the usual sentence.")
    var returnedText: String?

    var words: NotifyWords {
        var words = NotifyWords()
        (words.left, words.returned) = (notifyLeft, notifyReturned)
        (words.after, words.again, words.until) = (notifyAfter, notifyRepeat, notifyUntil)
        (words.from, words.to) = (notifyFrom, notifyTo)
        (words.leftText, words.returnedText) = (leftText, returnedText)
        return words
    }
}

import AggregatorService
import ArgumentParser

/// What is said of an item, and when.
struct NotifyOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Whether its leaving is said.")
    var notifyLeft: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether its return is said.")
    var notifyReturned: Bool?

    @Option(help: "Say it only when it is still away after so long, like 30s.")
    var notifyAfter: String?

    @Option(help: "Say it again this often, like 5m; 0s: once.")
    var notifyRepeat: String?

    @Option(help: "For so long at most, like 1h; 0s: until it is acknowledged or back.")
    var notifyUntil: String?

    @Option(help: "Only from this time of the day on, like 07:00.")
    var notifyFrom: String?

    @Option(help: "Only until this time of the day, like 22:00; before the other one it is the next day's.")
    var notifyTo: String?

    @Option(help: "What is said of its leaving, instead of the usual sentence.")
    var leftText: String?

    @Option(help: "What is said of its return, instead of the usual sentence.")
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

import Beacons
import Settings

/// The `[notify]` table: the program that is run for each notification.
public struct NotifyCommand: Hashable, Sendable {
    /// The program and its arguments, which no shell reads: 1 to 64.
    public var words: [String]
    /// It is ended after this: 1 s to 10 min.
    public var timeLimit = Interval.seconds(10)

    /// A command with the usual limit.
    public init(words: [String]) {
        precondition(!words.isEmpty, "a command is a program at least")
        self.words = words
    }

    /// Reads `[notify]`; `nil` where it is absent, or has no command.
    public init?(_ notify: SettingsTable) {
        let words = (notify.isPresent ? notify.required : notify).texts("command", count: 1...64)
        let timeLimit = notify.duration("time_limit", in: .seconds(1) ... .seconds(600))
        guard let words else { return nil }
        self.words = words
        self.timeLimit = timeLimit ?? self.timeLimit
    }
}

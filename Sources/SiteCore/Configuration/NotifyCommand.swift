import Beacons
import Settings

/// The `[notify]` table: the program to run for each notification.
package struct NotifyCommand: Hashable, Sendable {
    /// The program and its arguments, 1 to 64 in all; no shell interprets them.
    package var words: [String]
    /// How long the program may run: 1 s to 10 min.
    package var timeLimit = Interval.seconds(10)

    /// A command with the default time limit.
    package init(words: [String]) {
        precondition(!words.isEmpty, "a command needs a program")
        self.words = words
    }

    /// Reads `[notify]`; `nil` if it is absent or has no command.
    package init?(_ notify: SettingsTable) {
        let words = (notify.isPresent ? notify.required : notify).command("command")
        let timeLimit = notify.duration("time_limit", in: .seconds(1) ... .seconds(600))
        guard let words else { return nil }
        self.words = words
        self.timeLimit = timeLimit ?? self.timeLimit
    }
}

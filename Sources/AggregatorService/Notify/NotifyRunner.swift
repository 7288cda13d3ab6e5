import SiteCore
import Beacons
import Glibc
import Linux

/// Runs the user's program for each notification, with the payload on its standard input, without waiting for its end.
struct NotifyRunner: Sendable {
    /// How many programs run at once; other notifications wait.
    static let mostAtOnce = 4
    /// How many notifications wait; beyond that the oldest are dropped.
    static let mostWaiting = 100

    let command: NotifyCommand
    private var running = RunningPrograms<Void>()
    private var waiting: [[UInt8]] = []
    /// Why the last program failed; `nil` if it did not.
    private(set) var problem: String?

    init(_ command: NotifyCommand) {
        self.command = command
    }

    /// When to call `advance` again, if no program ends before.
    var nextDeadline: Instant? { running.nextDeadline }

    var runningCount: Int { running.count }

    /// Queues a notification for the next `advance`.
    mutating func add(_ payload: [UInt8]) {
        waiting.append(payload)
        guard waiting.count > Self.mostWaiting else { return }
        waiting.removeFirst()
        problem = "\(command.words[0]) is too slow: waiting notifications were dropped"
    }

    /// Notes programs that ended, ends those that take too long, and starts programs for waiting notifications.
    mutating func advance(to now: Instant) {
        for ended in running.advance(to: now) { judge(ended.ending, ended.isTooLate) }
        while running.count < Self.mostAtOnce, !waiting.isEmpty {
            do throws(SystemError) {
                try running.start(
                    command.words, input: waiting.removeFirst(), for: (), until: now + command.timeLimit)
            } catch {
                problem = "\(error)"
            }
        }
    }

    /// Sends SIGTERM to all running programs.
    func stop() { running.stop() }

    private mutating func judge(_ ending: Subprocess.Ending, _ isTooLate: Bool) {
        let name = command.words[0]
        problem =
            switch ending {
            case _ where isTooLate: "\(name) took longer than \(Int(command.timeLimit.seconds)) s, and was ended"
            case .exited(0): nil
            case .exited(let status): "\(name) failed with exit status \(status)"
            case .killed(let signal): "\(name) was ended by signal \(signal)"
            }
    }
}

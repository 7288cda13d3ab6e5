import Beacons
import Glibc
import Linux

/// Runs the user's own program for each notification, with the payload on its standard input. It waits for none.
struct NotifyRunner: Sendable {
    /// So many run at once; the others wait.
    static let mostAtOnce = 4
    /// So many wait; of more, the oldest are dropped.
    static let mostWaiting = 100
    /// Between being asked to end and being ended.
    static let grace = Interval.seconds(2)

    private struct Run: Sendable {
        var process: Subprocess
        var limit: Instant
        var isTooLate = false
    }

    let command: NotifyCommand
    private var running: [Run] = []
    private var waiting: [[UInt8]] = []
    /// Why the last one failed; `nil`: it did not. It is said when it comes, and not each time.
    private(set) var problem: String?

    init(_ command: NotifyCommand) {
        self.command = command
    }

    /// When it wants to be called again, if no program ends before.
    var nextDeadline: Instant? { running.map(\.limit).min() }

    /// How many run now.
    var runningCount: Int { running.count }

    /// Has a notification handed over, soon.
    mutating func take(_ payload: [UInt8]) {
        waiting.append(payload)
        guard waiting.count > Self.mostWaiting else { return }
        waiting.removeFirst()
        problem = "\(command.words[0]) is too slow: notifications were dropped that waited for it"
    }

    /// Takes note of what ended, ends what takes too long, and starts what waits.
    mutating func advance(to now: Instant) {
        running = running.compactMap { run in
            var run = run
            if let ending = run.process.ending() {
                judge(ending, run.isTooLate)
                return nil
            }
            guard run.limit <= now else { return run }
            run.process.signal(run.isTooLate ? SIGKILL : SIGTERM)
            run.isTooLate = true
            run.limit = now + Self.grace
            return run
        }
        while running.count < Self.mostAtOnce, !waiting.isEmpty {
            do throws(SystemError) {
                let process = try Subprocess(command.words, input: waiting.removeFirst())
                running.append(Run(process: process, limit: now + command.timeLimit))
            } catch {
                problem = "\(error)"
            }
        }
    }

    /// Asks all that still run to end.
    func stop() {
        for run in running { run.process.signal(SIGTERM) }
    }

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

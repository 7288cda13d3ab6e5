import Beacons
import Glibc
import Linux

/// Foreign programs that run now, each with a limit of time and what it is for.
struct RunningPrograms<Purpose: Sendable>: Sendable {
    /// The time between SIGTERM and SIGKILL.
    private static var grace: Interval { .seconds(2) }

    struct Ended: Sendable {
        var purpose: Purpose
        var ending: Subprocess.Ending
        /// Whether the program took too long, and was ended.
        var isTooLate: Bool
    }

    private struct Run: Sendable {
        var process: Subprocess
        var purpose: Purpose
        var limit: Instant
        var isTooLate = false
    }

    private var runs: [Run] = []

    var count: Int { runs.count }
    /// When to call `advance` again, if no program ends before.
    var nextDeadline: Instant? { runs.map(\.limit).min() }

    /// Starts a program, which is ended after `limit`.
    mutating func start(
        _ words: [String], input: [UInt8], attachment: [UInt8]? = nil, output: MemoryFile? = nil, for purpose: Purpose,
        until limit: Instant
    ) throws(SystemError) {
        let process = try Subprocess(words, input: input, attachment: attachment, output: output)
        runs.append(Run(process: process, purpose: purpose, limit: limit))
    }

    /// Ends programs that take too long; returns those that ended.
    mutating func advance(to now: Instant) -> [Ended] {
        var ended: [Ended] = []
        runs = runs.compactMap { run in
            var run = run
            if let ending = run.process.ending() {
                ended.append(Ended(purpose: run.purpose, ending: ending, isTooLate: run.isTooLate))
                return nil
            }
            guard run.limit <= now else { return run }
            run.process.signal(run.isTooLate ? SIGKILL : SIGTERM)
            run.isTooLate = true
            run.limit = now + Self.grace
            return run
        }
        return ended
    }

    /// Sends SIGTERM to all of them.
    func stop() {
        for run in runs { run.process.signal(SIGTERM) }
    }
}

import Beacons

/// When each file of a service's state folder is written, what could not be, and what an SD card may take of them.
///
/// A file that is due leaves the schedule with `next`. The caller reports the write, and what became of it.
package struct FileSchedule<File: CaseIterable & Hashable & Sendable>: Sendable {
    /// To be written now, in this order.
    private var due: [File] = []
    private var times: [File: Instant] = [:]
    private var problems: [File: String] = [:]
    package var budget: WriteBudget

    package init(at start: Instant) { budget = WriteBudget(at: start) }

    /// The problem of the first file that could not be written; `nil` if there is none.
    package var problem: String? { File.allCases.lazy.compactMap { problems[$0] }.first }

    package var isDue: Bool { !due.isEmpty }

    /// When the next file that is not due yet is to be written; `nil` if there is none.
    package var nextDeadline: Instant? { times.values.min() }

    /// When a file is to be written that is not due yet; `nil` if it is not scheduled.
    package subscript(_ file: File) -> Instant? { times[file] }

    /// Schedules a file, in the place of a former time.
    package mutating func set(_ file: File, at instant: Instant?) { times[file] = instant }

    /// Schedules a file, unless it is to be written before.
    package mutating func add(_ file: File, at instant: Instant) { times[file] = min(times[file] ?? instant, instant) }

    /// Makes a file due now.
    package mutating func add(_ file: File) {
        if !due.contains(file) { due.append(file) }
    }

    /// Makes the files due whose time has come; returns them.
    ///
    /// The caller writes the event log before them: a file that includes an event that the log does not have would hide that event.
    @discardableResult
    package mutating func advance(to now: Instant) -> [File] {
        let files = File.allCases.filter { times[$0].map { $0 <= now } ?? false }
        for file in files { add(file) }
        return files
    }

    /// Makes all scheduled files due, at the end.
    package mutating func finish() {
        for file in File.allCases where times[file] != nil { add(file) }
    }

    /// The next file to be written, which is not due any more.
    package mutating func next() -> File? {
        guard let file = due.first else { return nil }
        due.removeFirst()
        times[file] = nil
        return file
    }

    /// Records that a file was written, or why not.
    ///
    /// - Parameter retryAt: when it is written again then; `nil`: not on that account.
    package mutating func wrote(_ file: File, problem: String?, retryAt: Instant?) {
        problems[file] = problem
        if problem != nil, let retryAt { times[file] = retryAt }
    }
}

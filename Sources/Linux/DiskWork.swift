import Beacons
import Glibc

/// The writes of a service, one at a time and beside its loop: a disk that takes its time holds up neither the radio nor the sign of life.
///
/// A write that takes longer than `Disk.longestWrite(of:)` counts as failed, and so does every further one until it has ended. So a disk that
/// hangs is reported like one that is full, and what waits for it goes on without it.
package struct DiskWork<Outcome: Sendable>: Sendable {
    /// While a write lasts, what is due waits for it: the loop need not look more often than this.
    private static var glance: Interval { .milliseconds(20) }

    private struct Write: Sendable {
        let work: Background<Outcome>
        let began: Instant
        let limit: Interval
        let failure: @Sendable (SystemError) -> Outcome

        var deadline: Instant { began + limit }
        var fault: SystemError {
            SystemError(
                "write", code: ETIMEDOUT,
                because: "the disk has not completed a write within \(Int(limit.seconds)) s")
        }
    }

    /// The write that began last, as long as it lasts.
    private var write: Write?
    /// Whether its outcome is still to come.
    package private(set) var isBusy = false

    package init() {}

    /// Begins a write, while none is under way.
    ///
    /// - Parameters:
    ///   - bytes: how much is written.
    ///   - failure: the outcome of a write that failed.
    ///   - work: the write; it returns its outcome.
    /// - Returns: the outcome if there is nothing to wait for; `nil` if it comes with `take`.
    package mutating func begin(
        of bytes: Int, at now: Instant, failure: @escaping @Sendable (SystemError) -> Outcome,
        _ work: @escaping @Sendable () -> Outcome
    ) -> Outcome? {
        precondition(!isBusy)
        if let write, write.work.outcome == nil { return failure(write.fault) }
        do throws(SystemError) {
            write = Write(
                work: try Background(named: "disk", work), began: now, limit: Disk.longestWrite(of: bytes),
                failure: failure
            )
            isBusy = true
            return nil
        } catch {
            write = nil
            return work()
        }
    }

    /// The outcome of the write, once.
    package mutating func take(at now: Instant) -> Outcome? {
        guard isBusy, let write else { return nil }
        if let outcome = write.work.outcome {
            (self.write, isBusy) = (nil, false)
            return outcome
        }
        guard now >= write.deadline else { return nil }
        isBusy = false
        return write.failure(write.fault)
    }

    /// Waits for the outcome; returns whether there was one to wait for.
    package func wait() -> Bool {
        guard isBusy, let write else { return false }
        _ = Linux.wait(for: [write.work.number], until: write.deadline)
        return true
    }

    /// What is readable when the outcome is there; `nil` if none is to come.
    package var descriptor: Int32? { isBusy ? write?.work.number : nil }

    /// When to call `take` at the latest, where `next` is when something else is due.
    package func deadline(_ next: Instant, at now: Instant) -> Instant {
        guard isBusy, let write else { return next }
        return min(max(next, now + Self.glance), write.deadline)
    }
}

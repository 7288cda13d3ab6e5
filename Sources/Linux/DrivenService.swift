/// A service that carries out what its core decides, and whose writes run beside its loop.
package protocol DrivenService {
    associatedtype Outcome: Sendable
    associatedtype Action

    var writes: DiskWork<Outcome> { get set }

    /// Handles what came of a write.
    mutating func handle(_ outcome: Outcome)

    /// What the core wants done next; `nil`: nothing.
    mutating func nextAction() -> Action?

    mutating func carryOut(_ action: Action)
}

extension DrivenService {
    /// Begins a write; see `DiskWork.begin`.
    package mutating func write(
        _ bytes: Int, failure: @escaping @Sendable (SystemError) -> Outcome, _ work: @escaping @Sendable () -> Outcome
    ) {
        if let outcome = writes.begin(of: bytes, at: Clock.now, failure: failure, work) { handle(outcome) }
    }

    /// Carries out what was decided, until nothing more follows from it, or a write has begun: what follows, follows from that.
    package mutating func carryOut() {
        if let outcome = writes.take(at: Clock.now) { handle(outcome) }
        while !writes.isBusy, let action = nextAction() { carryOut(action) }
    }

    /// Carries out what was decided, and waits for the disk.
    package mutating func finish() {
        carryOut()
        while writes.wait() { carryOut() }
    }
}

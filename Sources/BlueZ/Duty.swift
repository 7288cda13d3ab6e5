import Beacons
import HCI

/// The task of an adapter, as a sequence of steps: the outcome of each step determines the next. A duty has no socket
/// and no clock.
///
/// `Recovery` finds the adapter, switches it on or off, runs these steps, and repeats them after interruptions.
protocol Duty: Sendable {
    /// A description for users, such as "scanning through the raw socket".
    var description: String { get }
    /// The kernel interface of the scan; `nil` if the duty does not scan.
    var interface: AdapterInterface? { get }
    /// Whether the adapter must be on; the user channel requires it to be off.
    var needsPower: Bool { get }
    /// Whether the kernel hides the adapter and leaves it alone during this duty.
    var ownsController: Bool { get }
    /// Whether the adapter may be switched off and reset for this duty, which interrupts all others on it.
    var mayResetAdapter: Bool { get }
    /// The silence after which the duty must be proven; `nil` if silence has no meaning.
    var silence: Interval? { get }
    /// The controller commands that end this duty if another program sends them.
    var endangeredBy: Set<UInt16> { get }
    /// The minimum time between two proofs after such a command, so that two competing programs do not restart each
    /// other endlessly.
    var patience: Interval { get }

    /// The first step on an adapter that is ready.
    mutating func begin(on adapter: Adapter) -> Progress
    /// The first step of the gentlest way to prove the duty and to restore it.
    mutating func prove(on adapter: Adapter) -> Progress
    /// The next step after `outcome`, the outcome of the previous step.
    mutating func proceed(_ outcome: Outcome, on adapter: Adapter) -> Progress
    /// The steps that restore the adapter's previous state; their outcomes are ignored.
    mutating func end(on adapter: Adapter) -> [Step]
    /// Whether `event` ended the duty; the result is a sentence that reports it.
    mutating func isUndone(by event: ManagementEvent) -> String?
    /// Discards the state of the adapter, which is gone with all its settings.
    mutating func forget()
}

extension Duty {
    var mayResetAdapter: Bool { true }
}

enum Progress: Hashable, Sendable {
    case step(Step)
    /// The duty is running.
    case ready
    /// The duty cannot run.
    case trouble(Trouble)
}

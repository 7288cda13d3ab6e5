import Beacons

/// What an adapter is kept for, as a sequence of steps that decides by each outcome what comes next: no socket, no clock.
///
/// `Recovery` finds the adapter, switches it on (or off), runs these steps, and runs them again whenever something came between.
protocol Duty: Sendable {
    /// What it does, for people: «listening through the raw socket».
    var description: String { get }
    /// Through what it hears; `nil` where it does not.
    var interface: BlueZOptions.Interface? { get }
    /// Whether the adapter must be on; the user channel wants it off.
    var needsPower: Bool { get }
    /// Whether the kernel hides the adapter while it is at this duty, and leaves it alone.
    var ownsController: Bool { get }
    /// After how much silence it must be proven; `nil` where silence means nothing.
    var silence: Interval? { get }
    /// Commands to the controller that, given by somebody else, may have ended it.
    var endangeredBy: Set<UInt16> { get }
    /// After such a command it is not proven sooner than this after the last time, so that two programs that insist do not wear each other out.
    var patience: Interval { get }

    /// The first step on an adapter that is ready.
    mutating func begin(on adapter: Adapter) -> Progress
    /// The first step of the gentlest way to show that it is still at it, and to set it at it again.
    mutating func prove(on adapter: Adapter) -> Progress
    /// The next step after `outcome`, which is that of the last one.
    mutating func proceed(_ outcome: Outcome, on adapter: Adapter) -> Progress
    /// What leaves the adapter as it was found; outcomes do not matter.
    mutating func end(on adapter: Adapter) -> [Step]
    /// Whether `event` ended it: the sentence that says so.
    mutating func isUndone(by event: ManagementEvent) -> String?
    /// The adapter went, and all that was set on it with it.
    mutating func forget()
}

/// Where a duty's sequence stands.
enum Progress: Hashable, Sendable {
    /// This comes next.
    case step(Step)
    /// It is at it.
    case ready
    /// It cannot.
    case trouble(Trouble)
}

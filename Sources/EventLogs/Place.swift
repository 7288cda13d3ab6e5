/// The unique place of an event: the run id of its process, and its number in that run from 1.
public struct Place: Hashable, Sendable {
    /// The run id of the process that numbered the event.
    public var boot: String
    /// The number of the event in its run.
    public var seq: UInt64

    /// Creates the place of the event `seq` of run `boot`.
    public init(boot: String, seq: UInt64) {
        self.boot = boot
        self.seq = seq
    }
}

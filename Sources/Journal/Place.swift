/// Where an event stands: the boot that numbered it, and its number there, from 1.
public struct Place: Hashable, Sendable {
    /// The word of the process start that numbered it.
    public var boot: String
    /// Its number in that boot.
    public var seq: UInt64

    /// The event `seq` of `boot`.
    public init(boot: String, seq: UInt64) {
        self.boot = boot
        self.seq = seq
    }
}

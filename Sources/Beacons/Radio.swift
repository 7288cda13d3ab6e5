/// Where advertisements come from: an adapter, a recording, a simulated house. One pipeline listens to any of them.
///
/// It is driven from outside: whoever owns it waits for its descriptors or its deadline, whichever comes first, and calls `advance`.
public protocol Radio {
    /// What becomes readable when there is something to take; empty where only time brings something.
    var descriptors: [Int32] { get }
    /// When it wants to be called even if no descriptor is ready; `nil`: never.
    var nextDeadline: Instant? { get }
    /// By which of the kernel's interfaces it hears, `monitor`, `raw` or `user`; `nil` where there is no adapter.
    var interfaceName: String? { get }
    /// The adapter's own address; `nil` where there is none, or as long as it is not known.
    var address: DeviceAddress? { get }
    /// What its own decoder refused: reports that never became an advertisement.
    var counters: ScanCounters { get }
    /// Takes what has come up to `now`: hands each advertisement with its data to `hear`, in order of time, and returns what else happened.
    mutating func advance(to now: Instant, hear: (Advertisement, RawSpan) -> Void) -> [RadioNotice]
    /// Asks for proof that it is listening; `.proven` follows, or a state that is not `poweredOn`.
    mutating func prove(at now: Instant)
    /// Begins again from nothing, as `request/radio/restart` asks.
    mutating func restart(at now: Instant)
    /// Ends its scan and leaves the adapter as it was found.
    mutating func stop()
}

/// A source of advertisements: an adapter, a recording or a simulated house.
///
/// The owner drives the radio: it waits for a descriptor or for the deadline, whichever comes first, and calls
/// `advance`.
public protocol Radio {
    /// The descriptors that become readable when advertisements or notices are available; empty if the radio only has
    /// deadlines.
    var descriptors: [Int32] { get }
    /// When the owner must call `advance` even if no descriptor is readable; `nil`: never.
    var nextDeadline: Instant? { get }
    /// The kernel interface that the radio uses, `monitor`, `raw` or `user`; `nil` if there is no adapter.
    var interfaceName: String? { get }
    /// The adapter's own address; `nil` if there is no adapter or the address is not known yet.
    var address: DeviceAddress? { get }
    /// The reports that the radio's own decoder refused, before they became advertisements.
    var counters: ScanCounters { get }
    /// Processes everything received up to `now`: passes each advertisement with its data to `receive`, in order of time,
    /// and returns the notices.
    mutating func advance(to now: Instant, receive: (Advertisement, RawSpan) -> Void) -> [RadioNotice]
    /// Requests proof that the radio is scanning. `.proven` follows, or a state other than `poweredOn`.
    mutating func prove(at now: Instant)
    /// Restarts the radio from the beginning, as `request/radio/restart` requests.
    mutating func restart(at now: Instant)
    /// Stops the scan and restores the adapter's previous state.
    mutating func stop()
}

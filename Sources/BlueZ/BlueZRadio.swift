public import Beacons

/// An adapter of this machine, listened to through the kernel, and kept listening.
///
/// Whatever happens to the adapter is noticed (a silence after 12 s), mended by the gentlest step that helps, and said by a notice of
/// its state. A quiet room is told from a dead adapter by asking. Nothing here waits, `stop` excepted (3 s at most).
public final class BlueZRadio: Radio {
    private let connection: AdapterConnection

    /// A radio that will look for its adapter with the first `advance`.
    public init(_ options: BlueZOptions = BlueZOptions()) {
        connection = AdapterConnection(Recovery(name: options.adapter, candidates: options.duties))
    }

    deinit {
        // A monitor outlives its socket: who forgot to stop does not leave it behind.
        stop()
    }

    /// Through which of the kernel's interfaces it listens, or tries to, as `info` names it.
    public var interfaceName: String? { interface?.rawValue }
    /// Through which of the kernel's interfaces it listens, or tries to.
    public var interface: BlueZOptions.Interface? { connection.recovery.duty.interface }
    /// The adapter's own address, once it was found.
    public var address: DeviceAddress? { connection.recovery.known }
    /// The adapter's name now, `hci0`; `nil` while there is none.
    public var adapterName: String? { connection.recovery.adapter?.name }
    /// What it is, and why: the state of the last notice.
    public var state: RadioState { connection.recovery.state }
    /// Which interface runs and why, or what hinders it: the reason of the last notice.
    public var description: String { connection.recovery.reason }
    /// Why the interface is not the first choice; `nil` where it is.
    public var fallbackReason: String? { connection.recovery.fallback }
    /// Packets of the management channel that could not be read: none, ever, from a sane kernel.
    public var refusedPackets: UInt64 { connection.refused }
    /// What the controller's events had that became no advertisement (raw socket and user channel only).
    public var counters: ScanCounters { connection.refusedReports }

    /// The kernel's sockets; they change whenever an adapter comes or goes, so ask again after each `advance`.
    public var descriptors: [Int32] { connection.descriptors }
    /// When it wants to look after its adapter.
    public var nextDeadline: Instant? { connection.nextDeadline }

    /// Takes what has come, at most some thousand advertisements at once, and looks after the adapter.
    public func advance(to now: Instant, hear: (Advertisement, RawSpan) -> Void) -> [RadioNotice] {
        connection.advance(to: now, hear: hear)
    }

    /// Has the controller asked and the scan begun anew: `.proven` follows within about 5 s, or the state again where it is not listening.
    public func prove(at now: Instant) {
        connection.tell(.prove, at: now)
    }

    /// Begins again: new sockets, the best interface first.
    public func restart(at now: Instant) {
        connection.tell(.restart, at: now)
    }

    /// Ends the scan, and leaves the adapter as it was found: power, Low Energy, the kernel's scan timing. Power stays on where bluetoothd runs.
    public func stop() {
        connection.stop()
    }
}

extension BlueZOptions {
    /// What to try, in this order.
    var duties: [any Duty] {
        let timing = ScanTiming(interval: scanInterval, window: scanWindow)
        func monitor(acceptsFilter: Bool) -> MonitorDuty { MonitorDuty(timing: timing, acceptsFilter: acceptsFilter) }
        let raw = ScanDuty(channel: .raw, timing: timing, active: active)
        return switch interface {
        case .auto where active: [raw, monitor(acceptsFilter: true)]
        // A controller that filters by itself still lets the known frames through, where the raw socket is not allowed.
        case .auto: [monitor(acceptsFilter: false), raw, monitor(acceptsFilter: true)]
        case .monitor: [monitor(acceptsFilter: true)]
        case .raw: [raw]
        case .user: [ScanDuty(channel: .user, timing: timing, active: active)]
        }
    }
}

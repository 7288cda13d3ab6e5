import Beacons

/// A radio on an adapter of this machine that scans through the kernel and restores the scan after failures.
///
/// The radio detects failures of the adapter, such as a silence of 12 s, and applies the gentlest step that helps. A
/// notice reports each change of state. To distinguish a quiet room from a dead adapter, the radio queries the
/// controller. Only `stop` blocks, for 3 s at most.
package final class BlueZRadio: Radio {
    private let connection: AdapterConnection

    /// Creates a radio that searches for its adapter with the first `advance`.
    package init(_ options: BlueZOptions = BlueZOptions()) {
        connection = AdapterConnection(Recovery(name: options.adapter, candidates: options.duties))
    }

    deinit {
        // A monitor outlives its socket, so deinit removes it even if `stop` was not called.
        stop()
    }

    /// The kernel interface in use, with the name that `info` has.
    package var interfaceName: String? { interface?.rawValue }
    /// The kernel interface in use.
    package var interface: BlueZOptions.Interface? { connection.recovery.duty.interface }
    /// The adapter's own address; `nil` until the adapter is found.
    package var address: DeviceAddress? { connection.recovery.known }
    /// The adapter's current name, such as `hci0`; `nil` while there is none.
    package var adapterName: String? { connection.recovery.adapter?.name }
    /// The counts of the controller's reports that were refused (raw socket and user channel only).
    package var counters: ScanCounters { connection.refusedReports }

    /// The kernel's sockets. They change whenever an adapter comes or goes, so read them again after each `advance`.
    package var descriptors: [Int32] { connection.descriptors }
    /// When to call `advance` to check the adapter.
    package var nextDeadline: Instant? { connection.nextDeadline }

    /// Processes received packets, about a thousand advertisements at most, and checks the adapter.
    package func advance(to now: Instant, receive: (Advertisement, RawSpan) -> Void) -> [RadioNotice] {
        connection.advance(to: now, receive: receive)
    }

    /// Queries the controller and restarts the scan. `.proven` follows within about 5 s, or the current state if the
    /// adapter is not scanning.
    package func prove(at now: Instant) {
        connection.report(.prove, at: now)
    }

    /// Restarts with new sockets, beginning with the best interface.
    package func restart(at now: Instant) {
        connection.report(.restart, at: now)
    }

    /// Stops the scan and restores the adapter's power, Low Energy and scan timing. If bluetoothd is running, power
    /// stays on.
    package func stop() {
        connection.stop()
    }
}

extension BlueZOptions {
    /// The duties to try, in this order.
    var duties: [any Duty] {
        let timing = ScanTiming(interval: scanInterval, window: scanWindow)
        func monitor(acceptsFilter: Bool) -> MonitorDuty { MonitorDuty(timing: timing, acceptsFilter: acceptsFilter) }
        let raw = ScanDuty(channel: .raw, timing: timing, active: active)
        return switch interface {
        case .auto where active: [raw, monitor(acceptsFilter: true)]
        // A controller that filters still passes the known frames, for the case that the raw socket is not allowed.
        case .auto: [monitor(acceptsFilter: false), raw, monitor(acceptsFilter: true)]
        case .monitor: [monitor(acceptsFilter: true)]
        case .raw: [raw]
        case .user: [ScanDuty(channel: .user, timing: timing, active: active)]
        }
    }
}

import Beacons
import HCI

/// The adapter to scan with, the kernel interface, and the timing of the scan.
package struct BlueZOptions: Hashable, Sendable {
    package var adapter: AdapterName
    package var interface: AdapterInterface
    /// The interval between scan windows: 2.5 ms to 10.24 s in steps of 0.625 ms. Other values are rounded and clamped.
    package var scanInterval: Interval
    /// The length of each scan window. With the length of the interval, which is the limit, the adapter scans all the
    /// time.
    package var scanWindow: Interval
    /// Whether to send scan requests to advertisers, which costs their batteries. The monitor never does; with `auto`,
    /// this option selects the raw socket.
    package var active: Bool

    /// Creates options, by default for a continuous passive scan on `hci0` through the best interface.
    package init(
        adapter: AdapterName = .index(0), interface: AdapterInterface = .auto,
        scanInterval: Interval = .milliseconds(60), scanWindow: Interval = .milliseconds(60), active: Bool = false
    ) {
        self.adapter = adapter
        self.interface = interface
        self.scanInterval = scanInterval
        self.scanWindow = scanWindow
        self.active = active
    }

    /// The duties to try, in this order.
    var duties: [any Duty] {
        let timing = ScanTiming(interval: scanInterval, window: scanWindow)
        func monitor(acceptsFilter: Bool) -> MonitorDuty { MonitorDuty(timing: timing, acceptsFilter: acceptsFilter) }
        let raw = OwnScanDuty(channel: .raw, timing: timing, active: active)
        return switch interface {
        case .auto where active: [raw, monitor(acceptsFilter: true)]
        // A controller that filters still passes the known frames, for the case that the raw socket is not allowed.
        case .auto: [monitor(acceptsFilter: false), raw, monitor(acceptsFilter: true)]
        case .monitor: [monitor(acceptsFilter: true)]
        case .raw: [raw]
        case .user: [OwnScanDuty(channel: .user, timing: timing, active: active)]
        }
    }
}

/// The timing of the scan in the controller's units of 0.625 ms.
struct ScanTiming: Hashable, Sendable {
    var interval: UInt16
    var window: UInt16

    /// Creates a timing within the limits of every controller (Core 5.4, Vol 4, E 7.8.10): 0x0004 to 0x4000, with the
    /// window no longer than the interval.
    init(interval: Interval, window: Interval) {
        self.interval = Self.units(interval)
        self.window = min(Self.units(window), self.interval)
    }

    private static func units(_ span: Interval) -> UInt16 {
        UInt16(max(0x0004, min(0x4000, (span.seconds / 0.000_625).rounded())))
    }
}

import BlueZ
import Doctor
import HCI

/// The checks of an adapter, for a gateway with these `[radio]` settings.
struct AdapterExamination {
    /// The adapter's name in `[radio]`.
    let name: AdapterName
    /// The kernel's interface in `[radio]`.
    let interface: AdapterInterface
    /// The kernel's information about the adapter.
    let report: AdapterReport
    /// The capabilities of the running gateway, or of this process.
    let capabilities: Capabilities
    /// The name of that process, for people.
    let holder: String

    /// The checks in their order.
    static let subjects = ["adapter", "driver", "rfkill", "capabilities", "interface", "bluetoothd"]

    func findings() -> [Finding] {
        let (adapter, driver, rfkill) = (adapter, driver, rfkill)
        let findings = [adapter, driver, rfkill, mayDo, scanning, daemon]
        return zip(Self.subjects, findings).map { Finding($0, $1.0, $1.1) }
    }

    private typealias CheckResult = (Finding.Verdict, String)

    private var adapter: CheckResult {
        guard let hci = report.name else {
            if let problem = report.problem { return (.failed, problem) }
            let others = report.others.map { "\($0.name) \($0.address)" }.joined(separator: ", ")
            let rest = others.isEmpty ? "and no other: plug one in" : "but \(others): name it in radio.source"
            return (.failed, "there is no \(name), \(rest)")
        }
        let label = report.address.map { "\(hci) \($0)" } ?? hci
        guard report.hasLowEnergy else {
            return (.failed, "\(label) cannot do Low Energy: another adapter is needed, of Bluetooth 4.0 or later")
        }
        return (.passed, "\(label), \(report.isPowered ? "on" : "off (a scan switches it on)")")
    }

    private var driver: CheckResult {
        guard report.name != nil else { return noAdapter }
        guard let driver = report.driver else { return (.skipped, "the kernel reports no driver") }
        return (.passed, driver + (report.bus.map { ", on \($0)" } ?? ""))
    }

    private var rfkill: CheckResult {
        guard report.name != nil else { return noAdapter }
        guard let rfkill = report.rfkill else { return (.passed, "the kernel has no switch for it") }
        if rfkill.hard {
            return (.failed, "blocked by a hardware switch or the firmware's settings: turn the switch on")
        }
        if rfkill.soft { return (.failed, "blocked by software: run `sudo rfkill unblock bluetooth`") }
        return (.passed, "not blocked")
    }

    private var mayDo: CheckResult {
        let held = capabilities.held
        let needed: [Capability] = interface == .raw ? [.rawSockets, .networkAdministration] : [.networkAdministration]
        if let missing = needed.first(where: { !held.contains($0) }) {
            return (.failed, "of \(holder): \(missing.missing)")
        }
        guard held.contains(.rawSockets) else {
            return (.passed, "CAP_NET_ADMIN of \(holder); CAP_NET_RAW is missing, which only the raw socket needs")
        }
        return (.passed, "CAP_NET_ADMIN and CAP_NET_RAW of \(holder)")
    }

    /// The kernel's interface that the gateway would use.
    private var scanning: CheckResult {
        guard report.name != nil else { return noAdapter }
        let monitor = monitorsHindrance
        switch interface {
        case .user: return (.passed, "user: only the gateway can use the adapter")
        case .raw: return (.passed, "raw, as configured")
        case .monitor:
            guard let monitor else { return (.passed, "monitor, as configured") }
            let isFatal = report.hasMonitor == false
            return (
                isFatal ? .failed : .skipped,
                "monitor, as configured: \(monitor)\(isFatal ? "; write interface = \"auto\"" : "")"
            )
        case .auto:
            guard let monitor else { return (.passed, "monitor: the kernel hands on every advertisement") }
            guard capabilities.held.contains(.rawSockets) else {
                return report.hasMonitor == true
                    ? (.passed, "monitor, for the known kinds of beacon alone: \(monitor)")
                    : (report.hasMonitor == nil ? .skipped : .failed, "\(monitor); the raw socket needs CAP_NET_RAW")
            }
            return (.passed, "raw, as \(monitor)")
        }
    }

    /// Why the monitor is not the first choice; `nil` if it is.
    private var monitorsHindrance: String? {
        switch report.hasMonitor {
        case true?: report.filtersByItself ? "the controller filters by itself" : nil
        case false?: "the kernel has no advertisement monitor, which 5.10 and later have"
        case nil: "only with CAP_NET_ADMIN does the kernel report whether it has an advertisement monitor"
        }
    }

    private var daemon: CheckResult {
        guard report.hasBluetoothd else { return (.passed, "does not run, and is not needed") }
        return switch interface {
        case .user: (.passed, "runs, and cannot use the adapter while the gateway runs")
        case .raw: (.passed, "runs; its discoveries may end a raw scan, and the gateway then restarts the scan")
        case .auto, .monitor: (.passed, "runs, and does not disturb the gateway")
        }
    }

    private var noAdapter: CheckResult { (.skipped, "there is no adapter") }
}

import BlueZ
import Doctor

/// What of an adapter's report is right, and what is wrong, for a gateway that listens as `[radio]` says.
struct AdapterExamination {
    /// Which adapter.
    let name: BlueZOptions.AdapterName
    /// Through what it listens.
    let interface: BlueZOptions.Interface
    /// What the kernel says of the adapter.
    let report: AdapterReport
    /// What the gateway may do: the running one, or this process.
    let capabilities: Capabilities
    /// Who that is, for people.
    let holder: String

    /// The things it looks at, in order.
    static let things = ["adapter", "driver", "rfkill", "capabilities", "interface", "bluetoothd"]

    func findings() -> [Finding] {
        let (adapter, driver, rfkill) = (adapter, driver, rfkill)
        let findings = [adapter, driver, rfkill, mayDo, listening, daemon]
        return zip(Self.things, findings).map { Finding($0, $1.0, $1.1) }
    }

    private typealias Answer = (Finding.Verdict, String)

    private var adapter: Answer {
        guard let hci = report.name else {
            if let problem = report.problem { return (.wrong, problem) }
            let others = report.others.map { "\($0.name) \($0.address)" }.joined(separator: ", ")
            let rest = others.isEmpty ? "and no other: plug one in" : "but \(others): name it in radio.source"
            return (.wrong, "there is no \(name), \(rest)")
        }
        let label = report.address.map { "\(hci) \($0)" } ?? hci
        guard report.hasLowEnergy else {
            return (.wrong, "\(label) cannot do Low Energy: another adapter is needed, of Bluetooth 4.0 or later")
        }
        return (.right, "\(label), \(report.isPowered ? "on" : "off (who listens switches it on)")")
    }

    private var driver: Answer {
        guard report.name != nil else { return noAdapter }
        guard let driver = report.driver else { return (.open, "the kernel names none") }
        return (.right, driver + (report.bus.map { ", on \($0)" } ?? ""))
    }

    private var rfkill: Answer {
        guard report.name != nil else { return noAdapter }
        guard let rfkill = report.rfkill else { return (.right, "the kernel has no switch for it") }
        if rfkill.hard { return (.wrong, "blocked by a switch on the case, or in the firmware's settings: turn it") }
        if rfkill.soft { return (.wrong, "blocked by software: `sudo rfkill unblock bluetooth`") }
        return (.right, "not blocked")
    }

    private var mayDo: Answer {
        let held = capabilities.held
        let needed: [Capability] = interface == .raw ? [.rawSockets, .networkAdministration] : [.networkAdministration]
        if let missing = needed.first(where: { !held.contains($0) }) {
            return (.wrong, "of \(holder): \(missing.missing)")
        }
        guard held.contains(.rawSockets) else {
            return (.right, "CAP_NET_ADMIN of \(holder); CAP_NET_RAW, which the fall-back alone needs, is missing")
        }
        return (.right, "CAP_NET_ADMIN and CAP_NET_RAW of \(holder)")
    }

    /// Which of the kernel's interfaces would do.
    private var listening: Answer {
        guard report.name != nil else { return noAdapter }
        let monitor = monitorsHindrance
        switch interface {
        case .user: return (.right, "user: the adapter is the gateway's alone")
        case .raw: return (.right, "raw, as configured")
        case .monitor:
            guard let monitor else { return (.right, "monitor, as configured") }
            let isFatal = report.hasMonitor == false
            return (
                isFatal ? .wrong : .open,
                "monitor, as configured: \(monitor)\(isFatal ? "; write interface = \"auto\"" : "")"
            )
        case .auto:
            guard let monitor else { return (.right, "monitor: the kernel hands on every advertisement") }
            guard capabilities.held.contains(.rawSockets) else {
                return report.hasMonitor == true
                    ? (.right, "monitor, for the known kinds of beacon alone: \(monitor)")
                    : (report.hasMonitor == nil ? .open : .wrong, "\(monitor); the raw socket needs CAP_NET_RAW")
            }
            return (.right, "raw, as \(monitor)")
        }
    }

    /// Why the monitor is not the first choice; `nil` where it is.
    private var monitorsHindrance: String? {
        switch report.hasMonitor {
        case true?: report.filtersByItself ? "the controller filters by itself" : nil
        case false?: "the kernel has no advertisement monitor, which 5.10 and later have"
        case nil: "whether the kernel has an advertisement monitor is told to those with CAP_NET_ADMIN"
        }
    }

    private var daemon: Answer {
        guard report.hasBluetoothd else { return (.right, "does not run, and is not needed") }
        return switch interface {
        case .user: (.right, "runs, and loses the adapter while the gateway has it")
        case .raw: (.right, "runs; its discoveries may end a raw scan, which is begun again")
        case .auto, .monitor: (.right, "runs, and hinders nobody")
        }
    }

    private var noAdapter: Answer { (.open, "there is no adapter") }
}

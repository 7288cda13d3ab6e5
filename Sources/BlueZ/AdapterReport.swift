import Beacons
import Glibc
import HCI
import Linux

/// The state of an adapter, read without changing it or disturbing a running scan. `doctor` uses this.
package struct AdapterReport: Hashable, Sendable {
    /// An adapter other than the requested one.
    package struct Other: Hashable, Sendable {
        /// The kernel's name of the adapter, such as `hci1`.
        package var name: String
        package var address: DeviceAddress
    }

    /// The kernel's name, such as `hci0`; `nil` if the adapter does not exist.
    package var name: String?
    package var address: DeviceAddress?
    package var hasLowEnergy = false
    package var isPowered = false
    /// The adapter's rfkill switch; `nil` if the kernel has none.
    package var rfkill: Rfkill?
    /// The kernel's driver, such as `btusb` or `hci_uart_bcm`; `nil` if unknown.
    package var driver: String?
    /// The bus: `usb`, `serial`, `platform` ...
    package var bus: String?
    package var capabilities: Capabilities
    /// Whether the kernel has the advertisement monitor; `nil` if this process lacks CAP_NET_ADMIN to find out.
    package var hasMonitor: Bool?
    /// Whether the controller itself filters advertisements.
    package var filtersByItself = false
    package var hasBluetoothd: Bool
    /// The other adapters of the machine.
    package var others: [Other] = []
    /// Why the kernel could not be queried: it has no Bluetooth, or this process has no permission.
    package var problem: String?
}

extension AdapterReport {
    /// Reads the state of the adapter `name`, for 2 s at most. `root` is the path of the kernel's `/sys`.
    package init(of name: AdapterName, sys root: String = "/sys") {
        self.init(capabilities: .ofThisProcess, hasBluetoothd: Bluetoothd.isRunning)
        do throws(SystemError) {
            try ask(name)
        } catch {
            let trouble = Trouble(
                .failed(error.code), cannot: "reach the kernel's Bluetooth", needs: .networkAdministration)
            problem = trouble.reason
        }
        if let name = self.name { look(at: "\(root)/class/bluetooth/\(name)") }
    }

    /// Creates a report without an adapter.
    package init(capabilities: Capabilities, hasBluetoothd: Bool) {
        self.capabilities = capabilities
        self.hasBluetoothd = hasBluetoothd
    }

    private mutating func ask(_ name: AdapterName) throws(SystemError) {
        let socket = try PacketSocket.management()
        let inquiry = Inquiry(socket: socket, limit: Clock.now + .seconds(2))
        var search = AdapterSearch(for: name, known: nil, acceptsOther: true)
        var step = search.first
        var adapter: Adapter?
        while adapter == nil {
            switch search.proceed(try inquiry.ask(step), of: step) {
            case .step(let next): step = next
            case .found(let found): adapter = found
            case .nothing, .trouble:
                others = search.candidates.map { Other(name: $0.name, address: $0.address) }
                return
            }
        }
        guard let adapter else { return }
        self.name = adapter.name
        address = adapter.address
        hasLowEnergy = adapter.supported.contains(.lowEnergy)
        isPowered = adapter.current.contains(.powered)
        others = search.candidates.filter { $0 != adapter }.map { Other(name: $0.name, address: $0.address) }
        switch try inquiry.ask(.management(.readMonitorFeatures, index: adapter.index)) {
        case .done(let parameters):
            hasMonitor = true
            filtersByItself = MonitorDuty.filters(parameters)
        case .refused(ManagementStatus.permissionDenied.rawValue): hasMonitor = nil
        default: hasMonitor = false
        }
    }

    /// Reads the kernel's files about the adapter: `rfkillN/soft`, and the links `device/driver` and
    /// `device/subsystem`.
    private mutating func look(at folder: String) {
        driver = Self.lastPart(ofLink: folder + "/device/driver")
        bus = Self.lastPart(ofLink: folder + "/device/subsystem")
        rfkill = Rfkill(folder: folder)
    }

    private static func lastPart(ofLink path: String) -> String? {
        linkTarget(of: path)?.split(separator: "/").last.map(String.init)
    }
}

/// Sends commands on the management channel one after the other, and waits for each response.
private struct Inquiry {
    let socket: PacketSocket
    let limit: Instant
    let buffer = PacketBuffer()

    func ask(_ step: Step) throws(SystemError) -> Outcome {
        guard case .management(let command, let index) = step else { preconditionFailure("not a command") }
        try socket.send(command.packet(index: index))
        var outcome: Outcome?
        while outcome == nil, Clock.now < limit {
            _ = wait(for: [socket.number], until: limit)
            try socket.drain(through: buffer) { packet in
                guard let event = (try? ManagementEvent.decode(packet, at: .zero) { _, _, _ in }) ?? nil,
                    case (.reply(let opcode, let status, let parameters), index) = event, opcode == command.opcode
                else { return }
                outcome = status == .success ? .done(parameters) : .refused(status.rawValue)
            }
        }
        return outcome ?? .timedOut
    }
}

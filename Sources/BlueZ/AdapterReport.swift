public import Beacons
import Glibc
import Linux

/// What can be known of an adapter without touching it: for `doctor`, and for nobody who listens meanwhile.
public struct AdapterReport: Hashable, Sendable {
    /// Another adapter than the one asked for.
    public struct Other: Hashable, Sendable {
        /// `hci1`.
        public var name: String
        /// Its own address.
        public var address: DeviceAddress
    }

    /// `hci0`; `nil` where there is no such adapter.
    public var name: String?
    /// The adapter's own address.
    public var address: DeviceAddress?
    /// Whether it can do Low Energy.
    public var hasLowEnergy = false
    /// Whether it is on.
    public var isPowered = false
    /// What blocks it; `nil` where the kernel has no such switch.
    public var rfkill: Rfkill?
    /// The kernel's driver, `btusb` or `hci_uart_bcm`, and the bus it sits on, `usb`; `nil` where the kernel does not say.
    public var driver: String?
    /// The bus: `usb`, `serial`, `platform` ...
    public var bus: String?
    /// What this process may do.
    public var capabilities: Capabilities
    /// Whether the kernel has the advertisement monitor; `nil` where it could not be asked, as CAP_NET_ADMIN is missing.
    public var hasMonitor: Bool?
    /// Whether the controller filters advertisements by itself.
    public var filtersByItself = false
    /// Whether bluetoothd runs.
    public var hasBluetoothd: Bool
    /// The adapters that there are besides.
    public var others: [Other] = []
    /// Why the kernel could not be asked at all: no Bluetooth in it, or not for this process.
    public var problem: String?
}

extension AdapterReport {
    /// Looks at the adapter named so, for 2 s at most; `root` is where the kernel's `/sys` is found.
    public init(of name: BlueZOptions.AdapterName, sys root: String = "/sys") {
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

    /// A report that knows of no adapter yet.
    package init(capabilities: Capabilities, hasBluetoothd: Bool) {
        self.capabilities = capabilities
        self.hasBluetoothd = hasBluetoothd
    }

    private mutating func ask(_ name: BlueZOptions.AdapterName) throws(SystemError) {
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

    /// The kernel's files about it: `rfkillN/soft`, and the links `device/driver` and `device/subsystem`.
    private mutating func look(at folder: String) {
        driver = Self.lastPart(ofLink: folder + "/device/driver")
        bus = Self.lastPart(ofLink: folder + "/device/subsystem")
        rfkill = Rfkill(folder: folder)
    }

    private static func lastPart(ofLink path: String) -> String? {
        linkTarget(of: path)?.split(separator: "/").last.map(String.init)
    }
}

/// Questions on the management channel, one after the other, each waited for.
private struct Inquiry {
    let socket: PacketSocket
    let limit: Instant
    let buffer = PacketBuffer()

    func ask(_ step: Step) throws(SystemError) -> Outcome {
        guard case .management(let command, let index) = step else { preconditionFailure("no question") }
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

public import Beacons

/// Which adapter listens, through what, and how much of the time.
public struct BlueZOptions: Hashable, Sendable {
    /// How an adapter is named.
    public enum AdapterName: Hashable, Sendable {
        /// By the kernel's number: 0 is `hci0`. Once found, it is followed by its address.
        case index(UInt16)
        /// By its own address, whatever its number.
        case address(DeviceAddress)
    }

    /// Which of the kernel's interfaces is used.
    public enum Interface: String, Hashable, Sendable, CaseIterable {
        /// The best that this kernel and this process's capabilities allow.
        case auto
        /// The advertisement monitor of the management channel, and nothing else.
        case monitor
        /// A scan of our own on the raw socket, and nothing else.
        case raw
        /// The whole adapter for us alone: nothing else can use it meanwhile.
        case user
    }

    /// Which adapter.
    public var adapter: AdapterName
    /// Through what.
    public var interface: Interface
    /// From one listening to the next: 2.5 ms to 10.24 s in steps of 0.625 ms; what lies between is rounded, what lies outside limited.
    public var scanInterval: Interval
    /// How long each listening lasts; as long as the interval is all the time. Never longer than that.
    public var scanWindow: Interval
    /// Whether advertisers are asked for more (a scan request each), which costs their batteries. The monitor never asks:
    /// with `auto` this prefers the raw socket.
    public var active: Bool

    /// `hci0`, the best interface, listening all the time, asking nobody.
    public init(
        adapter: AdapterName = .index(0), interface: Interface = .auto,
        scanInterval: Interval = .milliseconds(60), scanWindow: Interval = .milliseconds(60), active: Bool = false
    ) {
        self.adapter = adapter
        self.interface = interface
        self.scanInterval = scanInterval
        self.scanWindow = scanWindow
        self.active = active
    }
}

extension BlueZOptions.AdapterName: CustomStringConvertible {
    /// Reads `hci0` or `B8:27:EB:00:00:01`; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        if let address = DeviceAddress(text, kind: .public) {
            self = .address(address)
        } else if text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)), text == "hci\(index)",
            index != ManagementCommand.noIndex
        {
            self = .index(index)
        } else {
            return nil
        }
    }

    /// As it is read.
    public var description: String {
        switch self {
        case .index(let index): "hci\(index)"
        case .address(let address): "\(address)"
        }
    }
}

/// How much of the time the radio listens, in the controller's units of 0.625 ms.
struct ScanTiming: Hashable, Sendable {
    var interval: UInt16
    var window: UInt16

    /// Within what every controller takes (Core 5.4, Vol 4, E 7.8.10): 0x0004 to 0x4000, the window no longer than the interval.
    init(interval: Interval, window: Interval) {
        self.interval = Self.units(interval)
        self.window = min(Self.units(window), self.interval)
    }

    private static func units(_ span: Interval) -> UInt16 {
        UInt16(max(0x0004, min(0x4000, (span.seconds / 0.000_625).rounded())))
    }
}

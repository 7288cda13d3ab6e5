import Beacons

/// How a Bluetooth adapter of a machine is named.
public enum AdapterName: Hashable, Sendable, CustomStringConvertible {
    /// By the kernel's number, below 65,535: 0 is `hci0`. Once the adapter is found, it is followed by its address.
    case index(UInt16)
    /// By the adapter's own address, independent of its number.
    case address(DeviceAddress)

    /// Reads `hci0` or `B8:27:EB:00:00:01`; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        if let address = DeviceAddress(text, kind: .public) {
            self = .address(address)
        } else if text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)), text == "hci\(index)",
            index != .max  // The kernel's number for no adapter.
        {
            self = .index(index)
        } else {
            return nil
        }
    }

    /// The name in the form that `init(_:)` reads.
    public var description: String {
        switch self {
        case .index(let index): "hci\(index)"
        case .address(let address): "\(address)"
        }
    }
}

/// The kernel's interfaces to an adapter.
public enum AdapterInterface: String, Hashable, Sendable, CaseIterable {
    /// The best interface that the kernel and this process's capabilities allow.
    case auto
    /// Only the advertisement monitor of the management channel.
    case monitor
    /// Only a scan by this process on the raw socket.
    case raw
    /// The user channel: the whole adapter for this process, so that no other program can use it.
    case user
}

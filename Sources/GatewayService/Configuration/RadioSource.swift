import Beacons

/// Where advertisements come from, as `radio.source` and `info` name it.
public enum RadioSource: Hashable, Sendable {
    /// How an adapter is named.
    public enum Adapter: Hashable, Sendable {
        /// `hci0`: whichever has that number.
        case name(String)
        /// The adapter of this address, whatever its number.
        case address(DeviceAddress)
    }

    /// An adapter of this machine.
    case bluez(Adapter)
    /// A recording.
    case capture(String)
    /// A simulated house.
    case simulation

    /// Reads `bluez:hci0`, `bluez:B8:27:EB:00:00:01`, `capture:FILE` or `simulation`; `nil` for anything else.
    public init?(_ text: String) {
        if text == "simulation" {
            self = .simulation
        } else if text.hasPrefix("capture:"), !text.utf8.contains(0) {
            let path = String(text.dropFirst("capture:".count))
            guard !path.isEmpty else { return nil }
            self = .capture(path)
        } else if text.hasPrefix("bluez:") {
            guard let adapter = Adapter(String(text.dropFirst("bluez:".count))) else { return nil }
            self = .bluez(adapter)
        } else {
            return nil
        }
    }
}

extension RadioSource.Adapter {
    /// Reads `hci0` to `hci65535`, or an address; `nil` for anything else.
    public init?(_ text: String) {
        if let address = DeviceAddress(text, kind: .public) {
            self = .address(address)
        } else if text.hasPrefix("hci"), let number = UInt16(text.dropFirst(3)), text == "hci\(number)" {
            self = .name(text)
        } else {
            return nil
        }
    }
}

extension RadioSource: CustomStringConvertible {
    /// As it is written in the configuration.
    public var description: String {
        switch self {
        case .bluez(.name(let name)): "bluez:\(name)"
        case .bluez(.address(let address)): "bluez:\(address)"
        case .capture(let path): "capture:\(path)"
        case .simulation: "simulation"
        }
    }
}

import HCI

/// The origin of advertisements, as in `radio.source` and `info`.
package enum RadioSource: Hashable, Sendable, CustomStringConvertible {
    /// An adapter of this machine.
    case bluez(AdapterName)
    /// A recording.
    case capture(String)
    /// A simulated house.
    case simulation

    /// Reads `bluez:hci0`, `bluez:B8:27:EB:00:00:01`, `capture:FILE` or `simulation`; `nil` for anything else.
    package init?(_ text: String) {
        if text == "simulation" {
            self = .simulation
        } else if text.hasPrefix("capture:"), !text.utf8.contains(0) {
            let path = String(text.dropFirst("capture:".count))
            guard !path.isEmpty else { return nil }
            self = .capture(path)
        } else if text.hasPrefix("bluez:") {
            guard let adapter = AdapterName(String(text.dropFirst("bluez:".count))) else { return nil }
            self = .bluez(adapter)
        } else {
            return nil
        }
    }

    package var isAdapter: Bool {
        if case .bluez = self { true } else { false }
    }

    /// The source as written in the configuration.
    package var description: String {
        switch self {
        case .bluez(let adapter): "bluez:\(adapter)"
        case .capture(let path): "capture:\(path)"
        case .simulation: "simulation"
        }
    }
}

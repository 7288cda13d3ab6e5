/// A command to the controller itself, over a raw socket or the user channel (Core 5.4, Vol 4, E 7).
enum ControllerCommand: Hashable, Sendable {
    /// Resets the controller (7.3.2).
    case reset
    /// Enables the events of Low Energy (7.3.1).
    case setEventMask
    /// Enables the advertising reports (7.8.1).
    case setLowEnergyEventMask
    /// Reads the manufacturer and version, to test whether the controller responds (7.4.1). Needs no capability.
    case readVersion
    /// Reads the supported commands (7.4.2).
    case readSupportedCommands
    /// Sets the timing of the scan, in units of 0.625 ms (7.8.10, 7.8.64).
    case setScanParameters(ScanKind, active: Bool, interval: UInt16, window: UInt16)
    /// Starts or stops the scan; duplicates are never filtered (7.8.11, 7.8.65).
    case setScanEnable(ScanKind, Bool)

    /// The two sets of scan commands, which must not be mixed.
    enum ScanKind: Hashable, Sendable {
        /// The commands of Bluetooth 4.
        case legacy
        /// The commands of Bluetooth 5, which also report extended advertisements.
        case extended
    }

    /// The opcode of the command, with the group in the upper 6 bits.
    var opcode: UInt16 {
        switch self {
        case .setEventMask: 0x0C01
        case .reset: 0x0C03
        case .readVersion: 0x1001
        case .readSupportedCommands: 0x1002
        case .setLowEnergyEventMask: 0x2001
        case .setScanParameters(.legacy, _, _, _): 0x200B
        case .setScanEnable(.legacy, _): 0x200C
        case .setScanParameters(.extended, _, _, _): 0x2041
        case .setScanEnable(.extended, _): 0x2042
        }
    }

    /// The packet with H4's indicator.
    var packet: [UInt8] {
        var bytes: [UInt8] = [0x01]
        bytes.append(little: opcode)
        bytes.append(UInt8(parameters.count))
        return bytes + parameters
    }

    private var parameters: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .reset, .readVersion, .readSupportedCommands: break
        // The default events and bit 61: LE Meta.
        case .setEventMask: bytes.append(little: 0x2000_1FFF_FFFF_FFFF as UInt64)
        // Bit 1: LE Advertising Report; bit 12: LE Extended Advertising Report.
        case .setLowEnergyEventMask: bytes.append(little: 0x1002 as UInt64)
        case .setScanParameters(.legacy, let active, let interval, let window):
            bytes.append(active ? 1 : 0)
            bytes.append(little: interval)
            bytes.append(little: window)
            // Own address: public. Filter: every advertiser.
            bytes += [0, 0]
        case .setScanParameters(.extended, let active, let interval, let window):
            // Own address: public. Filter: every advertiser. PHY: LE 1M, which beacons use.
            bytes += [0, 0, 1, active ? 1 : 0]
            bytes.append(little: interval)
            bytes.append(little: window)
        case .setScanEnable(.legacy, let on): bytes += [on ? 1 : 0, 0]
        // No duration and no period: the scan runs until it is stopped.
        case .setScanEnable(.extended, let on): bytes += [on ? 1 : 0, 0, 0, 0, 0, 0]
        }
        return bytes
    }
}

/// What the controller itself is asked for, over a raw socket or the user channel (Core 5.4, Vol 4, E 7).
enum ControllerCommand: Hashable, Sendable {
    /// Forgets everything (7.3.2).
    case reset
    /// Lets Low Energy's events through (7.3.1).
    case setEventMask
    /// Lets the advertising reports through (7.8.1).
    case setLowEnergyEventMask
    /// Which company made it, and when: asked to hear whether it answers (7.4.1). Needs no capability.
    case readVersion
    /// Which commands it has (7.4.2).
    case readSupportedCommands
    /// How to listen, in 0.625 ms (7.8.10, 7.8.64).
    case setScanParameters(ScanKind, active: Bool, interval: UInt16, window: UInt16)
    /// Whether to listen; duplicates are never filtered (7.8.11, 7.8.65).
    case setScanEnable(ScanKind, Bool)

    /// The two sets of commands, which a controller lets nobody mix.
    enum ScanKind: Hashable, Sendable {
        /// Bluetooth 4's.
        case legacy
        /// Bluetooth 5's, which hears extended advertisements too.
        case extended
    }

    /// The command's number: group in the upper 6 bits.
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

    /// The whole packet, with H4's indicator.
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
        // The default, and bit 61: LE Meta.
        case .setEventMask: bytes.append(little: 0x2000_1FFF_FFFF_FFFF as UInt64)
        // Bit 1: LE Advertising Report; bit 12: LE Extended Advertising Report.
        case .setLowEnergyEventMask: bytes.append(little: 0x1002 as UInt64)
        case .setScanParameters(.legacy, let active, let interval, let window):
            bytes.append(active ? 1 : 0)
            bytes.append(little: interval)
            bytes.append(little: window)
            // Own address: public. Every advertiser.
            bytes += [0, 0]
        case .setScanParameters(.extended, let active, let interval, let window):
            // Own address: public. Every advertiser. On LE 1M, where beacons are.
            bytes += [0, 0, 1, active ? 1 : 0]
            bytes.append(little: interval)
            bytes.append(little: window)
        case .setScanEnable(.legacy, let on): bytes += [on ? 1 : 0, 0]
        // Neither a duration nor a period: until told otherwise.
        case .setScanEnable(.extended, let on): bytes += [on ? 1 : 0, 0, 0, 0, 0, 0]
        }
        return bytes
    }
}

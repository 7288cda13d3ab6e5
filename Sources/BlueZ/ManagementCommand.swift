/// A command on the management channel (BlueZ's mgmt-api.txt), with its parameters.
///
///       0        2       4        6 ...
///     +--------+-------+--------+------------+
///     | opcode | index | length | parameters |     all little-endian
///     +--------+-------+--------+------------+
enum ManagementCommand: Hashable, Sendable {
    case readIndexList
    /// Reads the address, the supported and the current settings of an adapter.
    case readInformation
    case setPowered(Bool)
    /// Reads how many devices are connected: their number, in two bytes, and their addresses.
    case readConnections
    /// Enables Low Energy on a dual-mode adapter.
    case setLowEnergy(Bool)
    case readDefaults
    case setDefaults([DefaultParameter: UInt16])
    /// Reads whether the controller itself filters.
    case readMonitorFeatures
    /// Reports advertisements that match one of the patterns.
    case addMonitor([AdvertisementPattern])
    case removeMonitor(handle: UInt16)
    /// Reads the limit of simultaneous advertisements and the used instances.
    case readAdvertisingFeatures
    /// Sends `data` at the default interval until it is removed.
    case addAdvertising(instance: UInt8, data: [UInt8])
    /// Prepares an advertisement with an interval, in units of 0.625 ms.
    case addAdvertisingParameters(instance: UInt8, interval: UInt32)
    /// Sends `data` with the prepared parameters.
    case addAdvertisingData(instance: UInt8, data: [UInt8])
    case removeAdvertising(instance: UInt8)

    var opcode: UInt16 {
        switch self {
        case .readIndexList: 0x0003
        case .readInformation: 0x0004
        case .setPowered: 0x0005
        case .setLowEnergy: 0x000D
        case .readConnections: 0x0015
        case .readAdvertisingFeatures: 0x003D
        case .addAdvertising: 0x003E
        case .removeAdvertising: 0x003F
        case .readDefaults: 0x004B
        case .setDefaults: 0x004C
        case .readMonitorFeatures: 0x0051
        case .addMonitor: 0x0052
        case .removeMonitor: 0x0053
        case .addAdvertisingParameters: 0x0054
        case .addAdvertisingData: 0x0055
        }
    }

    func packet(index: UInt16) -> [UInt8] {
        let parameters = parameters
        var bytes: [UInt8] = []
        bytes.append(little: opcode)
        bytes.append(little: self == .readIndexList ? Self.noIndex : index)
        bytes.append(little: UInt16(parameters.count))
        return bytes + parameters
    }

    /// The index of commands that address no adapter.
    static let noIndex: UInt16 = 0xFFFF

    private var parameters: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .readIndexList, .readInformation, .readConnections, .readDefaults, .readMonitorFeatures,
            .readAdvertisingFeatures:
            break
        case .setPowered(let on), .setLowEnergy(let on): bytes.append(on ? 1 : 0)
        case .setDefaults(let values):
            for (parameter, value) in values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                bytes.append(little: parameter.rawValue)
                bytes.append(2)
                bytes.append(little: value)
            }
        case .addMonitor(let patterns):
            bytes.append(UInt8(patterns.count))
            for pattern in patterns { bytes += pattern.bytes }
        case .removeMonitor(let handle): bytes.append(little: handle)
        case .addAdvertising(let instance, let data):
            // No flags, no duration and no time-out.
            bytes += [instance, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count), 0] + data
        case .addAdvertisingParameters(let instance, let interval):
            bytes.append(instance)
            bytes.append(little: Self.hasIntervals)
            bytes += [0, 0, 0, 0]
            bytes.append(little: interval)
            bytes.append(little: interval)
            bytes.append(Self.noTransmitPower)
        case .addAdvertisingData(let instance, let data): bytes += [instance, UInt8(data.count), 0] + data
        case .removeAdvertising(let instance): bytes.append(instance)
        }
        return bytes
    }

    /// The flag of Add Extended Advertising Parameters for given intervals.
    private static let hasIntervals: UInt32 = 1 << 14
    /// The value 127: the controller chooses the power.
    private static let noTransmitPower: UInt8 = 127
}

/// Bytes at one position in an AD structure that an advertisement must contain.
struct AdvertisementPattern: Hashable, Sendable {
    /// The type of the AD structure.
    var type: UInt8
    /// The position in the data of the AD structure.
    var offset: UInt8
    /// The bytes, 31 at most.
    var value: [UInt8]

    /// The pattern in the kernel's format, with room for 31 bytes.
    fileprivate var bytes: [UInt8] {
        precondition(value.count <= 31, "a pattern holds 31 bytes")
        return [type, offset, UInt8(value.count)] + value + [UInt8](repeating: 0, count: 31 - value.count)
    }
}

extension [UInt8] {
    mutating func append(little value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}

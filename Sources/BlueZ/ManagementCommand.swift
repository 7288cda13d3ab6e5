import Beacons

/// What the kernel is asked for on the management channel (BlueZ's mgmt-api.txt), with its parameters.
///
///       0        2       4        6 ...
///     +--------+-------+--------+------------+
///     | opcode | index | length | parameters |     all little-endian
///     +--------+-------+--------+------------+
enum ManagementCommand: Hashable, Sendable {
    /// Which adapters there are.
    case readIndexList
    /// What one adapter is, can do and does.
    case readInformation
    /// Switches the adapter on or off.
    case setPowered(Bool)
    /// Lets a dual-mode adapter speak Low Energy.
    case setLowEnergy(Bool)
    /// The defaults that follow, as the kernel has them.
    case readDefaults
    /// Changes defaults: the type of each, and its value.
    case setDefaults([DefaultParameter: UInt16])
    /// Whether the controller itself would filter.
    case readMonitorFeatures
    /// Reports advertisements that have one of the patterns.
    case addMonitor([AdvertisementPattern])
    /// Ends what `addMonitor` began.
    case removeMonitor(handle: UInt16)
    /// How many advertisements can be sent at once, and which are.
    case readAdvertisingFeatures
    /// Sends `data` until removed, at the default interval.
    case addAdvertising(instance: UInt8, data: [UInt8])
    /// Prepares to send at an interval, in 0.625 ms.
    case addAdvertisingParameters(instance: UInt8, interval: UInt32)
    /// Sends `data` as prepared.
    case addAdvertisingData(instance: UInt8, data: [UInt8])
    /// Sends no longer.
    case removeAdvertising(instance: UInt8)

    /// The command's number.
    var opcode: UInt16 {
        switch self {
        case .readIndexList: 0x0003
        case .readInformation: 0x0004
        case .setPowered: 0x0005
        case .setLowEnergy: 0x000D
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

    /// The whole packet for the adapter numbered `index`.
    func packet(index: UInt16) -> [UInt8] {
        let parameters = parameters
        var bytes: [UInt8] = []
        bytes.append(little: opcode)
        bytes.append(little: self == .readIndexList ? Self.noIndex : index)
        bytes.append(little: UInt16(parameters.count))
        return bytes + parameters
    }

    /// The index of commands that concern no adapter.
    static let noIndex: UInt16 = 0xFFFF

    private var parameters: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .readIndexList, .readInformation, .readDefaults, .readMonitorFeatures, .readAdvertisingFeatures: break
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
            // No flags; then how long it runs before the next instance does, and in all: for ever.
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

    /// The flag by which Add Extended Advertising Parameters takes its intervals for given.
    private static let hasIntervals: UInt32 = 1 << 14
    /// 127: the controller chooses.
    private static let noTransmitPower: UInt8 = 127
}

/// Bytes that an advertisement must have at one place of one AD structure.
struct AdvertisementPattern: Hashable, Sendable {
    /// The AD structure's type.
    var type: UInt8
    /// Where in its data.
    var offset: UInt8
    /// What must stand there: 31 bytes at most.
    var value: [UInt8]

    /// The pattern with room for 31 bytes, as the kernel takes it.
    fileprivate var bytes: [UInt8] {
        precondition(value.count <= 31, "a pattern has 31 bytes at most")
        return [type, offset, UInt8(value.count)] + value + [UInt8](repeating: 0, count: 31 - value.count)
    }
}

extension [UInt8] {
    mutating func append(little value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}

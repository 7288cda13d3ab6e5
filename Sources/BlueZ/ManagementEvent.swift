import Beacons

/// An event of the management channel other than an advertisement (mgmt-api.txt). Its frame is that of
/// `ManagementCommand`, with the event's code in place of the opcode.
enum ManagementEvent: Hashable, Sendable {
    /// A command succeeded or failed. `parameters` are the return parameters behind the status.
    case reply(opcode: UInt16, status: ManagementStatus, parameters: [UInt8])
    case indexAdded
    case indexRemoved
    case newSettings(AdapterSettings)
    /// An advertisement was removed; 0 means all.
    case advertisingRemoved(instance: UInt8)
    /// A monitor was removed, by any program; 0 means all.
    case monitorRemoved(handle: UInt16)

    private enum Code {
        static let commandComplete: UInt16 = 0x0001
        static let commandStatus: UInt16 = 0x0002
        static let indexAdded: UInt16 = 0x0004
        static let indexRemoved: UInt16 = 0x0005
        static let newSettings: UInt16 = 0x0006
        static let deviceFound: UInt16 = 0x0012
        static let advertisingRemoved: UInt16 = 0x0024
        static let monitorRemoved: UInt16 = 0x002C
        static let monitorDeviceFound: UInt16 = 0x002F
    }

    /// Reads one packet. An advertisement goes to `receive` with its adapter's index and data. Other events are returned
    /// with their adapter's index. The result is `nil` for irrelevant events and for Bluetooth Classic.
    static func decode(
        _ packet: RawSpan, at now: Instant, receive: (UInt16, Advertisement, RawSpan) -> Void
    ) throws(ManagementRefusal) -> (event: ManagementEvent, index: UInt16)? {
        guard packet.byteCount >= 6, packet.byteCount >= 6 + Int(packet.littleEndian(at: 4, as: UInt16.self)) else {
            throw .truncated
        }
        let index = packet.littleEndian(at: 2, as: UInt16.self)
        let parameters = packet.extracting(6..<6 + Int(packet.littleEndian(at: 4, as: UInt16.self)))
        let code = packet.littleEndian(at: 0, as: UInt16.self)
        switch code {
        case Code.deviceFound:
            try found(parameters, at: now) { receive(index, $0, $1) }
            return nil
        case Code.monitorDeviceFound:
            // The handle of the monitor precedes the fields of Device Found.
            guard parameters.byteCount >= 2 else { throw .truncated }
            try found(parameters.extracting(droppingFirst: 2), at: now) { receive(index, $0, $1) }
            return nil
        default:
            return try other(code, parameters).map { ($0, index) }
        }
    }

    private static func other(_ code: UInt16, _ parameters: RawSpan) throws(ManagementRefusal) -> ManagementEvent? {
        func require(_ count: Int) throws(ManagementRefusal) {
            guard parameters.byteCount >= count else { throw .truncated }
        }
        switch code {
        case Code.commandComplete, Code.commandStatus:
            try require(3)
            return .reply(
                opcode: parameters.littleEndian(at: 0, as: UInt16.self),
                status: ManagementStatus(rawValue: parameters.byte(at: 2)),
                parameters: parameters.extracting(droppingFirst: 3).withUnsafeBytes(Array.init))
        case Code.indexAdded: return .indexAdded
        case Code.indexRemoved: return .indexRemoved
        case Code.newSettings:
            try require(4)
            return .newSettings(AdapterSettings(rawValue: parameters.littleEndian(at: 0, as: UInt32.self)))
        case Code.advertisingRemoved:
            try require(1)
            return .advertisingRemoved(instance: parameters.byte(at: 0))
        case Code.monitorRemoved:
            try require(2)
            return .monitorRemoved(handle: parameters.littleEndian(at: 0, as: UInt16.self))
        default: return nil
        }
    }

    ///       0         6      7      8       12       14 ...
    ///     +---------+------+------+-------+--------+------+
    ///     | address | type | RSSI | flags | length | data |     type: 1 LE public, 2 LE random
    ///     +---------+------+------+-------+--------+------+
    private static func found(
        _ report: RawSpan, at now: Instant, _ receive: (Advertisement, RawSpan) -> Void
    ) throws(ManagementRefusal) {
        guard report.byteCount >= 14, report.byteCount >= 14 + Int(report.littleEndian(at: 12, as: UInt16.self)) else {
            throw .truncated
        }
        let kind: DeviceAddress.Kind
        switch report.byte(at: 6) {
        case 1: kind = .public
        case 2: kind = .random
        default: return
        }
        let advertisement = Advertisement(
            address: DeviceAddress(report, at: 0, kind: kind), rssi: RSSI(dBm: Int8(bitPattern: report.byte(at: 7))),
            at: now)
        receive(advertisement, report.extracting(14..<14 + Int(report.littleEndian(at: 12, as: UInt16.self))))
    }
}

/// Why a packet of the management channel was refused.
enum ManagementRefusal: Error, Hashable, Sendable {
    /// The packet ends before its declared length.
    case truncated
}

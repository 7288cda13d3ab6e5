/// An event of the controller other than an advertisement (Core 5.4, Vol 4, E 7.7).
enum ControllerEvent: Hashable, Sendable {
    /// A command succeeded or failed. `parameters` are the return parameters behind the status.
    case reply(opcode: UInt16, status: UInt8, parameters: [UInt8])
    /// A hardware error, after which the controller needs a reset.
    case hardwareError(UInt8)

    /// Reads an event packet with H4's indicator; `nil` for cut packets and other events.
    ///
    ///       0      1       2         3 ...
    ///     +------+-------+---------+------------+
    ///     | 0x04 | event | length  | parameters |
    ///     +------+-------+---------+------------+
    init?(_ packet: RawSpan) {
        guard packet.byteCount >= 3, packet.byte(at: 0) == 0x04, packet.byteCount >= 3 + Int(packet.byte(at: 2)) else {
            return nil
        }
        let parameters = packet.extracting(3..<3 + Int(packet.byte(at: 2)))
        switch packet.byte(at: 1) {
        // Command Complete: number of allowed commands, opcode, return parameters that begin with the status.
        case 0x0E where parameters.byteCount >= 4:
            self = .reply(
                opcode: parameters.littleEndian(at: 1, as: UInt16.self), status: parameters.byte(at: 3),
                parameters: parameters.extracting(droppingFirst: 4).withUnsafeBytes(Array.init))
        // Command Status: status, number of allowed commands, opcode.
        case 0x0F where parameters.byteCount >= 4:
            self = .reply(
                opcode: parameters.littleEndian(at: 2, as: UInt16.self), status: parameters.byte(at: 0), parameters: [])
        case 0x10 where parameters.byteCount >= 1: self = .hardwareError(parameters.byte(at: 0))
        default: return nil
        }
    }
}

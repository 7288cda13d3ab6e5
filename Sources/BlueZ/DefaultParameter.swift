/// A settable default of the kernel (mgmt-api.txt, Set Default System Configuration), in units of 0.625 ms.
enum DefaultParameter: UInt16, Hashable, Sendable {
    /// The shortest interval between advertisements.
    case advertisingMinimum = 0x000A
    /// The longest interval between advertisements.
    case advertisingMaximum = 0x000B
    case monitorInterval = 0x0013
    case monitorWindow = 0x0014

    /// The values of the `requested` parameters in the response to Read Default System Configuration.
    ///
    ///       0      2        3 ...
    ///     +------+--------+-------+
    ///     | type | length | value |     and so on; all little-endian
    ///     +------+--------+-------+
    static func values(in parameters: [UInt8], of requested: Set<DefaultParameter>) -> [DefaultParameter: UInt16] {
        var values: [DefaultParameter: UInt16] = [:]
        var rest = parameters[...]
        while rest.count >= 3, rest.count >= 3 + Int(rest[rest.startIndex + 2]) {
            let start = rest.startIndex
            let length = Int(rest[start + 2])
            let type = UInt16(rest[start]) | UInt16(rest[start + 1]) << 8
            if length == 2, let parameter = DefaultParameter(rawValue: type), requested.contains(parameter) {
                values[parameter] = UInt16(rest[start + 3]) | UInt16(rest[start + 4]) << 8
            }
            rest = rest.dropFirst(3 + length)
        }
        return values
    }
}

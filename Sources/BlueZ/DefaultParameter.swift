/// A default of the kernel's that can be set (mgmt-api.txt, Set Default System Configuration); in 0.625 ms each.
enum DefaultParameter: UInt16, Hashable, Sendable {
    /// How often an advertisement is sent at least.
    case advertisingMinimum = 0x000A
    /// How often at most.
    case advertisingMaximum = 0x000B
    /// How often the monitor's scan listens.
    case monitorInterval = 0x0013
    /// How long it listens each time.
    case monitorWindow = 0x0014

    /// Those of `wanted` that stand in the answer to Read Default System Configuration.
    ///
    ///       0      2        3 ...
    ///     +------+--------+-------+
    ///     | type | length | value |     and so on; all little-endian
    ///     +------+--------+-------+
    static func values(in parameters: [UInt8], of wanted: Set<DefaultParameter>) -> [DefaultParameter: UInt16] {
        var values: [DefaultParameter: UInt16] = [:]
        var rest = parameters[...]
        while rest.count >= 3, rest.count >= 3 + Int(rest[rest.startIndex + 2]) {
            let start = rest.startIndex
            let length = Int(rest[start + 2])
            let type = UInt16(rest[start]) | UInt16(rest[start + 1]) << 8
            if length == 2, let parameter = DefaultParameter(rawValue: type), wanted.contains(parameter) {
                values[parameter] = UInt16(rest[start + 3]) | UInt16(rest[start + 4]) << 8
            }
            rest = rest.dropFirst(3 + length)
        }
        return values
    }
}

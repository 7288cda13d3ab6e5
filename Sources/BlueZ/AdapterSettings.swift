/// Supported or current settings of an adapter: the bits of the management interface (mgmt-api.txt, Read Controller
/// Information).
struct AdapterSettings: OptionSet, Hashable, Sendable {
    var rawValue: UInt32

    static let powered = AdapterSettings(rawValue: 1 << 0)
    static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
}

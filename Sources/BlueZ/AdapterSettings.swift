/// What an adapter can do, or does now: the bits of the management interface's settings (mgmt-api.txt, Read Controller Information).
struct AdapterSettings: OptionSet, Hashable, Sendable {
    var rawValue: UInt32

    /// It is on.
    static let powered = AdapterSettings(rawValue: 1 << 0)
    /// It speaks Bluetooth Classic.
    static let classic = AdapterSettings(rawValue: 1 << 7)
    /// It speaks Low Energy.
    static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
    /// It advertises for somebody.
    static let advertising = AdapterSettings(rawValue: 1 << 10)
}

extension DeviceAddress {
    /// How long an address lasts, and who can resolve it (Core 5.4, Vol 6, B 1.3). The raw values are those of `scan
    /// --json`.
    public enum AddressType: String, CaseIterable, Sendable {
        /// Registered with the IEEE; never changes.
        case `public`
        /// Random; constant at least until the sender restarts.
        case randomStatic = "random_static"
        /// Random, changed every few minutes; only devices that have the sender's key can resolve it.
        case resolvable = "random_resolvable"
        /// Random, changed every few minutes; no device can resolve it.
        case nonResolvable = "random_non_resolvable"
        /// Random, with upper bits that the specification reserves; real devices use it nevertheless.
        case reserved = "random_reserved"
        /// No address.
        case anonymous
    }

    /// The type of the address. The two upper bits of a random address define it: 11 static, 01 resolvable, 00 not
    /// resolvable.
    public var type: AddressType {
        switch kind {
        case .public: .public
        case .anonymous: .anonymous
        case .random:
            switch bits >> 46 {
            case 0b11: .randomStatic
            case 0b01: .resolvable
            case 0b00: .nonResolvable
            default: .reserved
            }
        }
    }
}

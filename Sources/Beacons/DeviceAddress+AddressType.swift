extension DeviceAddress {
    /// How long an address lasts, and who can tell whose it is (Core 5.4, Vol 6, B 1.3); the raw values are those of `scan --json`.
    public enum AddressType: String, CaseIterable, Sendable {
        /// Registered with the IEEE: for ever.
        case `public`
        /// Random, the same at least until the sender starts anew.
        case randomStatic = "random_static"
        /// Random, changed every few minutes; those who hold the sender's key can tell it.
        case resolvable = "random_resolvable"
        /// Random, changed every few minutes; nobody can tell it.
        case nonResolvable = "random_non_resolvable"
        /// Random, with upper bits that mean nothing; seen in the wild all the same.
        case reserved = "random_reserved"
        /// None at all.
        case anonymous
    }

    /// Public, anonymous, or what the two upper bits of a random address say: 11 static, 01 resolvable, 00 not resolvable.
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

/// One beacon heard once: who, how strongly, when, from which address.
public struct Sighting: Hashable, Sendable {
    /// Who was heard.
    public var beacon: BeaconIdentity
    /// How strongly; `nil` where the controller could not tell: it was heard, but nothing can be ranged from it.
    public var rssi: RSSI?
    /// What the beacon claims to give at 1 m.
    public var measuredPower: MeasuredPower
    /// Where it was sent from: one identity may be sent from many addresses.
    public var address: DeviceAddress
    /// When it was heard.
    public var at: Instant

    /// A sighting with all its properties.
    @inlinable
    public init(
        beacon: BeaconIdentity, rssi: RSSI?, measuredPower: MeasuredPower, address: DeviceAddress, at: Instant
    ) {
        self.beacon = beacon
        self.rssi = rssi
        self.measuredPower = measuredPower
        self.address = address
        self.at = at
    }
}

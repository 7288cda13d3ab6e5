/// One beacon received once, with RSSI, address and time.
public struct Sighting: Hashable, Sendable {
    /// The identity of the beacon.
    public var beacon: BeaconIdentity
    /// The RSSI; `nil` if the controller reports none. Such a sighting proves presence but cannot be ranged.
    public var rssi: RSSI?
    /// The RSSI that the beacon claims to give at 1 m.
    public var measuredPower: MeasuredPower
    /// The address that sent the advertisement. One beacon may use many addresses.
    public var address: DeviceAddress
    /// When the adapter received the beacon.
    public var at: Instant

    /// Creates a sighting from all its properties.
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

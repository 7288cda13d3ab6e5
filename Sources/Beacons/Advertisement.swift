/// One BLE report from the controller, undecoded: address, RSSI and time. Its data is a separate parameter, because a
/// span cannot be stored.
public struct Advertisement: Hashable, Sendable {
    /// The address that sent the advertisement.
    public var address: DeviceAddress
    /// The RSSI; `nil` if the controller reports none.
    public var rssi: RSSI?
    /// When the adapter received the advertisement, on the process's clock.
    public var at: Instant

    /// Creates an advertisement from all its properties.
    @inlinable
    public init(address: DeviceAddress, rssi: RSSI?, at: Instant) {
        self.address = address
        self.rssi = rssi
        self.at = at
    }
}

/// One report from the controller, unread: who sent it, how strongly it came in, when. Its data is passed beside it, borrowed.
public struct Advertisement: Hashable, Sendable {
    /// Where it was sent from.
    public var address: DeviceAddress
    /// How strongly; `nil` where the controller could not tell.
    public var rssi: RSSI?
    /// When it was received, on the process's clock.
    public var at: Instant

    /// A report with all its properties.
    @inlinable
    public init(address: DeviceAddress, rssi: RSSI?, at: Instant) {
        self.address = address
        self.rssi = rssi
        self.at = at
    }
}

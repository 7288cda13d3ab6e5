public import Beacons

/// What beacon to be, on which adapter, how often.
public struct TransmitterOptions: Hashable, Sendable {
    /// Which adapter.
    public var adapter: BlueZOptions.AdapterName
    /// Who to be.
    public var beacon: BeaconIdentity
    /// What to claim as the RSSI at 1 m.
    public var measuredPower: MeasuredPower
    /// From one advertisement to the next: 20 ms to 10.24 s in steps of 0.625 ms; what lies between is rounded, what lies outside limited.
    /// Controllers before Bluetooth 5 may refuse less than 100 ms; and through one that has legacy advertising alone the kernel sends every
    /// 100 to 150 ms, whatever is asked (6.1 and 6.12, in the virtual machine).
    public var interval: Interval

    /// The beacon `beacon` on `hci0`, ten times a second.
    public init(
        adapter: BlueZOptions.AdapterName = .index(0), beacon: BeaconIdentity,
        measuredPower: MeasuredPower = MeasuredPower(dBm: -59), interval: Interval = .milliseconds(100)
    ) {
        self.adapter = adapter
        self.beacon = beacon
        self.measuredPower = measuredPower
        self.interval = interval
    }

    /// The interval in the controller's units (Core 5.4, Vol 4, E 7.8.5).
    var intervalUnits: UInt16 {
        UInt16(max(0x0020, min(0x4000, (interval.seconds / 0.000_625).rounded())))
    }
}

import Beacons
import HCI

/// The beacon to transmit, the adapter, and the interval.
package struct TransmitterOptions: Hashable, Sendable {
    package var adapter: BlueZOptions.AdapterName
    package var beacon: BeaconIdentity
    /// The RSSI at 1 m that the beacon claims.
    package var measuredPower: MeasuredPower
    /// The interval between advertisements: 20 ms to 10.24 s in steps of 0.625 ms. Other values are rounded and
    /// clamped. Controllers before Bluetooth 5 may refuse less than 100 ms. On controllers with only legacy
    /// advertising, the kernel always sends every 100 to 150 ms (measured with Linux 6.1 and 6.12 in the virtual
    /// machine).
    package var interval: Interval

    /// Creates options, by default for ten advertisements per second on `hci0`.
    package init(
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

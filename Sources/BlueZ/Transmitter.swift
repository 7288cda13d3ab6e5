import Beacons

/// Transmits an iBeacon on an adapter that may scan or serve bluetoothd at the same time.
///
/// The owner drives it like a radio and gets the same notices; `poweredOn` means transmitting. The transmitter handles
/// power changes of its adapter, and restores an advertisement that another program removed.
package final class Transmitter {
    private let connection: AdapterConnection

    /// Creates a transmitter that searches for its adapter with the first `advance`.
    package init(_ options: TransmitterOptions) {
        let frame = BeaconFrame(format: .iBeacon, identity: options.beacon, measuredPower: options.measuredPower)
        let duty = AdvertisingDuty(data: frame.advertisingData, interval: options.intervalUnits)
        connection = AdapterConnection(Recovery(name: options.adapter, candidates: [duty]))
    }

    deinit {
        stop()
    }

    /// The adapter's current name, such as `hci0`; `nil` while there is none.
    package var adapterName: String? { connection.recovery.adapter?.name }
    /// The kernel's sockets; read them again after each `advance`.
    package var descriptors: [Int32] { connection.descriptors }
    /// When to call `advance` even if no descriptor is readable.
    package var nextDeadline: Instant? { connection.nextDeadline }

    /// Checks the advertisement, and returns the changes.
    package func advance(to now: Instant) -> [RadioNotice] {
        connection.advance(to: now) { _, _ in }
    }

    /// Stops the advertisement and restores the adapter's previous state; this blocks for 3 s at most.
    package func stop() {
        connection.stop()
    }
}

public import Beacons

/// Is an iBeacon, on an adapter that scans, or serves bluetoothd, at the same time.
///
/// It is driven as a radio is, and says by the same notices how it fares: `poweredOn` is transmitting. It follows its adapter through power off and on,
/// and sends again what another program removed.
public final class Transmitter {
    private let connection: AdapterConnection

    /// A transmitter that will look for its adapter with the first `advance`.
    public init(_ options: TransmitterOptions) {
        let frame = BeaconFrame(format: .iBeacon, identity: options.beacon, measuredPower: options.measuredPower)
        let duty = AdvertisingDuty(data: frame.advertisingData, interval: options.intervalUnits)
        connection = AdapterConnection(Recovery(name: options.adapter, candidates: [duty]))
    }

    deinit {
        stop()
    }

    /// Whether it transmits, in a radio's words.
    public var state: RadioState { connection.recovery.state }
    /// The reason of that.
    public var description: String { connection.recovery.reason }
    /// The adapter's own address, once it was found.
    public var address: DeviceAddress? { connection.recovery.known }
    /// The adapter's name now, `hci0`; `nil` while there is none.
    public var adapterName: String? { connection.recovery.adapter?.name }
    /// What becomes readable when the kernel said something; ask again after each `advance`.
    public var descriptors: [Int32] { connection.descriptors }
    /// When it wants to be called even if no descriptor is ready.
    public var nextDeadline: Instant? { connection.nextDeadline }

    /// Looks after the advertisement, and says what changed.
    public func advance(to now: Instant) -> [RadioNotice] {
        connection.advance(to: now) { _, _ in }
    }

    /// Ends the advertisement, and leaves the adapter as it was found. Waits for that, 3 s at most.
    public func stop() {
        connection.stop()
    }
}

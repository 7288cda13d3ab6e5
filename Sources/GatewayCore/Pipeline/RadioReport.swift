import Beacons

/// The last report of the radio about its state.
struct RadioReport: Sendable {
    var state = RadioState.unknown
    var reason = "the radio has not responded yet"
    /// The kernel's interface, if there is one, and the adapter's address.
    var interface: String?
    var address: DeviceAddress?
    /// Whether a recording is over.
    var hasEnded = false

    /// Whether the radio scans, so that silence counts.
    var isScanning: Bool { state == .poweredOn }
}

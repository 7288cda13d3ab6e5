import Beacons

/// What the radio last said of itself.
struct RadioReport: Sendable {
    var state = RadioState.unknown
    var reason = "the radio has not answered yet"
    /// By which of the kernel's interfaces, where there is one, and the adapter's address.
    var interface: String?
    var address: DeviceAddress?
    /// Whether a recording is over.
    var hasEnded = false

    /// Whether silence is silence.
    var isListening: Bool { state == .poweredOn }
}

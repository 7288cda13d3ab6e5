import Beacons
import BlueZ

/// The gateway's own beacon, `[beacon]`: sent by the radio's adapter while that listens.
///
/// It begins when the radio has the adapter and has switched it on, and ends before the radio does: so the radio alone knows how the adapter
/// was found, and leaves it so.
struct BeaconSender {
    private let beacon: BeaconTransmission?
    private let source: RadioSource
    private var transmitter: Transmitter?
    /// Why it is not sent, though it should be: a sentence for `info`.
    private(set) var problem: String?

    init(_ configuration: GatewayConfiguration) {
        beacon = configuration.beacon
        source = configuration.radio.source
        if beacon != nil, !source.isAdapter {
            problem = "the beacon is not sent: only an adapter can transmit, and radio.source is \"\(source)\""
        }
    }

    var descriptors: [Int32] { transmitter?.descriptors ?? [] }
    var nextDeadline: Instant? { transmitter?.nextDeadline }

    /// Looks after the beacon; returns what is to be logged.
    mutating func advance(beside radio: any Radio, _ state: RadioState, at now: Instant) -> [String] {
        guard let beacon, source.isAdapter else { return [] }
        if state == .unsupported { stop() }
        if transmitter == nil, state == .poweredOn, let address = radio.address {
            transmitter = Transmitter(TransmitterOptions(adapter: .address(address), beacon: beacon))
        }
        var lines: [String] = []
        for case .state(let state, let reason) in transmitter?.advance(to: now) ?? [] {
            problem = state == .poweredOn ? nil : "the beacon is not sent: \(reason)"
            lines.append(problem ?? "\(beacon)")
        }
        return lines
    }

    /// Ends it.
    mutating func stop() {
        transmitter?.stop()
        transmitter = nil
    }
}

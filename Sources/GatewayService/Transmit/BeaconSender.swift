import Beacons
import BlueZ
import GatewayCore
import HCI

/// The gateway's own beacon, `[beacon]`, which the adapter transmits while it scans.
///
/// It starts after the radio has switched the adapter on, and stops before the radio. So only the radio has to restore the adapter's state.
struct BeaconSender {
    private let beacon: BeaconTransmission?
    private let source: RadioSource
    private var transmitter: BlueZRadio?
    /// Why the beacon is not transmitted, in a sentence for `info`; `nil` if it is.
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

    /// Starts, stops and watches the transmission; returns lines for the log.
    mutating func advance(beside radio: any Radio, _ state: RadioState, at now: Instant) -> [String] {
        guard let beacon, source.isAdapter else { return [] }
        if state == .unsupported { stop() }
        // By number: cheap adapters share one address.
        if transmitter == nil, state == .poweredOn, let radio = radio as? BlueZRadio,
            let adapter = radio.adapterName.flatMap(AdapterName.init)
        {
            transmitter = BlueZRadio(transmitting: beacon, by: adapter)
        }
        var lines: [String] = []
        for case .state(let state, let reason) in transmitter?.advance(to: now, receive: { _, _ in }) ?? [] {
            problem = state == .poweredOn ? nil : "the beacon is not sent: \(reason)"
            lines.append(problem ?? "\(beacon)")
        }
        return lines
    }

    mutating func stop() {
        transmitter?.stop()
        transmitter = nil
    }
}

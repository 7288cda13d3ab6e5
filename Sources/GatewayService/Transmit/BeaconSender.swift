import Beacons
import BlueZ
import GatewayCore
import HCI

/// The gateway's own beacon, `[beacon]`, which the adapter transmits while it scans.
///
/// It starts after the radio has switched the adapter on, and stops before the radio. So only the radio has to restore the adapter's state.
struct BeaconSender {
    /// A failure that is over before is not reported: the radio may have switched the adapter off and on.
    static let patience = Interval.seconds(10)

    private let beacon: BeaconTransmission?
    private let source: RadioSource
    private var transmitter: BlueZRadio?
    /// Why the beacon is not transmitted, in a sentence for `info`; `nil` if it is.
    private(set) var problem: String?
    /// Why the beacon has not been transmitted since an instant.
    private var failure: (reason: String, since: Instant)?

    init(_ configuration: GatewayConfiguration) {
        beacon = configuration.beacon
        source = configuration.radio.source
        if beacon != nil, !source.isAdapter {
            problem = "the beacon is not sent: only an adapter can transmit, and radio.source is \"\(source)\""
        }
    }

    var descriptors: [Int32] { transmitter?.descriptors ?? [] }
    var nextDeadline: Instant? {
        let report = problem == nil ? failure.map { $0.since + Self.patience } : nil
        return [transmitter?.nextDeadline, report].compactMap(\.self).min()
    }

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
        return note(transmitter?.advance(to: now, receive: { _, _ in }) ?? [], of: beacon, at: now)
    }

    /// Notes how the transmission goes; returns lines for the log.
    mutating func note(_ notices: [RadioNotice], of beacon: BeaconTransmission, at now: Instant) -> [String] {
        var lines: [String] = []
        for case .state(let state, let reason) in notices {
            guard state == .poweredOn else {
                failure = (reason, failure?.since ?? now)
                continue
            }
            if failure == nil || problem != nil { lines.append("\(beacon)") }
            (failure, problem) = (nil, nil)
        }
        guard let failure, now - failure.since >= Self.patience else { return lines }
        let sentence = "the beacon is not sent: \(failure.reason)"
        if problem != sentence { lines.append(sentence) }
        problem = sentence
        return lines
    }

    mutating func stop() {
        transmitter?.stop()
        transmitter = nil
    }
}

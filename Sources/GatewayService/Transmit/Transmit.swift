import GatewayCore
import Beacons
import BlueZ
import Glibc
import Linux

/// Transmits an iBeacon until interrupted, and restores the adapter's state: `forgetmenot-gateway transmit`.
///
/// Throws if the adapter does not work at the start. If the adapter goes away or is switched off later, it waits for the adapter.
package func transmit(_ words: TransmitWords, by configuration: GatewayConfiguration) throws(Failure) -> ExitStatus {
    let beacon = try words.beacon()
    guard case .bluez(let adapter) = configuration.radio.source else {
        throw Failure(
            .unavailable,
            "only an adapter can transmit, and radio.source is \"\(configuration.radio.source)\": name one with --adapter hci0"
        )
    }
    let signals = try endingSignals()
    let transmitter = Transmitter(TransmitterOptions(adapter: adapter, beacon: beacon))
    defer { transmitter.stop() }
    var hasBegun = false
    while signals.next() == nil {
        for notice in transmitter.advance(to: Clock.now) {
            guard case .state(let state, let reason) = notice else { continue }
            if state == .poweredOn {
                hasBegun = true
                printLine("\(beacon) by \(transmitter.adapterName ?? "\(adapter)")   (Ctrl-C ends)")
            } else if hasBegun || state == .resetting || state == .unknown {
                printError("forgetmenot-gateway: the adapter is \(state.rawValue): \(reason)")
            } else {
                throw Failure(.unavailable, reason)
            }
        }
        _ = wait(for: [signals.number] + transmitter.descriptors, until: transmitter.nextDeadline)
    }
    return .right
}

/// The signals that end a command with an adapter: an interrupt, the end of the terminal, and the end of the output's reader.
func endingSignals() throws(Failure) -> Signals {
    try orFail(.unavailable) { try Signals([SIGINT, SIGTERM, SIGHUP, SIGPIPE]) }
}

extension TransmitterOptions {
    /// The options for this adapter and beacon.
    init(adapter: BlueZOptions.AdapterName, beacon: BeaconTransmission) {
        self.init(
            adapter: adapter, beacon: beacon.identity, measuredPower: beacon.measuredPower, interval: beacon.interval)
    }
}

import Beacons
import BlueZ
import Glibc
import Linux

/// Is an iBeacon until interrupted, and leaves the adapter as it was found: `forgetmenot-gateway transmit`.
///
/// An adapter that cannot be used at the start ends it. One that was, and goes away or is switched off, is waited for.
public func transmit(_ words: TransmitWords, by configuration: GatewayConfiguration) throws(Failure) -> ExitStatus {
    let beacon = try words.beacon()
    guard case .bluez(let adapter) = configuration.radio.source else {
        throw Failure(
            .unavailable,
            "only an adapter can transmit, and radio.source is \"\(configuration.radio.source)\": name one by --adapter hci0"
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

/// What ends a command that has an adapter to give back: an interruption, the terminal's end, and that of who reads its output.
func endingSignals() throws(Failure) -> Signals {
    do throws(SystemError) {
        return try Signals([SIGINT, SIGTERM, SIGHUP, SIGPIPE])
    } catch {
        throw Failure(.unavailable, "\(error)")
    }
}

extension TransmitterOptions {
    /// Who to be, and how.
    init(adapter: BlueZOptions.AdapterName, beacon: BeaconTransmission) {
        self.init(
            adapter: adapter, beacon: beacon.identity, measuredPower: beacon.measuredPower, interval: beacon.interval)
    }
}

import GatewayCore
import Beacons
import BlueZ
import Glibc
import HCI
import Linux
import Settings

/// Transmits an iBeacon until interrupted, and restores the adapter's state: `forgetmenot-gateway transmit`.
///
/// Throws if the adapter does not work at the start. If the adapter goes away or is switched off later, it waits for the adapter.
package func transmit(
    _ beacon: BeaconTransmission, by configuration: GatewayConfiguration
) throws(Failure) -> ExitStatus {
    guard case .bluez(let adapter) = configuration.radio.source else {
        throw Failure(
            .unavailable,
            "only an adapter can transmit, and radio.source is \"\(configuration.radio.source)\": name one with --adapter hci0"
        )
    }
    let signals = try endingSignals()
    let transmitter = BlueZRadio(transmitting: beacon, by: adapter)
    defer { transmitter.stop() }
    var hasBegun = false
    while signals.next() == nil {
        for notice in transmitter.advance(to: Clock.now, receive: { _, _ in }) {
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

extension BlueZRadio {
    convenience init(transmitting beacon: BeaconTransmission, by adapter: AdapterName) {
        self.init(
            transmitting: beacon.identity, measuredPower: beacon.measuredPower, every: beacon.interval, by: adapter)
    }
}

/// The beacon that the options of `transmit` describe; throws if an option is out of range.
package func transmission(
    uuid: String, major: Int, minor: Int, measuredPower: Int, interval: String
) throws(Failure) -> BeaconTransmission {
    guard let uuid = BeaconUUID(written: uuid) else {
        throw Failure(
            .usage,
            "\"\(uuid)\" is not a UUID: write 32 hexadecimal digits like e2c56db5-dffb-48d2-b060-d0f5a71096e0")
    }
    var beacon = BeaconTransmission(
        identity: BeaconIdentity(
            uuid: uuid, major: try number(major, "--major"), minor: try number(minor, "--minor")))
    guard let power = Int8(exactly: measuredPower).map({ MeasuredPower(dBm: $0) }), power.isPlausible else {
        throw Failure(.usage, "--measured-power is \(measuredPower): write -100 to -10, in dBm")
    }
    let range = BeaconTransmission.intervals
    guard let interval = Interval(duration: interval), range.contains(interval) else {
        throw Failure(
            .usage,
            "--interval is \"\(interval)\": write \(range.lowerBound.duration) to \(range.upperBound.duration), like 100ms"
        )
    }
    (beacon.measuredPower, beacon.interval) = (power, interval)
    return beacon
}

private func number(_ value: Int, _ what: String) throws(Failure) -> UInt16 {
    guard let number = UInt16(exactly: value) else {
        throw Failure(.usage, "\(what) is \(value): write a number from 0 to 65535")
    }
    return number
}

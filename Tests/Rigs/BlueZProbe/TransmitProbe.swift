import Beacons
import BlueZ
import Linux

/// Transmits a beacon until it is stopped, and prints the outcome.
struct TransmitProbe {
    private let transmitter: BlueZRadio
    private var commands = Commands()

    init(_ arguments: Arguments) {
        let numbers = arguments.words.compactMap { UInt16($0) }
        transmitter = BlueZRadio(
            transmitting: BeaconIdentity(
                uuid: BeaconUUID("00112233-4455-6677-8899-aabbccddeeff")!, major: numbers.first ?? 1,
                minor: numbers.dropFirst().first ?? 1),
            every: arguments.milliseconds("interval_ms", default: 100), by: arguments.adapter)
    }

    mutating func run() {
        while true {
            _ = wait(for: transmitter.descriptors + (commands.isOver ? [] : [0]), until: transmitter.nextDeadline)
            for notice in transmitter.advance(to: Clock.now, receive: { _, _ in }) {
                if case .state(let state, let reason) = notice { printNow("state \(state.rawValue): \(reason)") }
            }
            if commands.take().contains(where: { $0.first == "quit" }) { break }
        }
        transmitter.stop()
        printNow("stopped")
    }
}

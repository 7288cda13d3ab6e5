import Beacons
import BlueZ
import GatewayCore
import Glibc
import HCI
import Linux
import Settings

/// Pairs a phone by bluetoothd, and adds its key to the file of identity resolving keys: `forgetmenot-gateway enroll`.
///
/// The service is stopped meanwhile: it may hold the adapter so that bluetoothd cannot pair, and reads the file at its start.
package func enroll(_ name: String, by path: String, within patience: Interval) throws(Failure) -> ExitStatus {
    let enrolment = try Enrolment(name, by: path)
    let adapter = try pairingAdapter(of: enrolment.configuration)
    let signals = try endingSignals()
    let unit = gatewayUnit(of: path)
    let isRunning = if let unit { try isServiceActive(unit) } else { false }
    if let unit, isRunning { try systemctl("stop", unit) }
    let outcome: Result<ExitStatus, Failure>
    do throws(Failure) {
        let result = try orFail(.unavailable) {
            let listener = try PairingListener(adapter: adapter.index)
            return try Pairing(adapter: adapter.address, patience: patience).device(listener, signals)
        }
        outcome = .success(try enrolment.finish(result))
    } catch {
        outcome = .failure(error)
    }
    if let unit, isRunning {
        try systemctl("start", unit)
    } else if case .success = outcome {
        printLine("Restart the gateway, so that it reads the file.")
    }
    return try outcome.get()
}

/// The number and the address of the adapter that pairs; throws what prevents it from pairing.
private func pairingAdapter(
    of configuration: GatewayConfiguration
) throws(Failure) -> (index: UInt16, address: DeviceAddress) {
    guard geteuid() == 0 else { throw Failure(.unavailable, "only root may pair a phone: run enroll with sudo") }
    guard case .bluez(let name) = configuration.radio.source else {
        throw Failure(.unavailable, "only an adapter can pair, and radio.source is \"\(configuration.radio.source)\"")
    }
    let report = AdapterReport(of: name)
    guard let found = report.name.flatMap({ AdapterName($0) }), case .index(let index) = found,
        let address = report.address
    else {
        throw Failure(.unavailable, report.problem ?? "there is no adapter \(name): run forgetmenot-gateway doctor")
    }
    guard report.hasBluetoothd else {
        throw Failure(.unavailable, "bluetoothd does not run, which pairs phones: run systemctl start bluetooth")
    }
    return (index, address)
}

/// The files to which `enroll` adds a phone. Everything that is known before a phone has paired is checked first.
struct Enrolment {
    let name: String
    let configuration: GatewayConfiguration
    private let path: String
    /// The file of keys, and its text.
    private let keysFile: String
    private let keys: String

    /// Throws what prevents a phone of this name from being added.
    init(_ name: String, by path: String) throws(Failure) {
        (self.name, self.path) = (name, path)
        configuration = try loadConfiguration(at: path)
        keysFile = configuration.radio.identityKeysFile ?? sibling("identity.keys", of: path)
        keys = access(keysFile, F_OK) == 0 ? try readSecrets(at: keysFile) : ""
        // A key that nobody has: the name and the number of keys are checked before a phone is asked for one.
        _ = try adding(IdentityKey(String(repeating: "0", count: 32))!)
    }

    private func adding(_ key: IdentityKey) throws(Failure) -> String {
        do throws(IdentityKeys.Fault) {
            return try IdentityKeys.adding(key, name: name, to: keys)
        } catch {
            throw Failure(.configuration, "\(keysFile): \(error)")
        }
    }

    /// Writes what has come of the pairing, and prints how to add the item.
    func finish(_ result: Result<PairedDevice, Pairing.Problem>) throws(Failure) -> ExitStatus {
        let device: PairedDevice
        switch result {
        case .success(let paired): device = paired
        case .failure(let problem): throw Failure(.unavailable, problem.sentence)
        }
        guard let key = IdentityKey(hexadecimal(device.key)) else {
            throw Failure(.unavailable, "the phone's key is not one of 16 bytes")
        }
        let text = try adding(key)
        if text == keys {
            printLine("\(keysFile) has the phone already, and is not changed.")
        } else {
            try orFail(.disk, ": run enroll with sudo") {
                try replaceNamedFile(at: keysFile, with: Array(text.utf8), mode: 0o600)
            }
            printLine("Wrote \(keysFile).")
        }
        try nameFile()
        let beacon = key.beacon
        printLine("The beacon of \(name) has the UUID \(beacon.uuid), major 0 and minor 0. Add the item:")
        printLine("  forgetmenot items add \(shellQuoted(name)) --uuid \(beacon.uuid) --major 0 --minor 0")
        return .right
    }

    /// Names the file in the configuration, if that names none.
    private func nameFile() throws(Failure) {
        guard configuration.radio.identityKeysFile == nil, let former = try text(at: path) else { return }
        let new = setting("identity_keys_file", to: "\"identity.keys\"", in: "radio", of: former)
        try examine(new, of: path)
        try write(new, to: path, former: former)
    }
}

extension Pairing.Problem {
    /// Why nothing was written.
    fileprivate var sentence: String {
        switch self {
        case .interrupted: "interrupted: nothing was written"
        case .tooLate:
            "no phone gave its key: pair it again after removing Forgetmenot from its list of devices, and look at journalctl -u bluetooth"
        case .ended: "bluetoothctl ended: run enroll again, or bluetoothctl by hand to see why"
        }
    }
}

import Beacons
import BlueZ
import Glibc
import Linux

/// Pairs one phone with an adapter by bluetoothd, takes its key, and removes the pairing again.
struct Pairing {
    /// The name under which the phone shows this machine.
    static let alias = "Forgetmenot"
    /// What bluetoothctl prints when it takes commands.
    private static let isReady = "Agent registered"

    /// The adapter's address.
    var adapter: DeviceAddress
    /// The program that talks with bluetoothd, found in PATH.
    var program = "bluetoothctl"
    /// For how long the phone is waited for.
    var patience: Interval

    /// Why there is no key.
    enum Problem: Error, Hashable {
        case interrupted, tooLate, ended
    }

    /// The phone that has paired. Whatever happens, this machine is then not visible any more, and no phone stays paired.
    func device(
        _ listener: PairingListener, _ signals: Signals
    ) throws(SystemError) -> Result<PairedDevice, Problem> {
        let console = try Bluetoothctl(program)
        console.expect(Self.isReady)
        type(["power on", "system-alias \(Self.alias)", "pairable on", "discoverable on"], console)
        printLine("On the phone, open the Bluetooth settings, and choose \(Self.alias). Confirm what the phone asks.")
        printLine("Waiting for the phone, for \(patience.duration) at most (Ctrl-C ends)")
        let result: Result<PairedDevice, Problem>
        do throws(SystemError) {
            result = try wait(for: listener, signals, console)
        } catch {
            cleanUp(console, [], listener)
            throw error
        }
        if case .success = result, !console.printed.contains("Paired: yes") { console.expect("Paired: yes") }
        var paired = Self.paired(console)
        if case .success(let device) = result { paired.insert("\(device.address)") }
        // bluetoothctl of Debian 12 sometimes crashes: another one cleans up.
        try cleanUp(result == .failure(.ended) ? Bluetoothctl(program) : console, paired, listener)
        return result
    }

    private func type(_ commands: [String], _ console: Bluetoothctl) {
        for command in ["select \(adapter)"] + commands { console.type(command) }
    }

    private func wait(
        for listener: PairingListener, _ signals: Signals, _ console: Bluetoothctl
    ) throws(SystemError) -> Result<PairedDevice, Problem> {
        let deadline = Clock.now + patience
        while true {
            _ = Linux.wait(for: [signals.number, listener.number, console.number], until: deadline)
            if let device = try listener.next() { return .success(device) }
            if signals.next() != nil { return .failure(.interrupted) }
            guard let new = console.read() else { return .failure(.ended) }
            confirm(new, console)
            if Clock.now >= deadline { return .failure(.tooLate) }
        }
    }

    /// Types yes if bluetoothctl asks. The phone's owner confirms the number on the phone.
    private func confirm(_ printed: String, _ console: Bluetoothctl) {
        guard printed.contains("(yes/no)") else { return }
        if let passkey = printed.firstMatch(of: /passkey (\d{6})/) {
            printLine("Confirm on the phone if it shows the number \(passkey.1).")
        }
        console.type("yes")
    }

    /// The devices that have paired meanwhile, as bluetoothctl has printed.
    private static func paired(_ console: Bluetoothctl) -> Set<String> {
        Set(console.printed.matches(of: /Device ([0-9A-F:]{17}) Paired: yes/).map { String($0.1) })
    }

    /// Makes this machine invisible, and removes what is paired: the kernel puts a paired phone's permanent address in the place of the received one.
    private func cleanUp(_ console: Bluetoothctl, _ paired: Set<String>, _ listener: PairingListener) {
        if !console.printed.contains(Self.isReady) { console.expect(Self.isReady) }
        type(["pairable off", "reset-alias", "discoverable off"], console)
        console.expect("discoverable off succeeded")
        // A phone may have paired while the machine was still visible.
        var paired = paired.union(Self.paired(console))
        while let late = try? listener.next() { paired.insert("\(late.address)") }
        for address in paired.sorted() {
            console.type("remove \(address)")
            console.expect("Device has been removed")
        }
        console.quit()
    }
}

import GatewayCore
import BlueZ
import Broker
import Doctor
import Glibc
import Linux
import Messages
import Mosquitto

/// Checks everything that a gateway needs, and prints what failed and what to do: `forgetmenot-gateway doctor`.
///
/// It changes nothing, does not scan, and does not disturb a running gateway.
package func examine(at path: String?, asJSON: Bool) throws(Failure) -> ExitStatus {
    report(try findings(at: path), asJSON: asJSON)
}

/// The findings of `doctor` for the configuration at `path`; `nil`: the installed one.
///
/// - Parameter isBeforeStart: whether the gateway is not meant to run yet.
func findings(at path: String?, isBeforeStart: Bool = false) throws(Failure) -> [Finding] {
    let configuration = try loadConfigurationIfAny(at: path, adapter: nil)
    let file = path ?? standardConfigurationPath
    let isInstalled = access(file, F_OK) == 0
    var findings = [
        Finding("configuration", .passed, isInstalled ? file : "no file is named and none is installed: all defaults")
    ]
    let runner = Runner(of: configuration)
    findings.append(runner.finding(file: isInstalled ? file : nil, isBeforeStart: isBeforeStart))
    findings += radioFindings(configuration, runner)
    findings += BrokerExamination(
        BrokerOptions(configuration.broker), reading: "\(configuration.prefix.text)/registry/#", beside: runner.name,
        knowing: runner.login(of: configuration, file: file)
    ).findings()
    return findings + [.clock(), .stateFolder(configuration.stateDirectory)] + [Finding.power()].compactMap { $0 }
}

/// The gateway of one configuration, if it runs on this machine. A running gateway holds the lock of its state folder.
private enum Runner {
    case nobody
    case process(Int32)
    case unknown(String)

    init(of configuration: GatewayConfiguration) {
        do throws(SystemError) {
            let holder = try StateLock.holder(of: StateFolder(path: configuration.stateDirectory))
            self = holder.map { .process($0) } ?? .nobody
        } catch {
            self = .unknown("\(error)")
        }
    }

    /// The process that is logged in to the broker, or may be.
    var name: String? {
        switch self {
        case .nobody: nil
        case .process(let process): "the gateway (process \(process))"
        case .unknown: "a gateway"
        }
    }

    /// What the running gateway knows of its login at the broker.
    func login(of configuration: GatewayConfiguration, file: String) -> Finding? {
        guard case .process = self, let name else { return nil }
        switch GatewayNote(in: StateFolder(path: configuration.stateDirectory)) {
        case .connecting: return nil
        case .connected: return Finding("credentials", .passed, "\(name) is connected, and the broker refuses nothing")
        case .failing(let reason):
            return Finding(
                "credentials", .failed,
                "\(name) reports: \(reason): compare id, and port, username and password_file of [mqtt], in \(file) "
                    + "with the line that `forgetmenot broker-setup` prints for this gateway, and restart it")
        }
    }

    /// - Parameter file: the gateway's configuration; `nil` if there is none.
    func finding(file: String?, isBeforeStart: Bool) -> Finding {
        switch self {
        case .nobody:
            isBeforeStart || file == nil
                ? Finding("gateway", .skipped, "does not run: no process uses its state folder")
                : .stopped(file ?? "", unit: gatewayUnit(of: file ?? ""))
        case .process(let process):
            Finding("gateway", .passed, "runs as process \(process), which uses its state folder")
        case .unknown(let reason):
            Finding(
                "gateway", .skipped,
                "unknown whether it runs: \(reason); run doctor as the service's user, or with sudo")
        }
    }
}

private func radioFindings(_ configuration: GatewayConfiguration, _ runner: Runner) -> [Finding] {
    let radio = configuration.radio
    guard case .bluez(let name) = radio.source else {
        return AdapterExamination.subjects.map { subject in
            Finding(subject, .skipped, "does not apply: radio.source is \"\(radio.source)\"")
        }
    }
    var (capabilities, holder) = (Capabilities.ofThisProcess, "this process")
    if case .process(let process) = runner, let held = Capabilities(ofProcess: process) {
        (capabilities, holder) = (held, "the running gateway")
    }
    return AdapterExamination(
        name: name, interface: radio.interface, report: AdapterReport(of: name), capabilities: capabilities,
        holder: holder
    ).findings()
}

extension Finding {
    /// The gateway of this configuration does not run.
    ///
    /// - Parameter unit: its service, which should run; `nil` if somebody starts it by hand.
    static func stopped(_ file: String, unit: String?) -> Finding {
        guard let unit else {
            return Finding("gateway", .skipped, "does not run: `forgetmenot-gateway run --config \(file)` starts it")
        }
        return Finding(
            "gateway", .failed, "does not run: run `sudo systemctl start \(unit)`, and read `journalctl -u \(unit)`")
    }
}

import Delivery
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
public func examine(at path: String?, asJSON: Bool) throws(Failure) -> ExitStatus {
    report(try findings(at: path), asJSON: asJSON)
}

/// The findings of `doctor` for the configuration at `path`; `nil`: the installed one.
func findings(at path: String?) throws(Failure) -> [Finding] {
    let configuration = try loadConfigurationIfAny(at: path, adapter: nil)
    let file = path ?? standardConfigurationPath
    let isInstalled = access(file, F_OK) == 0
    var findings = [
        Finding("configuration", .passed, isInstalled ? file : "no file is named and none is installed: all defaults")
    ]
    let runner = Runner(of: configuration)
    findings.append(runner.finding)
    findings += radioFindings(configuration, runner)
    findings += BrokerExamination(
        BrokerOptions(configuration.broker), reading: "\(configuration.prefix.text)/registry/#", beside: runner.name
    ).findings()
    return findings + [.clock(), .stateFolder(configuration.stateDirectory)]
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

    var finding: Finding {
        switch self {
        case .nobody: Finding("gateway", .passed, "does not run: no process uses its state folder")
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

import Broker
import GatewayCore
import Glibc
import HCI
import Linux
import Mosquitto
import Settings

package let standardConfigurationPath = "\(configurationFolder)/gateway.toml"

/// Loads the gateway's configuration at `path`; throws all its problems, one per line.
package func loadConfiguration(at path: String) throws(Failure) -> GatewayConfiguration {
    try usable(try readGatewayConfiguration(at: path))
}

/// The configuration at `path`, for a command that does without one: where none is named and none installed, it is every default.
///
/// - Parameter adapter: the adapter to use instead of the configured one: `hci0`, or an address.
package func loadConfigurationIfAny(at path: String?, adapter: String?) throws(Failure) -> GatewayConfiguration {
    var configuration: GatewayConfiguration
    if path == nil, access(standardConfigurationPath, F_OK) != 0 {
        configuration = GatewayConfiguration(hostName: localHostName())
    } else {
        configuration = try loadConfiguration(at: path ?? standardConfigurationPath)
    }
    guard let adapter else { return configuration }
    guard let name = AdapterName(adapter) else {
        throw Failure(.usage, "\"\(adapter)\" is no adapter: write hci0, or an address like B8:27:EB:00:00:01")
    }
    configuration.radio.source = .bluez(name)
    return configuration
}

/// Prints every problem of the configuration at `path` to standard output, one per line, and what is wrong with the files that it names.
package func checkConfiguration(at path: String) throws(Failure) -> ExitStatus {
    let configuration: GatewayConfiguration
    var checks: FileChecks
    do throws(SettingsError) {
        configuration = try readGatewayConfiguration(at: path)
        checks = FileChecks(of: path, try namedFiles(at: path) { GatewayConfiguration($0, hostName: "") })
    } catch {
        return try error.reportedByCheck()
    }
    checks.check { () throws(Failure) in _ = try identityKeys(configuration.radio) }
    checks.check { () throws(Failure) in _ = try BrokerConnection(BrokerOptions(configuration.broker)) }
    if case .capture = configuration.radio.source {
        checks.check { () throws(Failure) in _ = try makeRadio(configuration, at: Clock.moment) }
    }
    return checks.report()
}

/// The phones and watches that the gateway recognises; throws what is wrong with their file.
func identityKeys(_ radio: RadioSettings) throws(Failure) -> IdentityKeys {
    guard let file = radio.identityKeysFile else { return IdentityKeys() }
    let keys = IdentityKeys(lines: try readSecrets(at: file))
    if let fault = keys.faults.first { throw Failure(.configuration, "\(file): \(fault)") }
    return keys
}

/// The phones and watches of those lines of their file that are right, and what is wrong with the file, in a sentence.
func readableIdentityKeys(_ radio: RadioSettings) -> (keys: IdentityKeys, problem: String?) {
    guard let file = radio.identityKeysFile else { return (IdentityKeys(), nil) }
    do throws(Failure) {
        let keys = IdentityKeys(lines: try readSecrets(at: file))
        guard let fault = keys.faults.first else { return (keys, nil) }
        let others = keys.faults.count == 1 ? "" : " (and \(keys.faults.count - 1) more lines are wrong)"
        return (keys, "a phone is not recognised: \(file): \(fault)\(others). Then restart the gateway")
    } catch {
        return (.unreadable, "no phone is recognised: \(error). Then restart the gateway")
    }
}

/// Reads the gateway's configuration at `path`; throws all of its problems at once.
///
/// - Parameter hostName: the name from which the id is made if the file has none; by default this host's name.
package func readGatewayConfiguration(
    at path: String, hostName: String = localHostName()
) throws(SettingsError) -> GatewayConfiguration {
    try readSettings(at: path) { GatewayConfiguration($0, hostName: hostName) }
}

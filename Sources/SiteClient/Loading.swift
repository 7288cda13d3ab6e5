import Broker
import Glibc
import Linux
import Settings

/// The aggregator's configuration file on a machine where it is installed.
package let standardConfigurationPath = "\(configurationFolder)/aggregator.toml"

/// The file of a user who uses the commands, below the home folder.
package let ownBrokerFile = ".config/forgetmenot/forgetmenot.toml"

/// The environment variable that names a file as `--config` does.
package let configurationVariable = "FORGETMENOT_CONFIG"

/// The file that the user names: by `--config`, else by the environment; `nil`: by neither.
package func namedConfiguration(_ option: String?) -> String? {
    option ?? getenv(configurationVariable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// The aggregator's file: the one that the user names, else the installed one.
///
/// Throws status 78 if the environment names a user's own file, which has only `[mqtt]`: its defaults would stand for the site's configuration.
package func aggregatorFile(at path: String?) throws(Failure) -> String {
    guard let named = namedConfiguration(path) else { return standardConfigurationPath }
    if path == nil, (try? readBrokerSettings(at: named, otherTables: .refused)) != nil {
        throw Failure(
            .configuration,
            "\(named), which \(configurationVariable) names, has only [mqtt]: name the aggregator's file with --config")
    }
    return named
}

/// The file that names the broker: the one that the user names, else the user's own file, else the aggregator's. Throws status 66 if there is none.
package func brokerFile(at path: String?) throws(Failure) -> String {
    if let path = namedConfiguration(path) { return path }
    let home = getenv("HOME").map { String(cString: $0) + "/" + ownBrokerFile }
    let candidates = [home, standardConfigurationPath].compactMap { $0 }
    guard let file = candidates.first(where: { access($0, F_OK) == 0 }) else {
        throw Failure(
            .noInput,
            "there is no \(candidates.joined(separator: " and no ")): on the broker's machine run "
                + "\"sudo forgetmenot setup\", elsewhere the line that \"forgetmenot broker-setup\" prints "
                + "for you, or name a file with an [mqtt] table with --config FILE")
    }
    return file
}

/// The broker's settings from the file that `brokerFile(at:)` names.
package func loadBrokerSettings(at path: String?) throws(Failure) -> BrokerSettings {
    let file = try brokerFile(at: path)
    return try usable(try readBrokerSettings(at: file))
}

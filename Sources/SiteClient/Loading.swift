import Broker
import Glibc
import Linux
import Settings

/// The broker's settings from the file at `path`, else from the user's own file, else from the aggregator's.
public func loadBrokerSettings(at path: String?) throws(Failure) -> BrokerSettings {
    var candidates = [path].compactMap { $0 }
    if candidates.isEmpty {
        if let home = getenv("HOME").map({ String(cString: $0) }) {
            candidates.append(home + "/.config/forgetmenot/forgetmenot.toml")
        }
        candidates.append("/etc/forgetmenot/aggregator.toml")
    }
    for candidate in candidates where path != nil || access(candidate, F_OK) == 0 {
        do throws(SettingsError) {
            return try readBrokerSettings(at: candidate)
        } catch {
            throw Failure(error)
        }
    }
    throw Failure(
        .noInput,
        "there is no \(candidates.joined(separator: " and no ")): name a file with an [mqtt] table with --config FILE")
}

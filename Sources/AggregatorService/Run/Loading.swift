import Broker
import Linux
import Settings
import SiteCore

/// The aggregator's configuration at `path`; throws all of its problems, one per line.
public func loadConfiguration(at path: String) throws(Failure) -> AggregatorConfiguration {
    do throws(SettingsError) {
        return try readAggregatorConfiguration(at: path)
    } catch {
        throw Failure(error)
    }
}

/// Prints every problem of the configuration at `path`, one line each.
public func checkConfiguration(at path: String) throws(Failure) -> ExitStatus {
    do throws(SettingsError) {
        _ = try readAggregatorConfiguration(at: path)
        return .right
    } catch {
        return try error.toldByCheck()
    }
}

/// Reads the aggregator's configuration at `path`; throws all of its problems at once.
public func readAggregatorConfiguration(at path: String) throws(SettingsError) -> AggregatorConfiguration {
    try readSettings(at: path) { AggregatorConfiguration($0) }
}

/// Reads only the site, from aggregator.toml or from a separate file; ignores all other tables.
public func readSiteConfiguration(at path: String) throws(SettingsError) -> SiteConfiguration {
    try readSettings(at: path, otherTables: .ignored) { SiteConfiguration($0) }
}

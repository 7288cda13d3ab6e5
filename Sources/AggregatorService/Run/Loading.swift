import Broker
import Channels
import Glibc
import Linux
import Messages
import PageConfiguration
import Settings
import SiteCore

/// The aggregator's configuration at `path`; throws all of its problems, one per line.
///
/// - Parameter skipped: see `readServiceConfiguration`.
package func loadConfiguration(
    at path: String, skipped: ((String) -> Void)? = nil
) throws(Failure) -> ServiceConfiguration {
    try usable(try readServiceConfiguration(at: path, skipped: skipped))
}

/// The configuration to start with: as `loadConfiguration`, but no file that the page has written prevents the start. Files of subscriptions
/// and of receiver offsets that cannot be read are set aside; `problems` has a sentence about each.
package func loadConfigurationToStart(
    at path: String
) throws(Failure) -> (configuration: ServiceConfiguration, problems: [String]) {
    do throws(SettingsError) {
        return (try readServiceConfiguration(at: path), [])
    } catch {
        guard let own = try? readSettings(at: path, { ServiceConfiguration($0) }) else { throw Failure(error) }
        let problems = setUnreadableFilesAside(own)
        return (try loadConfigurationWithUsablePlan(at: path), problems)
    }
}

/// Sets aside those of the page's files that cannot be read, and that the page can do without; returns a sentence about each.
private func setUnreadableFilesAside(_ configuration: ServiceConfiguration) -> [String] {
    let folder = StateFolder(path: configuration.aggregator.stateDirectory)
    var names: [(file: String, remedy: String)] = []
    if (try? readSubscriptions(configuration, skipped: nil)) == nil {
        names.append((PushSubscriptions.file, "subscribe the browsers again"))
    }
    if (try? readOffsets(configuration, stored: nil, skipped: nil)) == nil {
        names.append((pageOffsetsFile, "set the receiver offsets on the page again"))
    }
    return names.compactMap { name in
        let path = folder.file(name.file)
        return (try? setAside(path)).map { "\(path) cannot be read, and is set aside as \($0): \(name.remedy)." }
    }
}

/// The configuration without a plan of the page that cannot be used. Only the page can correct that plan, and the page needs the service.
/// `site.planProblem` has what is wrong.
private func loadConfigurationWithUsablePlan(at path: String) throws(Failure) -> ServiceConfiguration {
    do throws(SettingsError) {
        return try readServiceConfiguration(at: path)
    } catch {
        guard var configuration = try? readServiceConfiguration(at: path, drawn: []) else { throw Failure(error) }
        let first = "\(error)".split(separator: "\n").first ?? ""
        configuration.aggregator.site.planProblem =
            "The plan that was drawn on the page is not used (\(first)): draw it again on the page."
        return configuration
    }
}

/// Prints every problem of the configuration at `path`, one line each.
///
/// - Parameter checkFiles: checks the files that the configuration names.
package func checkConfiguration(
    at path: String, _ checkFiles: (ServiceConfiguration, inout FileChecks) -> Void = { _, _ in }
) throws(Failure) -> ExitStatus {
    let configuration: ServiceConfiguration
    var checks: FileChecks
    do throws(SettingsError) {
        configuration = try readServiceConfiguration(at: path) { printError("forgetmenot: \($0)") }
        checks = FileChecks(of: path, try namedFiles(at: path) { ServiceConfiguration($0) })
    } catch {
        return try error.reportedByCheck()
    }
    let lines = [configuration.aggregator.ambiguity].compactMap(\.self) + configuration.aggregator.unknownRooms
    guard lines.isEmpty else {
        printLines(lines.joined(separator: "\n"))
        return .configuration
    }
    // A page for readers alone may be meant.
    if let gap = configuration.page.lacksAdmin { printError("forgetmenot: \(path): \(gap)") }
    checkFiles(configuration, &checks)
    return checks.report() == .right ? .right : .configuration
}

/// Reads the aggregator's configuration at `path`, and if it has no plan, the plan that was drawn on the page; throws all problems at once.
///
/// - Parameters:
///   - plan: a drawn plan to read instead of the one in the state folder.
///   - offsets: receiver offsets to read instead of those in the state folder.
///   - skipped: receives a sentence about the first file of the state folder that this user may not read; `nil`: that is a problem, because
///     the service reads all of them.
package func readServiceConfiguration(
    at path: String, drawn plan: [UInt8]? = nil, offsets: [UInt8]? = nil, skipped: ((String) -> Void)? = nil
) throws(SettingsError) -> ServiceConfiguration {
    var isSkipped = false
    func note(_ sentence: String) {
        if !isSkipped { skipped?(sentence) }
        isSkipped = true
    }
    let skip = skipped == nil ? nil : note
    var configuration = try readPlannedConfiguration(at: path, drawn: plan, skipped: skip)
    configuration.aggregator.channels += try readSubscriptions(configuration, skipped: skip)
    configuration.aggregator.site.pageOffsets = try readOffsets(configuration, stored: offsets, skipped: skip)
    return configuration
}

/// The receiver offsets that were set on the page.
private func readOffsets(
    _ configuration: ServiceConfiguration, stored: [UInt8]?, skipped: ((String) -> Void)?
) throws(SettingsError) -> [String: Double] {
    let file = StateFolder(path: configuration.aggregator.stateDirectory).file(pageOffsetsFile)
    var stored = stored
    if stored == nil { stored = try stateFile(at: file, skipped: skipped) }
    guard let text = stored else { return [:] }
    let reading = readSettings(text, file: file) { PageOffsets($0) }
    guard let offsets = reading.configuration else { throw .wrong(reading.problems) }
    return offsets.byGateway
}

/// The channels that browsers have given to the page.
private func readSubscriptions(
    _ configuration: ServiceConfiguration, skipped: ((String) -> Void)?
) throws(SettingsError) -> [ChannelSettings] {
    try readSubscriptions(
        in: StateFolder(path: configuration.aggregator.stateDirectory), at: configuration.page.pushServices,
        skipped: skipped)
}

/// The channels that browsers have given to the page, as far as their push services are in a list.
func readSubscriptions(
    in folder: StateFolder, at services: [String], skipped: ((String) -> Void)? = nil
) throws(SettingsError) -> [ChannelSettings] {
    let file = folder.file(PushSubscriptions.file)
    guard let bytes = try stateFile(at: file, skipped: skipped) else { return [] }
    do throws(PayloadRefusal) {
        return ChannelSettings.all(
            in: try PushSubscriptions(parsing: bytes), at: services,
            keyFile: folder.file(PushSubscriptions.keyFile))
    } catch {
        throw .unreadable(file, reason: "it is damaged (\(error)): delete it, and subscribe the browsers again")
    }
}

private func readPlannedConfiguration(
    at path: String, drawn plan: [UInt8]?, skipped: ((String) -> Void)?
) throws(SettingsError) -> ServiceConfiguration {
    let configuration = try readSettings(at: path) { ServiceConfiguration($0) }
    let file = StateFolder(path: configuration.aggregator.stateDirectory).file(drawnPlanFile)
    guard !configuration.aggregator.site.hasOwnPlan else { return configuration }
    var plan = plan
    if plan == nil { plan = try stateFile(at: file, skipped: skipped) }
    guard let text = plan else { return configuration }
    let reading = readSettings(text, file: file) { drawn in
        Result { () throws(SettingsError) in try readSettings(at: path) { ServiceConfiguration($0, drawn: drawn) } }
    }
    guard let result = reading.configuration else { throw .wrong(reading.problems) }
    return try result.get()
}

/// The text of a file that the page writes; `nil` if there is none.
private func stateFile(at file: String, skipped: ((String) -> Void)?) throws(SettingsError) -> [UInt8]? {
    do { return try readFile(at: file, limit: 1 << 20) } catch {
        if [ENOENT, ENOTDIR].contains(error.code) { return nil }
        if error.code == EACCES, let skipped {
            skipped("\(file) is not checked, as this user may not read it: run the command with sudo")
            return nil
        }
        throw .unreadable(file, reason: error.reason)
    }
}

/// Reads only the site, from aggregator.toml or from a separate file; ignores all other tables.
package func readSiteConfiguration(at path: String) throws(SettingsError) -> SiteConfiguration {
    try readSettings(at: path, otherTables: .ignored) { SiteConfiguration($0) }
}

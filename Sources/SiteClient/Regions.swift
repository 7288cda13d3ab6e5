import Beacons
import Linux
import Messages
import Text

/// Lists the regions that all gateways monitor: `forgetmenot regions list`.
package func listRegions(over session: BrokerSession, asJSON: Bool) throws(Failure) -> ExitStatus {
    let view = try session.view()
    let regions = view.regions.values.sorted {
        ($0.identifier.lowercased(), $0.id) < ($1.identifier.lowercased(), $1.id)
    }
    if asJSON {
        printJSON(jsonArray(regions) { $0.write(to: &$1) })
    } else {
        var table = Table(["REGION", "ID", "UUID", .right("MAJOR"), .right("MINOR"), "EVENTS"])
        for region in regions {
            let (uuid, major, minor) = region.scope.parts
            let events = [region.notifyOnEntry ? "enter" : nil, region.notifyOnExit ? "exit" : nil].compactMap { $0 }
            table.append([
                region.identifier, region.id, "\(uuid)", major.map { "\($0)" }, minor.map { "\($0)" },
                events.isEmpty ? nil : events.joined(separator: ", "),
            ])
        }
        for line in table.lines(width: terminalWidth()) { printLine(line) }
    }
    return status(.right, of: view)
}

extension Region.Scope {
    /// The parts of a beacon's identity that the scope fixes.
    fileprivate var parts: (uuid: BeaconUUID, major: UInt16?, minor: UInt16?) {
        switch self {
        case .uuid(let uuid): (uuid, nil, nil)
        case .major(let uuid, let major): (uuid, major, nil)
        case .beacon(let beacon): (beacon.uuid, beacon.major, beacon.minor)
        }
    }
}

/// Adds a region, which every gateway then monitors: `forgetmenot regions add`.
package func addRegion(
    _ identifier: String, _ options: BeaconOptions, id: String?, notifyOnEntry: Bool, notifyOnExit: Bool,
    entryText: String?, exitText: String?, over session: BrokerSession, asJSON: Bool
) throws(Failure) -> ExitStatus {
    let requested = NewRegion(
        identifier: try named(identifier), scope: try options.scope(), id: try wellFormed(id),
        measuredPower: try options.measuredPower.power(), notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit,
        entryText: try noticeText(entryText, "--entry-text"), exitText: try noticeText(exitText, "--exit-text"))
    let region = try session.ask(.addRegion, requested).region
    report(region.bytes, "\(region.identifier) is monitored as \(region.id)", asJSON: asJSON)
    return .right
}

/// Removes a region: `forgetmenot regions remove`.
package func removeRegion(_ word: String, over session: BrokerSession) throws(Failure) -> ExitStatus {
    let region = try session.ask(.removeRegion, NameOrID(name: word)).region
    printLine("\(region.identifier) is removed")
    return .right
}

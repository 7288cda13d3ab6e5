import ArgumentParser
import Beacons
import Linux
import Messages
import Text

struct RegionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regions", abstract: "List, add and remove regions, which every gateway monitors.",
        subcommands: [RegionsListCommand.self, RegionsAddCommand.self, RegionsRemoveCommand.self],
        defaultSubcommand: RegionsListCommand.self)
}

struct RegionsListCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the regions that all gateways monitor.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let view = try session.view()
        let regions = view.regions.values.sorted { ($0.identifier, $0.id) }
        if show.json {
            printJSON(jsonArray(regions) { $0.write(to: &$1) })
        } else {
            var table = Table(["REGION", "ID", "UUID", .right("MAJOR"), .right("MINOR"), "EVENTS"])
            for region in regions {
                let (uuid, major, minor) = region.scope.parts
                let events = [region.notifyOnEntry ? "enter" : nil, region.notifyOnExit ? "exit" : nil].compactMap {
                    $0
                }
                table.append([
                    region.identifier, region.id, "\(uuid)", major.map { "\($0)" }, minor.map { "\($0)" },
                    events.isEmpty ? nil : events.joined(separator: ", "),
                ])
            }
            for line in table.lines(width: terminalWidth()) { printLine(line) }
        }
        let hint = "There are no regions, which items do not need: add one with \"forgetmenot regions add\"."
        return status(.right, of: view, hint: regions.isEmpty && !show.json ? hint : nil)
    }
}

/// `forgetmenot regions add IDENTIFIER --uuid U [--major M [--minor N]]`.
struct RegionsAddCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a region, which every gateway then monitors.",
        discussion:
            "A region is all beacons of a UUID, all of a UUID and major, or exactly one: give --uuid, --major and --minor accordingly."
    )

    @Argument(help: "The region's name, in any script.")
    var identifier: String

    @OptionGroup var beacons: BeaconOptions

    @Option(help: "The region's id in topics. (default: made from the identifier)")
    var id: String?

    @Flag(inversion: .prefixedNo, help: "Publish an event when the region is entered.")
    var notifyOnEntry = true

    @Flag(inversion: .prefixedNo, help: "Publish an event when the region is exited.")
    var notifyOnExit = true

    @Option(help: "The message when the region is entered, like \"Welcome\".")
    var entryText: String?

    @Option(help: "The message when the region is exited, like \"Come back soon\".")
    var exitText: String?

    @Flag(help: "Print the region as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let requested = Region(
            id: try wellFormed(id) ?? "", identifier: try named(identifier), scope: try beacons.scope(),
            notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit,
            measuredPower: try beacons.measuredPower.power(),
            entryText: try noticeText(entryText, "--entry-text"), exitText: try noticeText(exitText, "--exit-text"))
        let region = try session.ask(.addRegion, NewRegion(requested)).entry
        report(region.bytes, "\(region.identifier) is monitored as \(region.id)", asJSON: json)
        return .right
    }
}

struct RegionsRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a region.",
        discussion:
            "The region's topics are cleared. No exit event is published. On a terminal, the command asks first.")

    @Argument(help: "The region's id or exact identifier.", completion: .regions)
    var region: String

    @OptionGroup var confirmation: Confirmation

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        // A region that is not in the view is the aggregator's to refuse.
        if confirmation.isNeeded {
            let regions = try session.view().regions
            if let known = regions[self.region] ?? regions.values.first(where: { $0.identifier == self.region }) {
                try confirmation.ask(
                    "Remove \(known.identifier) (\(known.id))? No gateway monitors it any more.",
                    "\(known.identifier) is not removed")
            }
        }
        let region = try session.ask(.removeRegion, NameOrID(name: self.region)).entry
        printLine("\(region.identifier) is removed")
        return .right
    }
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

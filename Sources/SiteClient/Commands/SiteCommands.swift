import ArgumentParser
import Broker
import Console
import Linux

/// The commands that talk to the aggregator.
package enum SiteCommands {
    package static var daily: [any ParsableCommand.Type] {
        [
            WhereCommand.self, WatchCommand.self, EventsCommand.self, HistoryCommand.self, AcknowledgeCommand.self,
        ]
    }

    package static var items: any ParsableCommand.Type { ItemsCommand.self }
    package static var people: any ParsableCommand.Type { PeopleCommand.self }
    package static var nearby: any ParsableCommand.Type { NearbyCommand.self }
    package static var regions: any ParsableCommand.Type { RegionsCommand.self }
    package static var listGateways: any ParsableCommand.Type { GatewaysListCommand.self }
    package static var setGateway: any ParsableCommand.Type { GatewaysSetCommand.self }
    package static var survey: any ParsableCommand.Type { SurveyCommand.self }
    package static var learning: any ParsableCommand.Type { LearningCommand.self }
}

package struct BrokerOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The file whose [mqtt] table names the broker.",
            discussion:
                "Default: the file that \(configurationVariable) names, else ~/\(ownBrokerFile) if it exists, else \(standardConfigurationPath)."
        ), completion: .file())
    package var path: String?

    package init() {}
}

extension CompletionKind {
    static let items = known { $0.items.keys.map { $0 } }
    static let people = known { $0.people.keys.map { $0 } }
    package static let gateways = known { $0.gateways.keys.map { $0 } }
    static let regions = known { $0.regions.keys.map { $0 } }
    /// Rooms whose names are one word to every shell: bash expands what else stands in them.
    package static let rooms = known { view in
        view.rooms.filter { $0.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) } }
    }

    /// Has the shell complete words that the broker retains. Where no broker responds, there is nothing to complete.
    private static func known(_ words: @escaping @Sendable (SiteView) -> [String]) -> CompletionKind {
        .custom { _, _, _ in
            guard let settings = try? loadBrokerSettings(at: nil),
                let view = try? BrokerSession(settings: settings).view()
            else { return [] }
            return words(view).sorted()
        }
    }
}

struct ShowOptions: ParsableArguments {
    @Flag(help: "Print one JSON array.")
    var json = false

    @OptionGroup var broker: BrokerOption
}

protocol ShowCommand: SiteCommand {
    var show: ShowOptions { get }
}

extension ShowCommand {
    var broker: BrokerOption { show.broker }
}

/// A command that needs the broker.
protocol SiteCommand: Command {
    var broker: BrokerOption { get }

    /// Does what the command is for; `session` connects to the broker when it is used.
    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus
}

extension SiteCommand {
    func perform() throws(Failure) -> ExitStatus {
        let file = try brokerFile(at: broker.path)
        let settings = try loadBrokerSettings(at: file)
        try FileChecks.pass(settings, from: file)
        return try perform(over: try BrokerSession(settings: settings))
    }
}

import ArgumentParser
import Beacons
import Console
import Linux
import Messages
import Text

/// `forgetmenot gateways list`.
struct GatewaysListCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List gateways and their health.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let view = try session.view(asksGateways: true)
        let gateways = view.gateways.sorted { $0.key < $1.key }
        func availability(_ id: String) -> Availability? {
            view.gateways[id]?.availability.map { $0 == .online && !view.isAlive(gateway: id) ? .offline : $0 }
        }
        if show.json {
            printJSON(
                jsonArray(gateways) { gateway, json in
                    json.object { json in
                        json.field("gateway", gateway.key)
                        json.field("availability", availability(gateway.key)?.rawValue)
                        json.field("room", gateway.value.info?.room)
                        json.field("radio", gateway.value.info?.radio.state.rawValue)
                        json.field("source", gateway.value.info?.radio.source)
                        json.field("version", gateway.value.info?.version)
                        json.field("regions", gateway.value.info?.regions)
                        json.field("at", gateway.value.info?.stamp.at)
                        json.field("problems", gateway.value.info?.problems)
                    }
                })
        } else {
            var table = Table(["GATEWAY", "ROOM", "STATE", "RADIO", "SOURCE", .right("REPORTED"), "PROBLEMS"])
            for (id, gateway) in gateways {
                table.append([
                    id, gateway.info?.room, availability(id)?.rawValue ?? "unknown", gateway.info?.radio.state.rawValue,
                    gateway.info?.radio.source, gateway.info.map { (Clock.wall - $0.stamp.at).age },
                    gateway.info?.problems.joined(separator: "; "),
                ])
            }
            for line in table.lines(width: terminalWidth()) { printLine(line) }
        }
        return status(.right, of: view)
    }
}

/// `forgetmenot gateways remove GATEWAY`.
struct GatewaysRemoveCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a gateway that is gone for good.",
        discussion: "The aggregator forgets the gateway and clears the gateway's topics on the broker.")

    @Argument(help: "The gateway's id.", completion: .gateways)
    var gateway: String

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        _ = try session.ask(.removeGateway, NameOrID(name: gateway))
        printLine("\(gateway) is removed")
        return .right
    }
}

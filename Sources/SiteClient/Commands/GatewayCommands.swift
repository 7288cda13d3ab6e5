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
        // Gateways are upgraded after the aggregator.
        let version = view.aggregator.info?.version ?? Messages.version
        func isOutdated(_ info: GatewayInfo) -> Bool {
            func numbers(_ version: String) -> [Int] { version.split(separator: ".").map { Int($0) ?? 0 } }
            return numbers(info.version).lexicographicallyPrecedes(numbers(version))
        }
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
                        guard let info = gateway.value.info else { return }
                        json.field("source", info.radio.source)
                        json.field("version", info.version)
                        json.field("regions", info.regions)
                        json.field("at", info.stamp.at)
                        json.field("problems", info.problems)
                        json.field("outdated", isOutdated(info))
                        json.field("interface", info.radio.interface)
                        json.field("clock_synchronised", info.stamp.isClockSynchronised)
                        json.field("disk_free_bytes", info.machine?.freeBytes)
                        json.field("temperature_c", info.machine?.temperature, decimals: 1)
                        json.field("undervoltage", info.machine?.isUndervolted)
                    }
                })
        } else {
            var table = Table([
                "GATEWAY", "ROOM", "STATE", "RADIO", "SOURCE", .right("REPORTED"), "PROBLEMS", "VERSION", "INTERFACE",
                "CLOCK",
                .right("DISK FREE"), .right("TEMPERATURE"), "POWER",
            ])
            for (id, gateway) in gateways {
                let (info, machine) = (gateway.info, gateway.info?.machine)
                table.append([
                    id, info?.room, availability(id)?.rawValue ?? "unknown", info?.radio.state.rawValue,
                    info?.radio.source, info.map { (Clock.wall - $0.stamp.at).age },
                    info?.problems.joined(separator: "; "),
                    info.map { $0.version + (isOutdated($0) ? " (outdated)" : "") },
                    info?.radio.interface,
                    info.map { $0.stamp.isClockSynchronised ? "synchronised" : "not synchronised" },
                    machine?.freeBytes.map { "\($0 / 1_000_000) MB" },
                    machine?.temperature.map { "\(Int($0.rounded())) °C" },
                    machine?.isUndervolted.map { $0 ? "too weak" : "good" },
                ])
            }
            for line in table.lines(width: terminalWidth()) { printLine(line) }
        }
        return status(.right, of: view)
    }
}

/// Has the aggregator forget a gateway that is gone for good.
package func forgetGateway(_ id: String, over session: BrokerSession) throws(Failure) {
    _ = try session.ask(.removeGateway, NameOrID(name: id))
}

import ArgumentParser
import Beacons
import Linux
import Messages
import Settings
import Text

struct GatewaysListCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List gateways and their health.")

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let view = try session.view(asksGateways: true)
        let (gateways, now) = (view.gateways.sorted { $0.key < $1.key }, Clock.moment)
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
                        json.field("room", view.room(of: gateway.key))
                        json.field("radio", gateway.value.info?.radio.state.rawValue)
                        guard let info = gateway.value.info else { return }
                        json.field("source", info.radio.source)
                        json.field("version", info.version)
                        json.field("regions", info.regions)
                        json.field("at", info.stamp.at)
                        json.field("problems", gateway.value.problems(at: now))
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
                "GATEWAY", "ROOM", "STATE", "SOURCE", .right("REPORTED"), "PROBLEMS", "VERSION", "INTERFACE",
                "CLOCK",
                .right("DISK FREE"), .right("TEMPERATURE"), "POWER",
            ])
            for (id, gateway) in gateways {
                let (info, machine) = (gateway.info, gateway.info?.machine)
                table.append([
                    id, view.room(of: id), state(availability(id), info?.radio), info?.radio.source,
                    gateway.age(at: now)?.age, info.map { _ in gateway.problems(at: now).joined(separator: "; ") },
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
        let hint =
            "There are no gateways yet: run \"sudo forgetmenot-gateway setup\" on a machine with a Bluetooth adapter."
        return status(.right, of: view, hint: gateways.isEmpty && !show.json ? hint : nil)
    }
}

struct GatewaysSetCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the room, the receiver offset or the log level of a gateway.",
        discussion: """
            The gateway has to run. It stores the settings in its state folder, and uses them at once, until somebody changes the same setting in \
            gateway.toml. An empty value, as in room=, restores that of gateway.toml. Room and offset of a [[gateway]] in aggregator.toml, and an \
            offset that was set on the page, take precedence.
            """)

    @Argument(help: "The gateway's id.", completion: .gateways)
    var gateway: String

    @Argument(help: "Settings like room=Pantry, offset=-3 (in dB) or log=debug.")
    var settings: [String]

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let change = try GatewayChange(words: settings)
        guard isValidID(gateway) else { throw Failure(.usage, "\(tomlText(gateway)) is not the id of a gateway") }
        let known = try session.view().gateways.keys.sorted()
        guard known.contains(gateway) else {
            let hint = didYouMean(gateway, among: known) ?? "\"forgetmenot gateways list\" shows all gateways"
            throw Failure(.noInput, "there is no gateway \"\(gateway)\": \(hint)")
        }
        let transaction = JSONValue.string("cli-\(UInt64.random(in: 0 ... .max))")
        var outcome: Response<Nothing>.Outcome?
        try session.follow([.askerOfGateways(.settings)]) { event in
            switch event {
            case .caughtUp:
                let bytes = Request.bytes(of: change, transaction: transaction)
                // A gateway that is offline does not change later.
                let seconds = UInt32(Nearby.patience.seconds)
                return .ask(
                    [Message(.request(.settings, to: gateway), bytes: bytes, expirySeconds: seconds)],
                    within: Nearby.patience)
            case .message(.gatewayResponse(gateway, _), let payload, _):
                guard let response = try? Response<Nothing>(parsing: payload), response.transaction == transaction
                else { return .goOn }
                outcome = response.outcome
                return .stop
            case .message, .failing: return .goOn
            }
        }
        switch outcome {
        case .done:
            printLine("\(gateway) has its new settings.")
            if change.values.room != nil {
                printError("A room that [[gateway]] of aggregator.toml names takes precedence.")
            }
        case .failed(let sentence): throw failure(ofRefusal: sentence)
        case nil:
            throw Failure(.unavailable, "\(gateway) does not respond: `forgetmenot gateways` shows which gateways run")
        }
        return .right
    }
}

/// What a gateway does, in the words of the page.
func state(_ availability: Availability?, _ radio: GatewayInfo.Radio?) -> String {
    guard availability == .online, let radio else { return availability == .offline ? "offline" : "unknown" }
    guard radio.state != .poweredOn else { return "working" }
    return "does not scan: \(radio.reason ?? radio.state.rawValue.split(separator: "_").joined(separator: " "))"
}

extension GatewayChange {
    /// Reads settings like `room=Pantry`.
    init(words: [String]) throws(Failure) {
        self.init()
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let names = ["room": Key.room, "offset": .rssiOffset, "log": .logLevel]
            guard parts.count == 2, let key = names[parts[0]] else {
                throw Failure(.usage, "\(tomlText(word)) is no setting: write room=NAME, offset=DB or log=LEVEL")
            }
            let value = parts[1]
            guard !value.isEmpty else {
                restored.insert(key)
                continue
            }
            switch key {
            case .room: values.room = value
            case .rssiOffset:
                guard let offset = Double(value), (-50...50).contains(offset) else {
                    throw Failure(.usage, "\(tomlText(value)) is no receiver offset: write -50 to 50, in dB")
                }
                values.rssiOffset = offset
            case .logLevel:
                guard Values.levels.contains(value) else {
                    throw Failure(
                        .usage, "\(tomlText(value)) is no log level: write \(Values.levels.joined(separator: ", "))")
                }
                values.logLevel = value
            }
        }
        guard !restored.isEmpty || values != Values() else {
            throw Failure(.usage, "nothing is to be changed: write room=NAME, offset=DB or log=LEVEL")
        }
    }
}

/// Has the aggregator forget a gateway that is gone for good.
package func forgetGateway(_ id: String, over session: BrokerSession) throws(Failure) {
    _ = try session.ask(.removeGateway, NameOrID(name: id))
}

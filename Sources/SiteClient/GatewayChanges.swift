import Beacons
import Linux
import Messages
import Settings
import Text

/// Changes settings of a running gateway: `forgetmenot gateways set`.
///
/// - Parameter words: settings like `room=Pantry`. An empty value restores that of gateway.toml.
package func setGateway(_ id: String, _ words: [String], over session: BrokerSession) throws(Failure) -> ExitStatus {
    let change = try GatewayChange(words: words)
    guard isValidID(id) else { throw Failure(.usage, "\(tomlText(id)) is not the id of a gateway") }
    let transaction = JSONValue.string("cli-\(UInt64.random(in: 0 ... .max))")
    var outcome: Response<Nothing>.Outcome?
    try session.follow([.askerOfGateways(.settings)]) { event in
        switch event {
        case .caughtUp:
            let bytes = Request.bytes(of: change, transaction: transaction)
            // A gateway that is offline does not change later.
            let seconds = UInt32(Nearby.patience.seconds)
            return .ask(
                [Message(.request(.settings, to: id), bytes: bytes, expirySeconds: seconds)], within: Nearby.patience)
        case .message(.gatewayResponse(id, _), let payload, _):
            guard let response = try? Response<Nothing>(parsing: payload), response.transaction == transaction else {
                return .goOn
            }
            outcome = response.outcome
            return .stop
        case .message, .failing: return .goOn
        }
    }
    switch outcome {
    case .done: printLine("\(id) has its new settings.")
    case .failed(let sentence): throw failure(ofRefusal: sentence)
    case nil: throw Failure(.unavailable, "\(id) does not respond: `forgetmenot gateways` shows which gateways run")
    }
    return .right
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

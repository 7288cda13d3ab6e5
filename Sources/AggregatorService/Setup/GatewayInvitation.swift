import Beacons
import BrokerSetup
import Glibc
import Joining
import Linux
import Settings
import SiteClient

/// Lets a gateway in, prints its line, and waits until the gateway has its configuration: `forgetmenot gateways invite`.
///
/// - Parameters:
///   - gateway: the new gateway's room, or its id.
///   - isAnother: whether the gateway is one more of a room that has one.
///   - validity: how long the code is valid.
///   - aggregatorFile: the file whose [mqtt] table names the broker, from which rooms are read that `gateways set` has changed.
///   - name: the name or address under which the gateway reaches this machine; `nil`: found out.
package func inviteGateway(
    _ gateway: String, isAnother: Bool, validity: Interval, folder: String, aggregatorFile: String, host name: String?,
    port: Int
) throws(Failure) -> ExitStatus {
    guard isOwnBroker(folder) else {
        throw Failure(
            .noInput,
            "\(folder) has no broker that this user may change: run `sudo forgetmenot setup`, then this with sudo")
    }
    // First what can prevent the invitation: a gateway that was not invited is not let in.
    let former = try siteBroker(of: folder)
    let host = if let name { name } else { try host(of: former) }
    let invitation = try orFail(.unavailable, ": choose another --port") {
        try Invitation(on: former.bind, port: port)
    }
    let known = knownGateways(at: folder, broker: aggregatorFile)
    var brokerWords = BrokerSetupWords(folder: folder, aggregatorFile: nil)
    (brokerWords.gateways, brokerWords.areMore, brokerWords.host) = ([gateway], isAnother, name)
    brokerWords.rooms = known?.compactMapValues(\.self) ?? [:]
    var broker = try writeBroker(brokerWords)
    let id = broker.newGateways.first ?? gateway
    let title = printable(broker.title(ofGateway: id))
    // A gateway that nobody knows was invited before, and has not come.
    if broker.newGateways.isEmpty, known.map({ $0.keys.contains(broker.site.gatewayID(named: gateway) ?? id) }) ?? true
    {
        printError(
            "forgetmenot: \(title) is let in already, and the machine that joins takes the place of one that has joined: "
                + "add --another for one more gateway in this room")
    }
    let text = try broker.invitation(for: id, host: host)
    try load(&broker, so: "it knows the gateway")
    let portOption = invitation.port == Invitation.standardPort ? "" : " --port \(invitation.port)"
    for line in [
        "The new gateway's machine needs the package forgetmenot-gateway. If it is not there yet, install it from the same",
        "repository as here, or copy the file there and run `sudo apt install ./forgetmenot-gateway_*.deb`.", "",
        "On the new gateway, run this within \(validity.duration):", "",
        "  sudo forgetmenot-gateway join \(host) \(invitation.code.text)\(portOption)", "",
        "The code works once. Ctrl-C withdraws it.",
    ] { printLine(line) }
    // With --another again, the broker would let in one more.
    let again = isAnother ? "run this again with \(id) in place of the room and --another" : "run this again"
    return try serve(text, by: invitation, to: title, for: validity, again: again)
}

/// The broker's host, as the gateway has to know it.
private func host(of broker: SiteBroker) throws(Failure) -> String {
    if broker.host != "localhost" { return broker.host }
    guard broker.proof == .passwords else {
        throw Failure(
            .usage, "the broker's certificate is for localhost: give --host with the name or address of this machine")
    }
    guard let host = broker.bind ?? reachableHost() else {
        throw Failure(.unavailable, "this machine has no network: give --host with its name or address")
    }
    return host
}

/// Whether `folder` has a broker that this user may change.
func isOwnBroker(_ folder: String) -> Bool { access("\(folder)/setup.toml", R_OK) == 0 }

/// Has mosquitto read the files if they have changed; where systemd does not run it, prints to restart mosquitto.
///
/// A restart ends all connections, and publishes the wills. With SIGHUP, mosquitto would publish no will of a client that it shuts out.
/// - Returns: whether mosquitto was restarted.
@discardableResult
func load(_ broker: inout WrittenBroker, so purpose: String) throws(Failure) -> Bool {
    guard try !broker.isLoaded() else { return false }
    guard isSystemdRunning, broker.isLinked else {
        printLine("Restart mosquitto, so that \(purpose).")
        return false
    }
    let texts = try broker.brokerTexts()
    try systemctl("restart", "mosquitto")
    try broker.noteLoaded(texts)
    return true
}

/// The site's gateways by id, with the rooms that they serve now; `nil` if `path` does not name the broker of this folder, or it cannot be reached.
func knownGateways(at folder: String, broker path: String) -> [String: String?]? {
    guard let settings = try? loadBrokerSettings(at: path), (try? isBroker(of: folder, reachedBy: settings)) == true
    else { return nil }
    let site = try? BrokerSession(settings: settings).view()
    // The session has blocked them: Ctrl-C is to withdraw an invitation.
    Signals.unblock([SIGINT, SIGTERM])
    // What a gateway publishes must not make setup.toml invalid.
    return site?.gateways.mapValues { $0.info?.room.flatMap { $0.isForPeople() ? $0 : nil } }
}

private func serve(
    _ text: String, by invitation: borrowing Invitation, to gateway: String, for validity: Interval, again: String
) throws(Failure) -> ExitStatus {
    let deadline = Clock.now + validity
    var hasRefused = false
    while true {
        switch invitation.serve(text, until: deadline) {
        case .received:
            printLine("\(gateway) has its configuration. `forgetmenot gateways` shows when it runs.")
            return .right
        case .refused:
            if !hasRefused { printLine("A machine without this code was refused.") }
            hasRefused = true
        case .expired:
            throw Failure(
                .no, "no gateway has come within \(validity.duration), and the code is no longer valid: \(again)")
        }
    }
}

import Beacons
import BrokerSetup
import Glibc
import Joining
import Linux
import Settings
import SiteClient

/// The options of `gateways invite`.
package struct GatewayInvitationWords {
    /// The new gateway's room, or its id.
    package var gateway: String
    /// The folder with the files of the broker.
    package var folder = brokerFolder
    /// The aggregator's configuration.
    package var aggregatorFile = standardConfigurationPath
    /// The name or address under which the gateway reaches this machine; `nil`: found out.
    package var host: String?
    /// The port on which the gateway is awaited.
    package var port = Invitation.standardPort

    /// The options with only the gateway.
    package init(gateway: String) { self.gateway = gateway }
}

/// Lets a gateway in, prints its line, and waits until the gateway has its configuration: `forgetmenot gateways invite`.
package func inviteGateway(_ words: GatewayInvitationWords) throws(Failure) -> ExitStatus {
    guard access("\(words.folder)/setup.toml", R_OK) == 0 else {
        throw Failure(
            .noInput,
            "\(words.folder) has no broker that this user may change: run `sudo forgetmenot setup`, then this with sudo"
        )
    }
    var brokerWords = BrokerSetupWords(folder: words.folder, aggregatorFile: words.aggregatorFile)
    (brokerWords.gateways, brokerWords.host) = ([words.gateway], words.host)
    var broker = try writeBroker(brokerWords)
    let text = try broker.invitation(for: words.gateway)
    let host = if let host = words.host { host } else { try host(of: broker.site) }
    try load(&broker)
    let invitation = try orFail(.unavailable, ": choose another --port") {
        try Invitation(text, on: broker.site.bind, port: words.port)
    }
    let port = invitation.port == Invitation.standardPort ? "" : " --port \(invitation.port)"
    for line in [
        "On the new gateway, run this within ten minutes:", "",
        "  sudo forgetmenot-gateway join \(host) \(invitation.code.text)\(port)", "",
        "The code works once. Ctrl-C withdraws it.",
    ] { printLine(line) }
    return try serve(invitation, to: words.gateway)
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

/// Has mosquitto read the files if they have changed.
private func load(_ broker: inout WrittenBroker) throws(Failure) {
    guard try !broker.isLoaded() else { return }
    guard isSystemdRunning, broker.isLinked else {
        printLine("Restart mosquitto, so that it knows the gateway.")
        return
    }
    try systemctl("restart", "mosquitto")
    try broker.noteLoaded()
}

private func serve(_ invitation: borrowing Invitation, to gateway: String) throws(Failure) -> ExitStatus {
    let deadline = Clock.now + Invitation.validity
    var hasRefused = false
    while true {
        switch invitation.serve(until: deadline) {
        case .received:
            printLine("\(printable(gateway)) has its configuration. `forgetmenot gateways` shows when it runs.")
            return .right
        case .refused:
            if !hasRefused { printLine("A machine without this code was refused.") }
            hasRefused = true
        case .expired:
            throw Failure(
                .no, "no gateway has come within ten minutes, and the code is no longer valid: run this again")
        }
    }
}

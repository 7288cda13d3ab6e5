import Beacons
import BrokerSetup
import Linux
import Settings
import SiteClient

/// Removes a gateway that is gone for good, and revokes its password: `forgetmenot gateways remove`.
///
/// - Parameters:
///   - folder: the folder of `broker-setup`. Where it is that of another broker, or this user may not change it, the line for the broker's
///     machine is printed.
///   - path: the file whose [mqtt] table names the broker; `nil`: the usual one.
package func removeGateway(
    _ id: String, folder: String, broker path: String?, _ confirmation: Confirmation
) throws(Failure) -> ExitStatus {
    let settings = try loadBrokerSettings(at: path)
    let session = try BrokerSession(settings: settings)
    let isOwn = isOwnBroker(folder) ? try isBroker(of: folder, reachedBy: settings) : false
    // A gateway that nobody knows is the aggregator's to refuse. If the broker does not respond, its password can be revoked still.
    if confirmation.isNeeded, isOwn ? true : try session.view().gateways[id] != nil {
        let effect = isOwn ? "Its password is revoked, and mosquitto restarted." : "Its topics are cleared."
        try confirmation.ask("Remove the gateway \(id)? \(effect)", "\(id) is not removed")
    }
    if isOwn {
        try remove(id, at: try shutOut(id, folder), over: session)
    } else {
        try remove(id, from: session, hasPasswords: settings.login != nil)
    }
    return .right
}

/// Removes the gateway on the broker's machine.
private func remove(_ id: String, at broker: WrittenBroker, over session: BrokerSession) throws(Failure) {
    var broker = broker
    let isRevoked = broker.removedGateways.contains(id)
    // First: a gateway that is alive would come back at once.
    let isRestarted = isRevoked ? try restart(&broker, without: id) : false
    do throws(Failure) {
        try forget(id, isRevoked: isRevoked, isRestarted: isRestarted, over: session)
    } catch {
        // A former run may have ended before it restarted mosquitto.
        guard error.status == .no, !isRestarted, broker.isLinked, !broker.letsIn(id), try restart(&broker, without: id)
        else { throw error }
        try forget(id, isRevoked: true, isRestarted: true, over: session)
    }
    printLine("\(printable(id)) is removed")
}

/// Removes the gateway from another machine, and names the line for the broker's.
private func remove(_ id: String, from session: BrokerSession, hasPasswords: Bool) throws(Failure) {
    let line = "`sudo forgetmenot gateways remove \(printable(id))` on the broker's machine"
    do throws(Failure) {
        try forgetGateway(id, over: session)
    } catch {
        guard error.status == .no, hasPasswords else { throw error }
        throw Failure(error.status, "\(error), or run \(line), which shuts it out")
    }
    printLine("\(printable(id)) is removed")
    guard hasPasswords else { return }
    printLine("If the broker has a password for it, run \(line): until then the password goes on working.")
}

/// The broker without the gateway's password.
private func shutOut(_ id: String, _ folder: String) throws(Failure) -> WrittenBroker {
    var words = BrokerSetupWords(folder: folder, aggregatorFile: nil)
    words.removedGateway = id
    let broker = try writeBroker(words)
    if broker.letsIn(id) {
        printLine(
            "Its certificate goes on working: `sudo forgetmenot broker-setup --remove \(id)` explains how to revoke it."
        )
    }
    return broker
}

/// Returns whether mosquitto was restarted.
private func restart(_ broker: inout WrittenBroker, without id: String) throws(Failure) -> Bool {
    let isRestarted = try load(&broker, so: "it no longer lets in \(printable(id))")
    if isRestarted { printLine("The broker no longer lets in \(printable(id)).") }
    return isRestarted
}

/// Has the aggregator forget the gateway.
private func forget(
    _ id: String, isRevoked: Bool, isRestarted: Bool, over session: BrokerSession
) throws(Failure) {
    // After the restart of the broker, the aggregator has to connect again, and to learn that the gateway is offline.
    let deadline = Clock.now + .seconds(isRestarted ? 30 : 0)
    while true {
        do throws(Failure) {
            return try forgetGateway(id, over: session)
        } catch {
            // Only the broker knew it.
            if isRevoked, error.status == .noInput { return }
            guard [.no, .unavailable].contains(error.status), Clock.now < deadline else { throw error }
            _ = wait(for: [], until: Clock.now + .milliseconds(200))
        }
    }
}

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
package func removeGateway(_ id: String, folder: String, broker path: String?) throws(Failure) -> ExitStatus {
    let settings = try loadBrokerSettings(at: path)
    let session = try BrokerSession(settings: settings)
    let line = "`sudo forgetmenot gateways remove \(printable(id))`"
    let isOwn = isOwnBroker(folder) ? try isBroker(of: folder, reachedBy: settings) : false
    var broker = isOwn ? try shutOut(id, folder) : nil
    let isRevoked = broker?.removedGateways.contains(id) ?? false
    // First: a gateway that is alive would come back at once.
    let isRestarted = isRevoked ? try restart(&broker!, without: id) : false
    do throws(Failure) {
        try forget(id, isRevoked: isRevoked, isRestarted: isRestarted, over: session)
    } catch {
        guard error.status == .no, !isRestarted else { throw error }
        guard broker != nil else {
            guard settings.login != nil else { throw error }
            throw Failure(error.status, "\(error), or run \(line) on the broker's machine, which shuts it out")
        }
        // A former run may have ended before it restarted mosquitto.
        guard broker!.isLinked, !broker!.letsIn(id), try restart(&broker!, without: id) else { throw error }
        try forget(id, isRevoked: true, isRestarted: true, over: session)
    }
    printLine("\(printable(id)) is removed")
    if broker == nil, settings.login != nil {
        printLine(
            "If the broker has a password for it, run \(line) on the broker's machine: until then the password goes on working."
        )
    }
    return .right
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

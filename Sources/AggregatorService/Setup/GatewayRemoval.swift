import Beacons
import BrokerSetup
import Linux
import SiteClient

/// Removes a gateway that is gone for good, and revokes its password: `forgetmenot gateways remove`.
///
/// - Parameters:
///   - folder: the folder of `broker-setup`. Where this user may not change it, the line for the broker's machine is printed.
///   - path: the file whose [mqtt] table names the broker; `nil`: the usual one.
package func removeGateway(_ id: String, folder: String, broker path: String?) throws(Failure) -> ExitStatus {
    let settings = try loadBrokerSettings(at: path)
    let isOwn = isOwnBroker(folder)
    // First: a gateway that is alive would come back at once.
    let lock = isOwn ? try shutOut(id, folder: folder) : Lock()
    try forget(id, lock, over: try BrokerSession(settings: settings))
    printLine("\(printable(id)) is removed.")
    if !isOwn, settings.login != nil {
        printLine(
            "If the broker has a password for it, run `sudo forgetmenot gateways remove \(printable(id))` on the broker's machine: "
                + "until then the password goes on working.")
    }
    return .right
}

/// What the broker makes of a gateway that is removed.
private struct Lock {
    /// Whether this run has revoked the gateway's password.
    var isRevoked = false
    /// Whether mosquitto knows that.
    var isLoaded = false
}

/// Revokes the gateway's password.
private func shutOut(_ id: String, folder: String) throws(Failure) -> Lock {
    var words = BrokerSetupWords(folder: folder, aggregatorFile: nil)
    words.removedGateway = id
    var broker = try writeBroker(words)
    guard !broker.letsIn(id) else {
        printLine(
            "Its certificate goes on working: `sudo forgetmenot broker-setup --remove \(id)` explains how to revoke it."
        )
        return Lock()
    }
    let isRevoked = broker.removedGateways.contains(id)
    // A former run may have ended before it restarted mosquitto.
    guard isRevoked || broker.isLinked else { return Lock() }
    let isLoaded = try load(&broker, so: "it no longer lets in \(id)")
    if isRevoked, isLoaded { printLine("The broker no longer lets in \(id).") }
    return Lock(isRevoked: isRevoked, isLoaded: isLoaded)
}

/// Has the aggregator forget the gateway.
private func forget(_ id: String, _ lock: Lock, over session: BrokerSession) throws(Failure) {
    // After the restart of the broker, the aggregator has to connect again, and to learn that the gateway is offline.
    let deadline = Clock.now + .seconds(lock.isLoaded ? 30 : 0)
    while true {
        do throws(Failure) {
            return try forgetGateway(id, over: session)
        } catch {
            // Only the broker knew it.
            if lock.isRevoked, error.status == .noInput { return }
            guard [.no, .unavailable].contains(error.status), Clock.now < deadline else { throw error }
            _ = wait(for: [], until: Clock.now + .milliseconds(200))
        }
    }
}

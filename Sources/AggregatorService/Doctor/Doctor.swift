import Broker
import Doctor
import Linux
import Mosquitto
import Settings

/// Looks at everything that a site needs, and says what is right and what is wrong: `forgetmenot doctor`.
///
/// It changes nothing, and comes to the broker with a client id of its own, so that it throws nobody out.
public func examineSite(at path: String, asJSON: Bool) throws(Failure) -> ExitStatus {
    let configuration = try loadConfiguration(at: path)
    let broker = configuration.broker
    let looked = BrokerExamination(
        BrokerOptions(broker), reading: "\(broker.topicPrefix.text)/#", beside: nil
    ).findings()
    var findings = [Finding("configuration", .right, path)] + looked
    if looked.allSatisfy({ $0.verdict == .right }) {
        let view = try BrokerSession(settings: broker).view(asksGateways: true)
        findings += SiteExamination(view: view, version: version).findings()
    } else {
        findings += SiteExamination.things.map { Finding($0, .open, "not seen, as the broker does not let us look") }
    }
    findings += [.clock(), .stateFolder(configuration.stateDirectory)]
    return tell(findings, asJSON: asJSON)
}

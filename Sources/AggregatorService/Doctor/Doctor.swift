import Delivery
import SiteClient
import Broker
import Doctor
import Linux
import Mosquitto
import Settings

/// Checks everything that a site needs, and prints what failed and what to do: `forgetmenot doctor`.
///
/// It changes nothing. It has its own client id, so that it disconnects no other client.
public func examineSite(at path: String, asJSON: Bool) throws(Failure) -> ExitStatus {
    let configuration = try loadConfiguration(at: path)
    let broker = configuration.broker
    let looked = BrokerExamination(
        BrokerOptions(broker), reading: "\(broker.topicPrefix.text)/#", beside: nil
    ).findings()
    var findings = [Finding("configuration", .right, path)] + looked
    if looked.allSatisfy({ $0.verdict == .right }) {
        findings += try SiteExamination.findings(over: try BrokerSession(settings: broker))
    } else {
        findings += SiteExamination.subjects.map { Finding($0, .open, "not checked, because the broker check failed") }
    }
    findings += [.clock(), .stateFolder(configuration.stateDirectory)]
    return report(findings, asJSON: asJSON)
}

import Broker
import Delivery
import Doctor
import Glibc
import Linux
import Mosquitto
import Settings
import SiteClient

/// Checks everything that a site needs, and prints what failed and what to do: `forgetmenot doctor`.
///
/// The examination changes nothing. It has its own client id, so that it disconnects no other client. On a machine without an aggregator it
/// uses the user's own file as the other commands do, and checks no state folder. If there is no file at all, that is a failed check.
///
/// - Parameter path: the aggregator's configuration file; `nil`: the installed one, else the user's own file.
package func examineSite(at path: String?, asJSON: Bool) throws(Failure) -> ExitStatus {
    var file = path ?? standardConfigurationPath
    let broker: BrokerSettings
    let stateFolder: Finding
    var drawn: [Finding] = []
    if path != nil || access(file, R_OK) == 0 {
        let configuration = try loadConfiguration(at: file) { drawn = [Finding("drawn plan", .skipped, $0)] }.aggregator
        (broker, stateFolder) = (configuration.broker, .stateFolder(configuration.stateDirectory))
    } else {
        do throws(Failure) { file = try brokerFile(at: nil) } catch {
            let reason = "not checked, because no file names the broker"
            let unknown = (["broker", "credentials"] + SiteExamination.subjects).map { Finding($0, .skipped, reason) }
            return report([Finding("configuration", .failed, "\(error)")] + unknown + [.clock()], asJSON: asJSON)
        }
        broker = try loadBrokerSettings(at: file)
        stateFolder = Finding(
            "state folder", .skipped, "not checked, because \(standardConfigurationPath) cannot be read on this machine"
        )
    }
    let looked = BrokerExamination(
        BrokerOptions(broker), reading: "\(broker.topicPrefix.text)/#", beside: nil
    ).findings()
    var findings = [Finding("configuration", .passed, file)] + drawn + looked
    if looked.allSatisfy({ $0.verdict == .passed }) {
        findings += try SiteExamination.findings(over: try BrokerSession(settings: broker))
    } else {
        findings += SiteExamination.subjects.map {
            Finding($0, .skipped, "not checked, because the broker check failed")
        }
    }
    findings += [.clock(), stateFolder]
    return report(findings, asJSON: asJSON)
}

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
/// - Parameter path: the configuration file; `nil`: the one that the environment names, else the installed one, else the user's own file.
package func examineSite(at path: String?, asJSON: Bool) throws(Failure) -> ExitStatus {
    let named = namedConfiguration(path)
    var file = named ?? standardConfigurationPath
    let broker: BrokerSettings
    let stateFolder: Finding
    /// What is found only at some sites.
    var others: [Finding] = []
    var read = ""
    if let named, named != standardConfigurationPath,
        let own = try? readBrokerSettings(at: named, otherTables: .refused)
    {
        // The file of a user. The defaults of the aggregator's keys would name a state folder that need not be here.
        broker = own
        stateFolder = Finding("state folder", .skipped, "not checked, because \(named) has only [mqtt]")
        read = ": only [mqtt] was read, which is all that it has"
    } else if named != nil || access(file, R_OK) == 0 {
        let configuration = try loadConfiguration(at: file) { others = [Finding("drawn plan", .skipped, $0)] }
        // A page for readers alone may be meant.
        if let gap = configuration.page.lacksAdmin { others.append(Finding("page", .skipped, gap)) }
        (broker, stateFolder) = (
            configuration.aggregator.broker, .stateFolder(configuration.aggregator.stateDirectory)
        )
    } else {
        do throws(Failure) { file = try brokerFile(at: nil) } catch {
            let reason = "not checked, because no file names the broker"
            let unknown = (["broker", "credentials"] + SiteExamination.subjects).map { Finding($0, .skipped, reason) }
            return report([Finding("configuration", .failed, "\(error)")] + unknown + [.clock()], asJSON: asJSON)
        }
        broker = try loadBrokerSettings(at: file)
        read = ": only [mqtt] was read"
        stateFolder = Finding(
            "state folder", .skipped, "not checked, because \(standardConfigurationPath) cannot be read on this machine"
        )
    }
    let looked = BrokerExamination(
        BrokerOptions(broker), reading: "\(broker.topicPrefix.text)/#", beside: nil
    ).findings()
    var findings = [Finding("configuration", .passed, file + read)] + others + looked
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

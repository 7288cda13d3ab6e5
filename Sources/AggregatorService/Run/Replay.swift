import SiteCore
import Broker
import Glibc
import Linux
import Locating

/// Runs the aggregator's location filter over a recording, in virtual time: `forgetmenot replay`. Prints nothing on standard output.
package func replay(
    sightings: String, site path: String, lived: [String], surveys: [(events: String, truth: String)], output: String
) throws(Failure) -> ExitStatus {
    let inputs = [sightings, path] + lived + surveys.flatMap { [$0.events, $0.truth] }
    for input in inputs where isRegularFile(output) && isSameFile(input, output) {
        throw Failure(.usage, "--output is \(input), which is also an input: choose another file")
    }
    let site = try usable(try readSiteConfiguration(at: path)).site()
    let recording = try read(sightings) { (text) throws(MalformedRow) in try Recording(csv: text) }
    var histories: [RSSIHistory] = []
    for path in lived {
        let earlier = try read(path) { (text) throws(MalformedRow) in try Recording(csv: text) }
        histories += earlier.histories(site: site)
    }
    var labelled: [Survey] = []
    for survey in surveys {
        let events = try read(survey.events) { (text) throws(MalformedRow) in try Recording(csv: text) }
        let truth = try read(survey.truth) { (text) throws(MalformedRow) in try Truth(csv: text) }
        labelled += events.surveys(site: site, truth: truth)
    }
    let learned = Learned.learn(site: site, from: histories, surveys: labelled)
    var lines = Replay.heading + "\n"
    Replay(model: LocatorModel(site: site, learned: learned)).run(recording) { lines += $0.csv + "\n" }
    do throws(SystemError) {
        try writeOutput(to: output, Array(lines.utf8))
    } catch  where error.code == EPIPE {
        // The reader of a pipe may stop at any time.
    } catch {
        throw Failure(.disk, "\(error)")
    }
    return .right
}

/// The parsed text of a file.
private func read<Value>(_ path: String, _ parse: (String) throws(MalformedRow) -> Value) throws(Failure) -> Value {
    let bytes = try orFail(.noInput) { try readInput(at: path, limit: 1 << 30) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(.noInput, "\(path) is not valid UTF-8: write it in UTF-8")
    }
    do throws(MalformedRow) {
        return try parse(text)
    } catch {
        throw Failure(.noInput, "\(path), \(error)")
    }
}

import AggregatorService
import ArgumentParser
import Console
import Linux

struct ReplayCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Locate the items of a recording, in virtual time.",
        discussion: "Runs the aggregator's location filter over the recorded sightings and writes the result as CSV.")

    @Option(help: "The recorded sightings, as CSV: t_ms,gateway,beacon,rssi.", completion: .file())
    var sightings: String

    @Option(help: "The configuration file with the site's rooms, doors, gateways and items.", completion: .file())
    var site: String

    @Option(help: "An earlier recording of the site to learn from; may be repeated.", completion: .file())
    var lived: [String] = []

    @Option(parsing: .upToNextOption, help: "A survey: its recording and the true locations; may be repeated.")
    var survey: [String] = []

    @Option(
        help: "The CSV file to write: t_ms,beacon,presence,room,confidence; - for standard output.", completion: .file()
    )
    var output: String

    func validate() throws {
        guard survey.count.isMultiple(of: 2) else {
            throw ValidationError("--survey takes two files: EVENTS.csv TRUTH.csv.")
        }
    }

    func perform() throws(Failure) -> ExitStatus {
        let surveys = stride(from: 0, to: survey.count, by: 2).map { (events: survey[$0], truth: survey[$0 + 1]) }
        return try replay(
            sightings: sightings, site: site, lived: lived, surveys: surveys,
            output: output == "-" ? "/dev/stdout" : output)
    }
}

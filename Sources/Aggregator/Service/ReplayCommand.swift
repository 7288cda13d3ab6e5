import AggregatorService
import ArgumentParser
import Console
import Linux

/// `forgetmenot replay`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Say where everything was in a recording, by the real locator, in virtual time.")

    @Option(help: "The recording: t_ms,gateway,beacon,rssi.")
    var sightings: String

    @Option(help: "The file with the site's rooms, doors, gateways and items.")
    var site: String

    @Option(help: "An earlier recording of the site, which may be learned from; may be repeated.")
    var lived: [String] = []

    @Option(parsing: .upToNextOption, help: "A survey: its recording, and where the items truly were; may be repeated.")
    var survey: [String] = []

    @Option(help: "Where the answer is written: t_ms,beacon,presence,room,confidence.")
    var output: String

    func validate() throws {
        guard survey.count.isMultiple(of: 2) else {
            throw ValidationError("--survey takes two files: EVENTS.csv TRUTH.csv.")
        }
    }

    func run() throws {
        try endingWithStatus { () throws(Failure) in
            let surveys = stride(from: 0, to: survey.count, by: 2).map { (events: survey[$0], truth: survey[$0 + 1]) }
            return try replay(
                sightings: sightings, site: site, lived: lived, surveys: surveys, output: output)
        }
    }
}

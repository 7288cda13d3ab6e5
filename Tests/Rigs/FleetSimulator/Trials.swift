import Fleet
import Glibc

/// Runs fleets in virtual time by the thousand, and prints what came of them.
@main
enum FleetSimulator {
    private static let usage = """
        usage: FleetSimulator [fleet|monitoring] [--seeds 1...300 | --seed N] [--plant BUG] [--story]
        Without a word both; --story prints what befell one fleet and what it said. BUG is one of:
        """

    static func main() {
        // Hash tables in another order are another run: a seed repeats only without that.
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil { runAgainDeterministically() }
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            print(usage)
            for bug in PlantedBug.allCases { print("  \(bug.rawValue): breaks \"\(bug.breaks.rawValue)\"") }
            exit(64)
        }
        var isRight = true
        if options.runsFleets {
            let summary = Summary("whole fleets", command: "fleet", options) {
                FleetRun.run(seed: $0, bug: options.bug, printingStory: options.printsStory)
            }
            isRight = summary.isRight
        }
        if options.runsMonitoring {
            let summary = Summary("monitoring alone", command: "monitoring", options) {
                MonitoringRun.run(seed: $0, bug: options.bug)
            }
            isRight = isRight && summary.isRight
        }
        exit(isRight ? 0 : 1)
    }

    private static func runAgainDeterministically() {
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
    }
}

import Beacons
import Fleet
import Glibc
import Linux

/// What many runs came to, printed as one table; each failing seed with the command that repeats it.
struct Summary {
    private(set) var isRight = true
    private var steps = 0
    private var adverts = 0
    private var transitions = 0
    private var beaconHours = 0.0
    private var falseExits = 0
    private var learnedHours = 0.0
    private var faults: [String: Int] = [:]
    private var violations: [Invariant: Int] = [:]
    private var failing: [UInt64] = []

    init(_ title: String, command: String, _ options: Options, run: (UInt64) -> FleetRun.Outcome) {
        let start = Clock.processorTime
        for seed in options.seeds {
            let outcome = run(seed)
            take(outcome)
            for line in outcome.story where options.printsStory { print(line) }
            printStory(outcome, command, options)
        }
        report(title, options, spent: Clock.processorTime - start)
    }

    private mutating func take(_ outcome: FleetRun.Outcome) {
        steps += outcome.steps
        adverts += outcome.adverts
        transitions += outcome.transitions
        beaconHours += outcome.beaconHours
        falseExits += outcome.falseExits
        learnedHours += outcome.learnedHours
        for (kind, count) in outcome.faults { faults[kind, default: 0] += count }
        for violation in outcome.violations { violations[violation.invariant, default: 0] += 1 }
        guard !outcome.violations.isEmpty else { return }
        isRight = false
        failing.append(outcome.seed)
    }

    /// The first of each invariant, for the first seeds that fail.
    private func printStory(_ outcome: FleetRun.Outcome, _ command: String, _ options: Options) {
        guard !outcome.violations.isEmpty, failing.count <= 20 else { return }
        var printed: Set<Invariant> = []
        for violation in outcome.violations where printed.insert(violation.invariant).inserted {
            print("  \(violation)")
        }
        let plant = options.bug.map { " --plant \($0.rawValue)" } ?? ""
        print("  repeat: swift run -c release FleetSimulator \(command) --seed \(outcome.seed)\(plant)\n")
        // A long run is read while it lasts.
        fflush(nil)
    }

    private func report(_ title: String, _ options: Options, spent: Interval) {
        func row(_ name: String, _ value: some CustomStringConvertible) {
            print(name + String(repeating: " ", count: max(1, 44 - name.count)) + "\(value)")
        }
        print("FleetSimulator: \(title), seeds \(options.seeds.lowerBound) to \(options.seeds.upperBound)\n")
        row("seeds", options.seeds.count)
        row("steps, each checked", steps)
        row("beacon-hours (per gateway)", Int(beaconHours))
        row("advertisements taken in", adverts)
        row("transitions said", transitions)
        if learnedHours > 0 {
            row("learned exits of what was there, a day", rounded(Double(falseExits) / learnedHours * 24))
        }
        row("faults", faults.values.reduce(0, +))
        for (kind, count) in faults.sorted(by: { $0.key < $1.key }) { row("  \(kind)", count) }
        row("violations", violations.values.reduce(0, +))
        for (invariant, count) in violations.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            row("  \(invariant.rawValue)", count)
        }
        row("failing seeds", failing.count)
        row("CPU seconds", rounded(spent.seconds))
        row("beacon-hours per CPU-minute", Int(beaconHours / spent.seconds * 60))
        print("")
    }

    private func rounded(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}

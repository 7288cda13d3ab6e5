import Beacons
import Glibc
import Linux
import TestBroker

/// One run: a site, what is done to it, and what came of it.
struct ChaosRun {
    /// So long after the end of trouble everything is to be where it belongs.
    static let patience = 60.0

    private let mode: Mode
    private let site: ChaosSite
    private let seconds: Double
    /// After so many troubles it ends, if that is sooner.
    private let mostTroubles: Int
    private var generator: SplitMix64
    private var disks: [MountedDisk] = []
    private var counts: [String: Int] = [:]
    private var diary: [String] = []

    init(_ mode: Mode, amount: Int?, seed: UInt64, gateways: Int, programs: String) throws {
        self.mode = mode
        mostTroubles = mode == .kills ? amount ?? 1000 : .max
        // A kill takes a second, or less: with pauses, 0.9 s.
        seconds = mode == .kills ? Double(mostTroubles) * 0.9 + 30 : Double(amount ?? 600)
        let what = mode == .kills ? "\(mostTroubles) kills" : "\(Int(seconds)) s"
        print("chaos: \(mode.rawValue), \(what), seed \(seed), \(gateways) gateways")
        generator = SplitMix64(seed: seed)
        var setting = ChaosSite.Setting(programs: programs, gateways: gateways, seconds: seconds)
        // As often as mosquitto looks at it.
        if mode == .memory { setting.autosave = 10 }
        let folder = try TestFolder()
        if mode == .clocks || mode == .slow {
            setting.prefix = { participant, folder in
                SteeredKernel.prefix(
                    clock: folder.path("\(participant).clock"), disk: folder.path("\(participant).disk"))
            }
        }
        if mode == .full {
            for gateway in 1...gateways {
                disks.append(try MountedDisk(small: folder.path("small-g\(gateway)")))
                // It is to be full within the minute.
                try folder.write(String(repeating: "x", count: 28 << 10), to: "small-g\(gateway)/filler")
            }
            setting.state = { $0 == "aggregator" ? $0 : "small-\($0)/state" }
        }
        site = try ChaosSite(setting, in: folder, using: &generator)
    }

    /// Does it, prints what came of it, and exits with 1 where something was lost.
    mutating func run() throws {
        for participant in site.participants { try participant.begin() }
        try trouble(until: seconds - 5)
        print(counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
        try finish()
    }

    /// Does harm until `end`, and heals all of it.
    private mutating func trouble(until end: Double) throws {
        var open: [(trouble: Trouble, participant: Participant, until: Double)] = []
        var next = 6.0
        var (done, end) = (0, end)
        while site.elapsed < end || !open.isEmpty {
            site.wait(until: min(open.map(\.until).min() ?? .infinity, site.elapsed < end ? next : .infinity))
            // One look at the clock: what fell due between two looks would be forgotten, and its program dead for ever.
            let now = site.elapsed
            for case let (trouble, participant, until) in open where until <= now {
                try trouble.end(on: participant, site)
                participant.isTroubled = false
            }
            open.removeAll { $0.until <= now }
            guard site.elapsed >= next, site.elapsed < end else { continue }
            next = site.elapsed + Double.random(in: mode.pause, using: &generator)
            let trouble = mode.troubles.randomElement(using: &generator)!
            // Whoever is in trouble is left alone; the broker's trouble is the aggregator's, too.
            let participant =
                trouble.befallsBroker ? site.aggregator! : site.participants.randomElement(using: &generator)!
            let length = Double.random(in: 0.1..<mode.longest(trouble), using: &generator)
            guard !participant.isTroubled else { continue }
            participant.isTroubled = true
            try trouble.begin(on: participant, site, using: &generator)
            open.append((trouble, participant, site.elapsed + length))
            counts[trouble.rawValue, default: 0] += 1
            let name = trouble.befallsBroker ? "broker" : participant.name
            diary.append("\(Clock.wall) \(name): \(trouble.rawValue) for \(Int(length * 1000)) ms")
            done += 1
            if done >= mostTroubles { end = site.elapsed }
        }
    }

    /// Waits until everything is published, ends all programs, and returns the result.
    private func finish() throws {
        let end = max(seconds, site.elapsed)
        var verdict = Verdict(of: site, by: mode.standard)
        var healed = site.elapsed
        repeat {
            site.wait(until: site.elapsed + 1)
            verdict = Verdict(of: site, by: mode.standard)
            if site.elapsed < end { healed = site.elapsed }
        } while site.elapsed < end + 4 || !verdict.faults.isEmpty && site.elapsed < healed + Self.patience
        let drained = site.elapsed - healed
        var faults = verdict.faults
        for participant in site.participants {
            if !participant.isRunning { faults.append("\(participant.name) does not run any more") }
            participant.signal(SIGTERM)
        }
        site.wait(until: site.elapsed + 2)
        for participant in site.participants {
            let status = participant.end(by: SIGTERM)
            if status != 0 { faults.append("\(participant.name) ended with \(status)") }
        }
        let failures = site.participants.reduce(0) { $0 + $1.failures }
        if failures > 0 { faults.append("\(failures) starts failed") }
        if mode == .full { faults += namesOfDisksThatNeverFilled.map { "the disk of \($0) was never full" } }
        print("\(site.participants.reduce(0) { $0 + $1.starts }) starts, \(failures) failed")
        print("\(verdict.decided) events decided, \(verdict.published) told of items, drained after \(Int(drained)) s")
        print(
            "\(verdict.unknown) while a gateway was gone for nearly as long as its will waits: unknown, and no event of an item"
        )
        guard faults.isEmpty else { report(of: faults) }
        print("chaos: nothing missing, nothing doubled, in order")
        // Before the folder goes with the site.
        for disk in disks { disk.unmount() }
        fflush(nil)
    }

    private var namesOfDisksThatNeverFilled: [String] {
        site.gateways.map(\.name).filter { name in
            let log = (try? readFile(at: site.folder.path("\(name).log"))) ?? []
            return !String(decoding: log, as: UTF8.self).contains("is full: data stays in memory only")
        }
    }

    private func report(of faults: [String]) -> Never {
        for line in diary + faults { print(line) }
        print("chaos: \(faults.count) faults; the logs are in \(site.folder.path)")
        // The folder would go with the site, which is not let go; the broker may not stay behind.
        site.broker.kill()
        for disk in disks { disk.unmount() }
        fflush(nil)
        _exit(1)
    }
}

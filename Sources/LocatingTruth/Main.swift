import Glibc
import Locating

@main struct LocatingTruth {
    static func main() throws {
        let cold = LocatorModel(site: Cost.site(isDrawn: false))
        print("us per report, names:", Cost.perReport(cold))
        print("us per report, plan:", Cost.perReport(LocatorModel(site: Cost.site(isDrawn: true, edge: 6))))
        simulate()
        guard let folder = recordingsFolder() else {
            print("skipped: the recordings are not there; FORGETMENOT_DATA names their folder")
            return
        }
        let sites = try recordedSites(in: folder)
        for site in sites { evaluate(site) }
    }

    static func evaluate(_ site: RecordedSite) {
        report(site.name, "strongest, mean of 5 s, 5 dB", strongest(site))
        report(site.name, "names, cold", score(site.walks) { _ in LocatorModel(site: site.names) })
        if let plan = site.plan { report(site.name, "plan", score(site.walks) { _ in LocatorModel(site: plan) }) }
        report(site.name, "names, lived", folds(site, site.names, labels: false))
        if let plan = site.plan { report(site.name, "plan, lived", folds(site, plan, labels: false)) }
        report(site.name, "survey", folds(site, site.names, labels: true))
        if let plan = site.plan { report(site.name, "plan, survey", folds(site, plan, labels: true)) }
    }

    static func report(_ site: String, _ rule: String, _ score: Score) {
        func percent(_ value: Double) -> String {
            let tenths = Int((value * 1000).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        }
        print(
            "\(site) | \(rule) | \(percent(score.accuracy)) | \(score.said)/\(score.changes) | \(score.found) | \(percent(score.delay / 100)) | \(percent(score.calibrationError))"
        )
    }

    static func rows(_ model: LocatorModel, _ walk: Walk) -> [Replay.Row] {
        var rows: [Replay.Row] = []
        Replay(model: model).run(walk.recording) { rows.append($0) }
        return rows
    }

    static func score(_ walks: [Walk], model: (Int) -> LocatorModel) -> Score {
        var score = Score()
        for (index, walk) in walks.enumerated() { score.add(rows(model(index), walk), truth: walk.truth) }
        return score
    }

    /// Learned from all but the blocks that are scored: four folds of blocks of about 45 s.
    static func folds(_ site: RecordedSite, _ plan: Site, labels: Bool) -> Score {
        var score = Score()
        for fold in 0..<4 {
            func isHeld(_ index: Int, _ milliseconds: Int64, _ walk: Walk) -> Bool {
                let first = walk.recording.rows[0].milliseconds
                return (Int((milliseconds - first) / 45_000) + index) % 4 == fold
            }
            var lived: [LevelHistory] = []
            var surveys: [Survey] = []
            func take(_ recording: Recording, _ truth: Truth) {
                if labels {
                    surveys += recording.surveys(site: plan, truth: truth)
                } else {
                    lived += recording.histories(site: plan)
                }
            }
            for (index, walk) in site.walks.enumerated() {
                let kept = walk.recording.rows.filter { row in
                    ![-3000, 0, 3000].contains {
                        isHeld(index, max(walk.recording.rows[0].milliseconds, row.milliseconds + $0), walk)
                    }
                }
                take(Recording(rows: kept), walk.truth)
            }
            for walk in site.others where !labels { take(walk.recording, walk.truth) }
            let model = LocatorModel(site: plan, learned: Learned.learn(site: plan, from: lived, surveys: surveys))
            for (index, walk) in site.walks.enumerated() {
                score.add(rows(model, walk), truth: walk.truth) { isHeld(index, $0, walk) }
            }
        }
        return score
    }

    static func strongest(_ site: RecordedSite) -> Score {
        var score = Score()
        for walk in site.walks { score.add(Strongest.rows(site.names, walk), truth: walk.truth) }
        return score
    }

    /// Houses of 3 to 12 rooms, each lived in before.
    static func simulate() {
        for rooms in [3, 5, 8, 12] {
            var (strongest, cold, lived) = (Score(), Score(), Score())
            for seed in 1...4 {
                var house = SimulatedHouse(rooms: rooms, seed: UInt64(seed * 100 + rooms))
                let past = house.walk(seconds: 4 * 3600, stay: 120)
                let now = house.walk(seconds: 1800, stay: 60)
                let learned = Learned.learn(site: house.site, from: past.recording.histories(site: house.site))
                strongest.add(Strongest.rows(house.site, now), truth: now.truth)
                cold.add(Self.rows(LocatorModel(site: house.site), now), truth: now.truth)
                lived.add(Self.rows(LocatorModel(site: house.site, learned: learned), now), truth: now.truth)
            }
            report("simulated, \(rooms) rooms", "strongest, mean of 5 s, 5 dB", strongest)
            report("simulated, \(rooms) rooms", "names, cold", cold)
            report("simulated, \(rooms) rooms", "names, lived", lived)
        }
    }
}

import Locating

/// How well the belief does with what it may know of a site.
enum Evaluation {
    /// Blocks that are scored while the rest is learned from, and their length in milliseconds.
    private static let (folds, block): (Int, Int64) = (4, 45_000)

    static func rows(_ model: LocatorModel, _ walk: Walk) -> [Replay.Row] {
        var rows: [Replay.Row] = []
        Replay(model: model).run(walk.recording) { rows.append($0) }
        return rows
    }

    /// What a rule does on some walks.
    static func score(_ walks: [Walk], rows: (Walk) -> [Replay.Row]) -> Score {
        var score = Score()
        for walk in walks { score.add(rows(walk), of: walk) }
        return score
    }

    /// How often each walk is thinned anew: of one copy alone, chance makes up to six points.
    static let copies = 8

    /// One report in four, evenly at random, so many times as there are copies.
    static func thinned(_ walk: Walk) -> [Walk] {
        (1...copies).map { copy in
            var random = Random(state: UInt64(copy) &* 0x9E37_79B9_7F4A_7C15)
            let rest = walk.recording.rows.filter { _ in random.uniform() < 0.25 }
            return Walk(name: walk.name, recording: Recording(rows: rest), truth: walk.truth)
        }
    }

    /// Learned from everything but the blocks that are scored, in turn: a second that is scored has taught nothing.
    static func crossed(_ site: RecordedSite, _ known: Site, labels: Bool) -> Score {
        var score = Score()
        for fold in 0..<folds {
            var lived: [RSSIHistory] = []
            var surveys: [Survey] = []
            for (index, walk) in site.walks.enumerated() {
                let rest = Recording(
                    rows: walk.recording.rows.filter { row in
                        ![-3000, 0, 3000].contains {
                            isScored(row.milliseconds + $0, of: walk, index: index, fold: fold)
                        }
                    })
                if labels {
                    surveys += rest.surveys(site: known, truth: walk.truth)
                } else {
                    lived += rest.histories(site: known)
                }
            }
            if !labels { lived += site.others.flatMap { $0.recording.histories(site: known) } }
            let learned = Learned.learn(site: known, from: lived, surveys: surveys)
            let model = LocatorModel(site: known, learned: learned)
            for (index, walk) in site.walks.enumerated() {
                score.add(rows(model, walk), of: walk) {
                    isScored($0, of: walk, index: index, fold: fold)
                }
            }
        }
        return score
    }

    private static func isScored(_ milliseconds: Int64, of walk: Walk, index: Int, fold: Int) -> Bool {
        let since = max(0, milliseconds - walk.recording.rows[0].milliseconds)
        return (Int(since / block) + index) % folds == fold
    }
}

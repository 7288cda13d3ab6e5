import Glibc
import Locating

/// What `make truth` prints of the belief: generated houses and recordings.
@main struct LocatingTruth {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == "houses" { return await houses(words.dropFirst()) }
        if words.first == "placement" { return await placement(words.dropFirst()) }
        if words.first == "recordings" {
            Table.heading()
            return try evaluateRecordings()
        }
        await houses([])
        print()
        await placement([])
        print()
        Table.heading()
        try evaluateRecordings()
        StillItems.print()
    }

    private static func evaluateRecordings() throws {
        if let folder = recordingsFolder() {
            for site in try recordedSites(in: folder) { evaluate(site) }
        } else {
            print("skipped: the recordings are not in ../shared/data, nor where FORGETMENOT_DATA says")
        }
    }

    /// The generated houses: `houses [FIRST LAST STEP] [small] [QUESTION...]`, or `houses check` for a few of them and their floors.
    ///
    /// Constants were chosen on even seeds; what is printed unless asked otherwise is odd ones.
    private static func houses(_ words: ArraySlice<String>) async {
        let numbers = words.compactMap { UInt64($0) }
        let isCheck = words.contains("check")
        let isSmall = isCheck || words.contains("small")
        let (first, last, step) =
            numbers.count == 3 ? (numbers[0], numbers[1], Int(numbers[2])) : (1, isCheck ? 31 : 47, 2)
        let study = await HouseStudy.run(
            Array(stride(from: first, through: last, by: max(1, step))),
            requested: words.filter { UInt64($0) == nil && $0 != "small" && $0 != "check" }, isSmall: isSmall)
        study.print()
        if isCheck, !study.meetsFloors() { exit(1) }
    }

    /// The advice on placement: `placement [FIRST LAST STEP]`. Its thresholds were chosen on even seeds.
    private static func placement(_ words: ArraySlice<String>) async {
        let numbers = words.compactMap { UInt64($0) }
        let (first, last, step) = numbers.count == 3 ? (numbers[0], numbers[1], Int(numbers[2])) : (1, 95, 2)
        await PlacementStudy.run(Array(stride(from: first, through: last, by: max(1, step)))).print()
    }

    static func evaluate(_ site: RecordedSite) {
        for rule in Rule.all {
            Table.add(site.name, rule.name, Evaluation.score(site.walks) { rule.rows(site.names, $0) })
        }
        for (name, known) in [("names", site.names), ("plan", site.plan)] {
            guard let known else { continue }
            let cold = LocatorModel(site: known)
            Table.add(site.name, "\(name), cold", Evaluation.score(site.walks) { Evaluation.rows(cold, $0) })
            Table.add(
                site.name, "\(name), cold, 1 report in 4, \(Evaluation.copies) times",
                Evaluation.score(site.walks.flatMap(Evaluation.thinned)) { Evaluation.rows(cold, $0) })
            addMessages(site, name, cold)
            Table.add(site.name, "\(name), lived", Evaluation.crossed(site, known, labels: false))
            Table.add(site.name, "\(name), survey", Evaluation.crossed(site, known, labels: true))
        }
    }

    /// The same as it is lived: the gateways publish what changed, and the aggregator has no more than that.
    private static func addMessages(_ site: RecordedSite, _ name: String, _ model: LocatorModel) {
        var score = Score()
        var messages = 0
        for walk in site.walks {
            let live = MessagePath.run(model, walk)
            score.add(live.rows, of: walk)
            messages += live.messages
        }
        Table.add(site.name, "\(name), cold, by \(messages) messages", score)
    }
}

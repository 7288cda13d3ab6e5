import Glibc

/// Prints the messages to simulated families: forgotten items that are found, false alarms, and how long a message takes.
@main
enum Families {
    private static let usage = """
        usage: Families [check] [--families N] [--trips N] [--first N] [--trace SEED]
               N families (100), a fifth for each scene, that leave and return N times (8), with seeds from N (the clock's);
               or everything that happens to one family. check: ten families of four trips, always the same, compared with limits
        """
    /// Departures of a family of three in a month.
    private static let month = 120.0

    private typealias Outcome = SimulatedFamily.Outcome

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isCheck = arguments == ["check"]
        if isCheck { arguments = ["--families", "10", "--trips", "4", "--first", "1001"] }
        var options = [
            "--families": 100, "--trips": 8, "--first": Int(time(nil)) % 1_000_000_000 / 5 * 5, "--trace": -1,
        ]
        for (name, value) in zip(arguments, arguments.dropFirst()) where options[name] != nil {
            options[name] = Int(value)
        }
        guard arguments.count.isMultiple(of: 2), options.count == 4 else {
            print(usage)
            exit(64)
        }
        let (count, trips, first) = (options["--families"]!, options["--trips"]!, options["--first"]!)
        if let seed = options["--trace"], seed >= 0 {
            _ = SimulatedFamily(trips: trips, seed: UInt64(seed), isTraced: true)
            return
        }
        print(
            "\(count) families of three people with keys and phones, in a flat of three rooms, seeds from \(first). A month is \(Int(month)) departures."
        )
        print(
            "\nscene                  departures  forgotten  found %         found %, if keys and    false alarms    s to the message:"
        )
        print(
            "                                              of all          phone were along        a month         median, 90 %"
        )
        let families = await withTaskGroup { group in
            for seed in first..<first + count {
                group.addTask { SimulatedFamily(trips: trips, seed: UInt64(seed)).outcomes }
            }
            var families: [[String: Outcome]] = []
            for await outcomes in group { families.append(outcomes) }
            return families
        }
        for name in SimulatedFamily.Scene.allCases.map(\.rawValue) + ["door gateway back"] {
            row(name, families.compactMap { $0[name] })
        }
        let all = families.flatMap(\.values)
        row("all", all)
        var kinds: [String: Double] = [:]
        for outcome in all { kinds.merge(outcome.falseAlarms, uniquingKeysWith: +) }
        let words = kinds.sorted { $0.key < $1.key }.map { "\($0.key) \(Int($0.value))" }.joined(separator: ", ")
        print("\nFalse alarms by kind: \(words.isEmpty ? "none" : words).")
        if isCheck { return check(families) }
        await questions(at: first + count, count: count, trips: trips)
    }

    /// Ends with 1 if fewer forgotten items are found than before, or more alarms are false, with a tolerance of two each. A dead door gateway finds none.
    private static func check(_ families: [[String: Outcome]]) {
        let dead = SimulatedFamily.Scene.deadGateway.rawValue
        let forgotten = families.flatMap { $0.filter { $0.key != dead }.values.flatMap(\.forgotten) }
        let missed = forgotten.count { $0.delay == nil }
        let alarms = families.flatMap(\.values).flatMap(\.falseAlarms.values).reduce(0, +)
        guard missed > 2 || alarms > 3 else { return }
        print(
            "failed: \(missed) of \(forgotten.count) forgotten items are missed (2 at most), and \(Int(alarms)) alarms are false (3 at most)"
        )
        exit(1)
    }

    /// What a question at the door would be worth, in families that also stand there for other reasons.
    private static func questions(at first: Int, count: Int, trips: Int) async {
        let families = await withTaskGroup { group in
            for seed in first..<first + count {
                group.addTask { SimulatedFamily(trips: trips, seed: UInt64(seed), hasDoor: true) }
            }
            var families: [SimulatedFamily] = []
            for await family in group { families.append(family) }
            return families
        }
        let departures = Int(families.flatMap(\.outcomes.values).reduce(0) { $0 + $1.departures })
        let visits = families.reduce(0) { $0 + $1.visits }
        print(
            "\nA question at the door, in \(count) more families, with \(departures) departures and \(visits) stays at the door without one."
        )
        print(
            "\nasked if                    right  in vain: fetched, stayed  in vain %  of those who left %  forgotten %  s before the departure: median, 90 %"
        )
        for (number, rule) in DoorWatch.rules.enumerated() {
            let counts = families.compactMap { $0.door?.counts[number] }
            let leads = counts.flatMap(\.leads).sorted()
            let fetched = counts.reduce(0) { $0 + $1.inVain.fetched }
            let stayed = counts.reduce(0) { $0 + $1.inVain.stayed }
            let forgotten = counts.reduce(0) { $0 + $1.forgotten }
            func percent(_ part: Int, _ whole: Int) -> String {
                whole == 0 ? "-" : rounded(100 * Double(part) / Double(whole), 1)
            }
            print(
                padded(rule.name, 27), padded("\(leads.count)", 6), padded("\(fetched), \(stayed)", 24),
                padded(percent(fetched + stayed, fetched + stayed + leads.count), 10),
                padded(percent(fetched, fetched + leads.count), 20), padded(percent(leads.count, forgotten), 12),
                spread(of: leads, to: 0.1))
        }
    }

    private static func row(_ name: String, _ outcomes: [Outcome]) {
        guard !outcomes.isEmpty else { return }
        let departures = outcomes.reduce(0) { $0 + $1.departures }
        let forgotten = outcomes.flatMap(\.forgotten)
        let alarms = outcomes.map { $0.falseAlarms.values.reduce(0, +) }
        let mean = alarms.reduce(0, +) / Double(alarms.count)
        let variance = alarms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, alarms.count - 1))
        let scale = Double(alarms.count) / max(1, departures) * month
        let delays = forgotten.compactMap(\.delay).sorted()
        print(
            padded(name, 22), padded("\(Int(departures))", 11), padded("\(forgotten.count)", 10),
            padded(share(forgotten), 15), padded(share(forgotten.filter(\.isAllAlong)), 23),
            padded(
                "\(rounded(mean * scale, 2)) ± \(rounded((variance / Double(alarms.count)).squareRoot() * scale, 2))",
                15),
            spread(of: delays, to: 0.9))
    }

    /// The median with its standard error, from the values around it, and another quantile.
    private static func spread(of sorted: [Double], to share: Double) -> String {
        guard !sorted.isEmpty else { return "-" }
        func quantile(_ share: Double) -> Double { sorted[Int(max(0, min(1, share)) * Double(sorted.count - 1))] }
        let step = 0.5 / Double(sorted.count).squareRoot()
        let error = (quantile(0.5 + step) - quantile(0.5 - step)) / 2
        return "\(Int(quantile(0.5))) ± \(Int(error.rounded())), \(Int(quantile(share)))"
    }

    /// The share that was found in percent, with its standard error.
    private static func share(_ forgotten: [SimulatedFamily.Forgotten]) -> String {
        guard !forgotten.isEmpty else { return "-" }
        let count = Double(forgotten.count)
        let found = Double(forgotten.filter { $0.delay != nil }.count) / count
        return "\(rounded(100 * found, 1)) ± \(rounded(100 * (found * (1 - found) / count).squareRoot(), 1))"
    }

    private static func rounded(_ value: Double, _ decimals: Int) -> String {
        let scale = decimals == 1 ? 10 : 100
        let units = Int((value * Double(scale)).rounded())
        let rest = "\(units % scale)"
        return "\(units / scale)." + String(repeating: "0", count: decimals - rest.count) + rest
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

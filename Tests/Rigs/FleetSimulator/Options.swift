import Fleet

/// What the command line asks for.
struct Options {
    var runsFleets = true
    var runsMonitoring = true
    var seeds: ClosedRange<UInt64> = 1...300
    var bug: PlantedBug?
    var printsStory = false

    /// `nil` for anything that is not understood.
    init?(_ arguments: [String]) {
        var words = arguments[...]
        if let word = words.first, !word.hasPrefix("--") {
            guard word == "fleet" || word == "monitoring" else { return nil }
            (runsFleets, runsMonitoring) = (word == "fleet", word == "monitoring")
            words.removeFirst()
        }
        while let word = words.popFirst() {
            switch word {
            case "--story": printsStory = true
            case "--seed":
                guard let seed = words.popFirst().flatMap({ UInt64($0) }) else { return nil }
                seeds = seed...seed
            case "--seeds":
                let ends = words.popFirst().map { $0.split(separator: ".").compactMap { UInt64($0) } } ?? []
                guard ends.count == 2, ends[0] <= ends[1] else { return nil }
                seeds = ends[0]...ends[1]
            case "--plant":
                guard let bug = words.popFirst().flatMap({ PlantedBug(rawValue: $0) }) else { return nil }
                self.bug = bug
            default: return nil
            }
        }
    }
}

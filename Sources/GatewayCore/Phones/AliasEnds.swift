import Beacons

/// Which items a gateway misses: they were received by an alias, and all their aliases have ended or were withdrawn. Their silence does not count.
struct AliasEnds: Sendable {
    /// The end of an item's last alias.
    struct End: Sendable {
        let item: String
        let beacon: BeaconIdentity
        let until: Instant
    }

    private var ends: [End] = []
    /// The beacons of all items.
    private var beacons: Set<BeaconIdentity> = []
    /// The beacons that were received by an alias last, and whether the gateway misses them now.
    private var followed: [BeaconIdentity: Bool] = [:]
    /// When it may change which beacons are missed.
    private(set) var nextDeadline: Instant?
    /// The items whose last alias has ended, as a sentence, and the one that `info` has.
    private var (problem, reported): (String?, String?)

    var isEmpty: Bool { ends.isEmpty && followed.isEmpty }

    /// Whether a beacon was received by an alias last.
    func follows(_ beacon: BeaconIdentity) -> Bool { followed[beacon] != nil }

    /// Receives a beacon by an alias, or by its own frame. This is the hot path: it allocates for new beacons only.
    mutating func received(_ beacon: BeaconIdentity, byAlias isAlias: Bool) {
        if isAlias { followed[beacon] = false } else if !followed.isEmpty { followed[beacon] = nil }
    }

    /// A beacon that a former process received by an alias is missed until it has one.
    mutating func restore(_ beacon: BeaconIdentity) { followed[beacon] = true }

    mutating func replace(_ ends: [End], items beacons: Set<BeaconIdentity>, at now: Instant) {
        (self.ends, self.beacons, nextDeadline) = (ends, beacons, now)
    }

    /// The beacons that are missed from now on, or no longer, since the last call.
    mutating func changes(at now: Instant) -> [(beacon: BeaconIdentity, isMissed: Bool)] {
        guard let due = nextDeadline, due <= now else { return [] }
        nextDeadline = ends.lazy.map(\.until).filter { $0 > now }.min()
        let ended = ends.filter { $0.until <= now }.map(\.item)
        problem = ended.isEmpty ? nil : Self.problem(of: ended.sorted())
        let received = Set(ends.lazy.filter { $0.until > now }.map(\.beacon))
        var changes: [(BeaconIdentity, Bool)] = []
        for (beacon, wasMissed) in followed.sorted(by: { $0.key < $1.key }) {
            let isItem = beacons.contains(beacon)
            let isMissed = isItem && !received.contains(beacon)
            followed[beacon] = isItem ? isMissed : nil
            if isMissed != wasMissed { changes.append((beacon, isMissed)) }
        }
        return changes
    }

    /// The problems in `info` that have begun or ended since the last call.
    mutating func changedProblems() -> [(problem: String, hasBegun: Bool)] {
        guard problem != reported else { return [] }
        defer { reported = problem }
        return [reported.map { ($0, false) }, problem.map { ($0, true) }].compactMap(\.self)
    }

    private static func problem(of items: [String]) -> String {
        let more = items.count > 3 ? " and \(items.count - 3) more" : ""
        return "all aliases have ended of: \(items.prefix(3).joined(separator: ", "))\(more). "
            + "The gateway cannot receive them until the program that publishes their aliases continues"
    }
}

import Beacons
import Messages

/// What the gateways decided, held against what the aggregator made of it: both as their logs on disk have it.
struct Verdict {
    /// Events of the gateways, and of the items.
    private(set) var decided = 0
    private(set) var published = 0
    /// Events that are none of the item's, because its gateway was dead meanwhile: nothing comes from `unknown`, and nothing goes to it.
    private(set) var unknown = 0
    /// What is not as it should be, in sentences.
    private(set) var faults: [String] = []

    /// So far apart may the gateway and the aggregator date one passage, in seconds. What happened while a gateway was dead is dated on its
    /// own clock, and where that is not synchronised by the aggregator as of its start: it may have been killed a few times in between.
    static let tolerance = 60.0

    /// What is held against the items' events.
    enum Standard {
        /// What each gateway decided, as its log on disk has it.
        case decided
        /// The same, and it agrees with what the tags transmitted: each coming and going of a tag, and nothing else.
        case decidedAndTrue
        /// What the tags transmitted: the logs on disk are incomplete.
        case transmitted
    }

    /// - Parameter standard: what the items' events are held against.
    init(of site: ChaosSite, by standard: Standard = .decided) {
        for gateway in 1...site.gateways.count { judge(gateway, of: site, by: standard) }
    }

    private mutating func judge(_ gateway: Int, of site: ChaosSite, by standard: Standard) {
        let events = standard == .transmitted ? [] : LogOnDisk.events(of: site.state(of: "g\(gateway)"))
        let items = LogOnDisk.events(of: site.state(of: "aggregator"))
        checkNumbers(events.map(\.id), of: "g\(gateway)")
        if gateway == 1 { checkNumbers(items.map(\.id), of: "the aggregator") }
        // Where clocks are set, times prove nothing; and nobody is cut off there.
        let absences =
            standard == .decidedAndTrue ? Absences() : Absences(log: site.folder.path("g\(gateway).log"))
        for tag in 1...site.tags {
            let beacon = TagRecording.identity(gateway: gateway, tag: tag)
            let name = ChaosSite.item(gateway: gateway, tag: tag)
            let truth = Passage.all(of: site, gateway: gateway, tag: tag)
            let passages =
                standard == .transmitted
                ? truth
                : events.compactMap {
                    if case .beacon(let event) = $0, event.beacon == beacon { Passage(event) } else { nil }
                }
            decided += passages.count
            for (former, next) in zip(passages, passages.dropFirst()) where former.transition == next.transition {
                faults.append("\(name): \(former) and \(next) are both \(next.transition)")
            }
            if standard == .decidedAndTrue, passages.map(\.transition) != truth.map(\.transition) {
                faults.append("\(name): it came and went \(truth), and the gateway decided \(passages)")
            }
            let story: [ItemEvent] = items.compactMap {
                if case .item(let event) = $0, event.name == name { event } else { nil }
            }
            judge(name, passages, story, absences, within: standard == .decidedAndTrue ? .infinity : Self.tolerance)
        }
    }

    private mutating func judge(
        _ name: String, _ passages: [Passage], _ story: [ItemEvent], _ absences: Absences, within tolerance: Double
    ) {
        // The first enter is from unknown, and no event of the item.
        let expected = passages.drop { $0.transition == .exit }.dropFirst()
        published += story.count
        // After each passage, how many events may have been published: which of two missing ones fell into an absence is seen only later.
        var counts: Set = [0]
        for passage in expected {
            let word = passage.transition == .exit ? "left" : "returned"
            let mayBeMissing = absences.contain(passage.at)
            counts = counts.reduce(into: []) { next, count in
                if mayBeMissing { next.insert(count) }
                guard count < story.count, story[count].change.word == word else { return }
                let isNear = abs((story[count].stamp.at - passage.at).seconds) < tolerance
                if isNear { next.insert(count + 1) }
            }
        }
        if counts.contains(story.count) {
            unknown += expected.count - story.count
        } else {
            faults.append(difference(name, passages, story))
        }
    }

    private func difference(_ name: String, _ passages: [Passage], _ story: [ItemEvent]) -> String {
        var text = "\(name): the gateway decided"
        for passage in passages { text += "\n    \(passage)" }
        text += "\n  and the item's events are"
        for event in story { text += "\n    \(event.stamp.at) \(event.id) \(event.change.word)" }
        return text
    }

    private mutating func checkNumbers(_ ids: [EventID], of writer: String) {
        for (former, next) in zip(ids, ids.dropFirst()) {
            let follows = former.boot == next.boot ? next.seq == former.seq + 1 : next.seq == 1
            if !follows { faults.append("\(writer): behind \(former) its log has \(next)") }
        }
    }
}

import Beacons
import Journal
import Linux
import Messages

/// What the gateways decided, held against what the aggregator made of it: both as their logs on disk have it.
struct Verdict {
    /// Events of the gateways, and of the items.
    private(set) var decided = 0
    private(set) var told = 0
    /// Events that are none of the item's, because its gateway was dead meanwhile: nothing comes from `unknown`, and nothing goes to it.
    private(set) var unknown = 0
    /// What is not as it should be, in sentences.
    private(set) var faults: [String] = []

    init(of site: ChaosSite) {
        for gateway in 1...site.gateways.count { judge(gateway, of: site) }
    }

    private mutating func judge(_ gateway: Int, of site: ChaosSite) {
        let events = Self.events(in: site.folder.path("g\(gateway)/events"))
        let items = Self.events(in: site.folder.path("aggregator/events"))
        decided += events.count
        checkNumbers(events.map(\.id), of: "g\(gateway)")
        if gateway == 1 { checkNumbers(items.map(\.id), of: "the aggregator") }
        let absences = Absences(log: site.folder.path("g\(gateway).log"))
        for tag in 1...site.tags {
            let beacon = TagRecording.identity(gateway: gateway, tag: tag)
            let name = ChaosSite.item(gateway: gateway, tag: tag)
            let passages: [BeaconEvent] = events.compactMap {
                if case .beacon(let event) = $0, event.beacon == beacon { event } else { nil }
            }
            for (former, next) in zip(passages, passages.dropFirst()) where former.transition == next.transition {
                faults.append("\(name): \(former.id) and \(next.id) are both \(next.transition)")
            }
            // The first enter is from unknown, and no event of the item.
            let expected = passages.drop { $0.transition == .exit }.dropFirst()
            let story: [ItemEvent] = items.compactMap {
                if case .item(let event) = $0, event.name == name { event } else { nil }
            }
            told += story.count
            var rest = story.map(\.change.word)[...]
            var isRight = true
            for passage in expected {
                if rest.first == (passage.transition == .exit ? "left" : "returned") {
                    rest = rest.dropFirst()
                } else if absences.contain(passage.stamp.at) {
                    unknown += 1
                } else {
                    isRight = false
                }
            }
            if !isRight || !rest.isEmpty { faults.append(difference(name, passages, story)) }
        }
    }

    private func difference(_ name: String, _ passages: [BeaconEvent], _ story: [ItemEvent]) -> String {
        var text = "\(name): the gateway decided"
        for event in passages { text += "\n    \(event.stamp.at) \(event.id) \(event.transition)" }
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

    /// All events of a log on disk, oldest first.
    private static func events(in path: String) -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        for number in 1... {
            guard let bytes = try? readFile(at: "\(path)/\(number).log", limit: 16 << 20) else { break }
            var reader = SegmentReader(bytes)
            while let frame = reader.next() {
                events += frame.entries.compactMap { try? LoggedEvent(parsing: $0.payload) }
            }
        }
        return events
    }
}

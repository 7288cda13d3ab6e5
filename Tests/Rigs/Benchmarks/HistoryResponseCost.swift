import Archive
import Beacons
import Delivery
import EventLogs
import Linux
import Messages
import Settings
import SiteCore
import SiteTestSupport
import TestBroker

// One thread alone reads it here.
extension EventArchive: EventLogDisk, @unchecked Sendable {}

/// What a response to `history` costs the aggregator when its event log on the disk is full.
///
/// The driver reads real files, and each turn of its loop is measured: nothing else is done during a turn.
struct HistoryResponseCost {
    /// One request, and what its response took.
    struct Row {
        var name: String
        /// Milliseconds of processor time of all turns until the response is published.
        var milliseconds: Double
        /// The same of the longest turn.
        var longest: Double
        var turns: Int
        /// Events in the response.
        var events: Int
    }

    private static let bytes = 64 << 20
    private static let days = 30.0
    private static let items = 1000
    private static let start = WallTime("2026-11-21T05:40:00Z")!

    private let folder: TestFolder
    private var machine: AggregatorMachine
    private var now = 0.0
    private var responses: [[UInt8]] = []
    /// How many events the log has.
    let events: Int

    /// A site whose log has the moves of a thousand items during thirty days.
    init() throws {
        folder = try TestFolder()
        let state = StateFolder(path: folder.path)
        events = try Self.fill(StateFolder(path: state.file("events")))
        let text = """
            [home_assistant]
            discovery = false
            [[item]]
            name = "Item 7"
            uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
            major = 1
            minor = 7
            [[item]]
            name = "Never moved"
            uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
            major = 1
            minor = 8
            """
        let reading = readSettings(Array(text.utf8), file: "bench") { AggregatorConfiguration($0) }
        guard let configuration = reading.configuration else { fatalError("\(reading.problems)") }
        let driver = AggregatorDriver(configuration, boot: Boot("3.aggr")!, stored: nil, at: Self.moment(0))
        machine = AggregatorMachine(driver, disk: TestDisk(storesFiles: false, archive: EventArchive(in: state)))
        machine.driver.handle(.broker(.connected), at: Self.moment(0))
        for _ in 0..<10 { _ = turn() }
    }

    /// The rows: requests of users, and of the page's history.
    mutating func rows() -> [Row] {
        let hour = Self.start - .seconds(3600)
        let middle = "2.past-\(events / 2)"
        return [
            row("all items, from the beginning", "{}"),
            row("all items, behind an event in the middle", #"{"after":"\#(middle)"}"#),
            row("one item, one event in 1,000", #"{"id":"item-7"}"#),
            row("one item, since an hour ago", #"{"id":"item-7","since":"\#(hour)"}"#),
            row("an item without events: the whole log", #"{"id":"never-moved"}"#),
        ]
    }

    /// The best of five: what disturbs a run only makes it slower.
    private mutating func row(_ name: String, _ request: String) -> Row {
        var best: Row?
        for _ in 0..<5 {
            let row = respond(name, request)
            if row.milliseconds < best?.milliseconds ?? .infinity { best = row }
        }
        return best!
    }

    private mutating func respond(_ name: String, _ request: String) -> Row {
        responses = []
        let topic = Topic.aggregatorRequest(what: "history").name(under: .standard)
        var times: [Double] = []
        let begin = Clock.processorTime
        machine.driver.handle(
            .broker(.message(topic: topic, payload: Array(request.utf8), isRetained: false)), at: Self.moment(now))
        times.append((Clock.processorTime - begin).seconds * 1000)
        while responses.isEmpty {
            precondition(times.count < 100_000, "no response to \(request)")
            times.append(turn())
        }
        guard case .done(let page)? = try? Response<HistoryResponse>(parsing: responses[0]).outcome else {
            fatalError(String(decoding: responses[0], as: UTF8.self))
        }
        return Row(
            name: name, milliseconds: times.reduce(0, +), longest: times.max()!, turns: times.count,
            events: page.events.count)
    }

    /// One turn of the service's loop; returns its processor time in ms.
    private mutating func turn() -> Double {
        now += 0.001
        let (moment, begin) = (Self.moment(now), Clock.processorTime)
        machine.driver.handle(.timePassed, at: moment)
        machine.run(at: moment) { output, machine in
            guard case .publish(let message, let number, let event) = output else { return }
            if event != nil { machine.driver.handle(.broker(.acknowledged(number)), at: moment) }
            if message.topic == Topic.aggregatorResponse(what: "history").name(under: .standard) {
                responses.append(message.payload)
            }
        }
        return (Clock.processorTime - begin).seconds * 1000
    }

    /// Writes the segments that a former run has left, without waiting for the disk; returns how many events they have.
    private static func fill(_ folder: StateFolder) throws -> Int {
        try folder.make()
        var log = EventLog(boot: "2.past")
        let segment = EventWriter.segmentBytes
        for number in 1...UInt32(bytes / segment) {
            let share = Double(number) * Double(segment) / Double(bytes)
            let wall = start - .seconds(days * 86_400 * (1 - share))
            let stamp = Stamp(at: wall, boot: Boot("2.past")!, uptime: .zero + .seconds(days * 86_400 * share))
            var contents: [UInt8] = []
            contents.reserveCapacity(segment)
            log.begin(segment: number)
            while contents.count < segment - (24 << 10) {
                for _ in 0..<50 {
                    let item = Int(log.upcoming) % items
                    let event = ItemEvent(
                        .moved(from: "Hall", to: "Kitchen"), seq: log.upcoming, item: "item-\(item)",
                        name: "Item \(item)", stamp: stamp)
                    log.append(
                        topic: Topic.itemEvent(item: "item-\(item)").name(under: .standard), payload: event.bytes)
                }
                let frame = log.frame(at: WrittenAt(uptime: stamp.uptime, wall: wall, isSynchronised: true))
                contents += frame.bytes
                log.stored(frame, bytes: contents.count)
            }
            try replaceFile(at: folder.file("\(number).log"), with: contents, mode: 0o600)
        }
        return Int(log.upcoming) - 1
    }

    private static func moment(_ seconds: Double) -> Moment {
        Moment(instant: .zero + .seconds(1000 + seconds), wall: start + .seconds(seconds), isSynchronised: true)
    }
}

import Archive
import Beacons
import EventLogs
import Linux
import Messages
import TestBroker
import Testing

@testable import SiteCore

/// Responses from a log that is longer than memory: a step at a time, and no more than is requested.
struct LogReadingTests {
    private static let segment = 256 << 10
    private static let days = 30.0

    /// A site with a log of former runs, and what was read of that log.
    private final class LongSite {
        var site: TestSite
        let archive: EventArchive
        let folder: TestFolder
        private(set) var events: UInt64 = 0
        /// Of each step: how many events it read, and of how many segments.
        private(set) var steps: [(entries: Int, segments: Int)] = []

        /// - Parameter megabytes: the size of the log: `keys` moved again and again, for thirty days until now.
        init(megabytes: Int) throws {
            folder = try TestFolder()
            let state = StateFolder(path: folder.path)
            events = try Self.fill(StateFolder(path: state.file("events")), bytes: megabytes << 20)
            archive = EventArchive(in: state)
            site = TestSite("[log]\nsize_mb = 128\nkeep_for = \"2400h\"\ncommit_within = \"0s\"\n" + TestSite.bagItem)
            keep()
            try #require(
                site.pipeline.events.diskProblem == nil
                    && site.pipeline.log.catalogue.bytes >= (megabytes << 20) - segment)
        }

        /// Writes segments as the archive does, without waiting for the disk.
        private static func fill(_ folder: StateFolder, bytes: Int) throws -> UInt64 {
            try folder.make()
            var log = EventLog(boot: "2.past")
            let topic = Topic.itemEvent(item: "keys").name(under: .standard)
            let name = String(repeating: "k", count: 200)
            for number in 1...UInt32(bytes / segment) {
                let share = Double(number) * Double(segment) / Double(bytes)
                let wall = TestSite.start - .seconds(days * 86_400 * (1 - share))
                let stamp = Stamp(at: wall, boot: Boot("2.past")!, uptime: .zero + .seconds(days * 86_400 * share))
                let event = ItemEvent(
                    .moved(from: "Hall", to: "Kitchen"), seq: log.upcoming, item: "keys", name: name, stamp: stamp)
                let payload = event.bytes
                var contents: [UInt8] = []
                contents.reserveCapacity(segment)
                log.begin(segment: number)
                while contents.count < segment - (24 << 10) {
                    for _ in 0..<50 { log.append(topic: topic, payload: payload) }
                    let frame = log.frame(
                        at: WrittenAt(uptime: stamp.uptime, wall: wall, isSynchronised: true))
                    contents += frame.bytes
                    log.stored(frame, bytes: contents.count)
                }
                // What a card stores beside the events, so that the size is right.
                contents += [UInt8](repeating: 0, count: max(0, segment - contents.count))
                try replaceFile(at: folder.file("\(number).log"), with: contents, mode: 0o600)
            }
            return log.upcoming - 1
        }

        /// Writes what happened since.
        func keep() {
            let now = site.moment.instant
            let writtenAt = site.pipeline.writtenAt
            while case .write(let step) = site.pipeline.events.next(writtenAt: writtenAt, mayPublish: false, at: now) {
                site.pipeline.events.wrote(archive.perform(step), at: now)
            }
        }

        /// One turn of the loop; what is read is counted.
        func turn() {
            var (entries, places) = (0, Set<UInt32>())
            site.pipeline.readLog { span, catalogue in
                let found = archive.read(span, by: catalogue)
                entries += found?.count ?? 0
                for seq in [span.seqs.lowerBound, span.seqs.upperBound] {
                    if let place = catalogue.segment(of: Place(boot: span.boot, seq: seq)) {
                        places.insert(place.number)
                    }
                }
                return found
            }
            steps.append((entries, places.count))
            site.collect()
        }

        /// How many turns it takes until nothing waits.
        func respondToAll(most: Int = 10_000) -> Int {
            var turns = 0
            while site.pipeline.isReadingLog, turns < most {
                turn()
                turns += 1
            }
            return turns
        }

        func history(_ asked: String) throws -> HistoryResponse {
            let text = try #require(site.published(on: .aggregatorResponse(what: "history")).last, "\(asked)")
            guard case .done(let response) = try Response<HistoryResponse>(parsing: Array(text.utf8)).outcome else {
                throw Unanswered(text: text)
            }
            return response
        }
    }

    private struct Unanswered: Error { let text: String }

    @Test func `a full log of 64 MB is searched a segment at a time, and other requests get responses meanwhile`()
        throws
    {
        let long = try LongSite(megabytes: 64)
        #expect(long.events > 50_000)
        _ = long.site.ask("history", #"{"id":"laptop-bag"}"#)
        #expect(long.site.published(on: .aggregatorResponse(what: "history")) == [], "that takes the disk")
        for _ in 0..<20 {
            long.turn()
            long.site.forgetOutputs()
            #expect(long.site.ask("learning", "").contains("\"ok\":true"))
        }
        let turns = long.respondToAll() + 20
        #expect(turns >= 256, "all segments were looked at, and none with another")
        #expect(long.steps.allSatisfy { $0.entries <= 500 && $0.segments <= 1 })
        #expect(try long.history("bag") == HistoryResponse(events: []))

        // From here on little is to be read of it.
        let before = long.steps.count
        _ = long.site.ask("history", "")
        #expect(long.respondToAll() <= 2, "a page is full at once")
        #expect(try long.history("all").events.count == 100)
        #expect(try long.history("all").more)

        let since = TestSite.start - .seconds(3600)
        _ = long.site.ask("history", #"{"id":"laptop-bag","since":"\#(since)"}"#)
        #expect(long.respondToAll() < 40, "the segments of a day before that hour, as clocks may differ")

        _ = long.site.ask("events", #"{"boot":"2.past","from_seq":1000,"to_seq":60000}"#)
        #expect(long.respondToAll() == 1)
        #expect(long.site.published(on: .aggregatorResponse(what: "events")).last?.contains("\"more\":true") == true)
        #expect(long.steps[before...].allSatisfy { $0.entries <= 500 && $0.segments <= 2 })
    }

    @Test func `many questions about the log wait for each other, and too many are refused`() throws {
        let long = try LongSite(megabytes: 1)
        for _ in 0..<100 { _ = long.site.ask("history", #"{"id":"laptop-bag"}"#) }
        let refused = long.site.published(on: .aggregatorResponse(what: "history"))
        #expect(refused.count == 68 && refused.allSatisfy { $0.contains("ask again in a moment") })
        long.site.forgetOutputs()
        _ = long.respondToAll()
        #expect(long.site.published(on: .aggregatorResponse(what: "history")).count == 32)
        #expect(long.steps.allSatisfy { $0.entries <= 500 })
        _ = long.site.ask("events", #"{"boot":"2.past","from_seq":1,"to_seq":10}"#)
        #expect(long.respondToAll() == 1)
    }

    @Test func `pages from disk and memory follow each other without a hole`() throws {
        let long = try LongSite(megabytes: 1)
        long.site.gateway("kitchen", room: "Kitchen")
        for _ in 0..<3 {
            long.site.event(.enter, at: "kitchen")
            long.site.ranged(at: "kitchen")
            long.site.advance(to: long.site.now + 2)
            long.site.event(.exit, at: "kitchen")
            long.site.advance(to: long.site.now + 2)
        }
        long.keep()
        let own = long.site.events
        #expect(own.count == 5)
        _ = long.site.ask("history", #"{"id":"laptop-bag"}"#)
        _ = long.respondToAll()
        #expect(try long.history("bag").events == own)
        _ = long.site.ask("history", #"{"after":"\#(own[1].id)"}"#)
        _ = long.respondToAll()
        #expect(try long.history("after").events == Array(own[2...]))
        _ = long.site.ask("history", #"{"after":"2.past-\#(long.events)"}"#)
        _ = long.respondToAll()
        #expect(try long.history("after the past").events == own)
        _ = long.site.ask("history", #"{"after":"1.lost-7"}"#)
        _ = long.respondToAll()
        #expect(try long.history("from the beginning").events.count == 100)
        // The cursor of a reader that has read another log, which had more starts: that is no place in this one.
        _ = long.site.ask("history", #"{"after":"9.late-7"}"#)
        _ = long.respondToAll()
        #expect(try long.history("behind another log").events.count == 100)
        _ = long.site.ask("history", #"{"after":"9.late-7","or_after":["2.past-\#(long.events)","1.lost-3"]}"#)
        _ = long.respondToAll()
        #expect(try long.history("where the reader stopped in this log").events == own)
        _ = long.site.ask("history", #"{"after":"2.past-3","or_after":["9.late-7","\#(own[1].id)"]}"#)
        _ = long.respondToAll()
        #expect(try long.history("the latest place in this log").events == Array(own[2...]))
    }

    @Test func `a log that cannot be read is reported`() throws {
        let long = try LongSite(megabytes: 1)
        _ = long.site.ask("history", "")
        long.site.pipeline.readLog { _, _ in nil }
        long.site.collect()
        let response = long.site.published(on: .aggregatorResponse(what: "history")).last
        #expect(response?.contains("cannot be read now") == true)
        #expect(!long.site.pipeline.isReadingLog)
    }
}

import Beacons
import EventLogs
import Testing

@Suite("The event log")
struct EventLogTests {
    private func log(of count: Int, memoryLimit: Int = 1 << 20) -> EventLog {
        var log = EventLog(boot: "1.abcd", memoryLimit: memoryLimit)
        for _ in 0..<count { log.append(topic: "events", payload: Array("\(log.upcoming)".utf8)) }
        return log
    }

    private func place(_ seq: UInt64) -> Place { Place(boot: "1.abcd", seq: seq) }

    @Test func `events are numbered from one, and the next number is known in advance`() {
        let log = log(of: 3)
        let (entries, more) = log.entries(in: 1...10, most: 100)
        #expect(entries.map(\.seq) == [1, 2, 3])
        #expect(entries.map { String(decoding: $0.payload, as: UTF8.self) } == ["1", "2", "3"])
        #expect(!more)
        #expect(log.upcoming == 4)
    }

    @Test func `a finding is limited and reports that there are more events`() {
        let log = log(of: 10)
        let (entries, more) = log.entries(in: 3...9, most: 5)
        #expect(entries.map(\.seq) == [3, 4, 5, 6, 7])
        #expect(more)
        let finding = log.find(3...9, of: "1.abcd", most: 5)
        #expect(finding.seqs == [3...7] && finding.more)
        #expect(finding.forgotten(without: Array(entries)).isEmpty)
    }

    @Test func `a log without a disk drops, reports and counts the oldest events first`() {
        let log = log(of: 1000, memoryLimit: 20_000)
        let stored = log.spans[0].seqs
        #expect(stored.count > 100 && stored.count < 180)
        #expect(stored.upperBound == 1000)
        let finding = log.find(1...1000, of: "1.abcd", most: 1000)
        let found = finding.seqs.flatMap { log.entries(in: $0, most: .max).entries }
        #expect(finding.forgotten(without: found) == [1...(stored.lowerBound - 1)])
        #expect(log.lost == stored.lowerBound - 1)
        #expect(log.entries(in: 1...50, most: 100).entries.isEmpty)
    }

    @Test func `no event is dropped that a working disk is about to store, however many come at once`() {
        let log = EventLog(boot: "1.abcd", memoryLimit: 20_000)
        var writer = EventWriter(log, EventWriter.Limits(bytes: 1 << 30, age: .seconds(1e6), within: .seconds(1)))
        var stored: [UInt64] = []
        func write() {
            while let step = writer.next(writtenAt: .first, at: .zero + .seconds(100)) {
                if case .open = step {
                    writer.handle(.opened(Catalogue()), at: .zero + .seconds(100))
                    continue
                }
                if case .append(let bytes, _, _, _) = step {
                    var reader = SegmentReader(bytes)
                    stored += reader.next()?.entries.map(\.seq) ?? []
                }
                writer.handle(.done, at: .zero + .seconds(100))
            }
        }
        write()
        for _ in 0..<5000 { writer.log.append(topic: "events", payload: Array("\(writer.log.upcoming)".utf8)) }
        write()
        #expect(stored == Array(1...5000))
        #expect(writer.log.lost == 0)
        #expect(writer.log.inMemory < 180, "what is stored need not stay in memory")
    }

    @Test func `a disk that fails does not make the memory grow`() {
        let log = EventLog(boot: "1.abcd", memoryLimit: 20_000)
        var writer = EventWriter(log, EventWriter.Limits(bytes: 1 << 30, age: .seconds(1e6), within: .zero))
        _ = writer.next(writtenAt: .first, at: .zero)
        writer.handle(.opened(Catalogue()), at: .zero)
        #expect(writer.next(writtenAt: .first, at: .zero) == nil && writer.log.waitsForDisk)
        writer.log.append(topic: "events", payload: [])
        _ = writer.next(writtenAt: .first, at: .zero)
        writer.handle(.failed("the disk is full"), at: .zero)
        for _ in 0..<5000 { writer.log.append(topic: "events", payload: Array("\(writer.log.upcoming)".utf8)) }
        #expect(writer.log.inMemory < 180 && writer.log.lost == 5001 - UInt64(writer.log.inMemory))
    }

    @Test func `future events of this run are not reported as lost, but missing events of earlier runs are`() {
        let log = log(of: 3)
        #expect(
            log.find(1...50, of: "1.abcd", most: 100).forgotten(without: Array(log.entries(in: 1...3, most: 3).0)) == []
        )
        #expect(log.find(4...50, of: "1.abcd", most: 100).forgotten(without: []) == [])
        #expect(log.find(1...50, of: "0.zzzz", most: 100).forgotten(without: []) == [1...50])
    }

    @Test func `no event is delivered twice within a connection`() {
        var log = log(of: 3)
        #expect([log.dequeue(), log.dequeue(), log.dequeue()].map { $0?.seq } == [1, 2, 3])
        #expect(log.dequeue() == nil)
        #expect(log.undelivered == 3)
        for seq in 1...3 { log.acknowledge(place(UInt64(seq))) }
        #expect(log.undelivered == 0)
    }

    @Test func `unacknowledged events are delivered again in order after a lost connection`() {
        var log = log(of: 5)
        for _ in 0..<4 { _ = log.dequeue() }
        log.acknowledge(place(1))
        log.acknowledge(place(3))
        log.rewind()
        // Event 3 was acknowledged, but is delivered again after 2. Order matters more than duplicates, which readers
        // drop by their id.
        #expect([log.dequeue(), log.dequeue(), log.dequeue(), log.dequeue()].map { $0?.seq } == [2, 3, 4, 5])
    }

    @Test func `an event that could not be published is the next event again`() {
        var log = log(of: 3)
        _ = log.dequeue()
        _ = log.dequeue()
        log.giveBack()
        #expect(log.dequeue()?.seq == 2)
    }

    @Test func `an event that was dropped before delivery is skipped`() {
        var log = log(of: 1000, memoryLimit: 1000)
        let first = log.dequeue()
        #expect(first?.seq == log.spans[0].seqs.lowerBound)
    }

    @Test func `a log with a disk delivers an event only after it is stored`() {
        var log = log(of: 2)
        log.waitsForDisk = true
        #expect(log.dequeue() == nil)
        log.begin(segment: 1)
        log.stored(log.frame(at: .first), bytes: 100)
        #expect(log.dequeue()?.seq == 1)
        log.append(topic: "events", payload: [])
        #expect(log.dequeue()?.seq == 2)
        #expect(log.dequeue() == nil)
        // The disk fails.
        log.waitsForDisk = false
        #expect(log.dequeue()?.seq == 3)
    }

    @Test func `an event that is not stored yet is neither announced, nor returned, nor reported as lost`() {
        var log = log(of: 2)
        log.waitsForDisk = true
        #expect(log.spans == [])
        let early = log.find(1...50, of: "1.abcd", most: 100)
        #expect(early.seqs == [] && early.forgotten(without: []) == [])
        log.begin(segment: 1)
        log.stored(log.frame(at: .first), bytes: 100)
        log.append(topic: "events", payload: [])
        #expect(log.spans == [EventSpan(boot: "1.abcd", seqs: 1...2)])
        #expect(log.find(1...50, of: "1.abcd", most: 100).seqs == [1...2])
        // The disk fails, so that readers get the events in memory.
        log.waitsForDisk = false
        #expect(log.find(1...50, of: "1.abcd", most: 100).seqs == [1...3])
    }

    @Test func `events of later segments that were dropped from memory are lost once, however many segments go`() {
        var log = EventLog(boot: "1.abcd", memoryLimit: 1500)
        for segment in 1...2 as ClosedRange<UInt32> {
            for _ in 0..<8 { log.append(topic: "events", payload: []) }
            log.begin(segment: segment)
            log.stored(log.frame(at: .first), bytes: 1000)
        }
        #expect(log.firstInMemory > 1 && log.firstInMemory < 9)
        let missing = log.firstInMemory - 1
        for _ in 1...2 {
            log.dropOldest()
            #expect(log.lost == missing)
        }
    }
}

extension WrittenAt {
    /// A time one second after the start of the process.
    static let first = WrittenAt(
        uptime: Instant(milliseconds: 1000), wall: WallTime("2026-11-21T05:40:00Z")!, isSynchronised: true)
}

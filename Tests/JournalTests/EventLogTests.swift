import Journal
import Testing

@Suite("The event log")
struct EventLogTests {
    private func log(of count: Int, limit: Int = 100) -> EventLog {
        var log = EventLog(boot: "1.abcd", limit: limit)
        for _ in 0..<count { log.append(topic: "events", payload: Array("\(log.upcoming)".utf8)) }
        return log
    }

    @Test func `events are numbered from one, and told their number`() {
        let log = log(of: 3)
        let (entries, more) = log.entries(in: 1...10, most: 100)
        #expect(entries.map(\.seq) == [1, 2, 3])
        #expect(entries.map { String(decoding: $0.payload, as: UTF8.self) } == ["1", "2", "3"])
        #expect(!more)
        #expect(log.upcoming == 4)
    }

    @Test func `an answer is cut where it grows too long, and says so`() {
        let (entries, more) = log(of: 10).entries(in: 3...9, most: 5)
        #expect(entries.map(\.seq) == [3, 4, 5, 6, 7])
        #expect(more)
    }

    @Test func `the oldest are dropped first, and named`() {
        let log = log(of: 1000, limit: 100)
        #expect(log.kept!.count >= 100 && log.kept!.count < 126)
        #expect(log.kept!.upperBound == 1000)
        #expect(log.forgotten(in: 1...1000) == 1...(log.kept!.lowerBound - 1))
        #expect(log.forgotten(in: 990...1000) == nil)
        #expect(log.entries(in: 1...50, most: 100).entries.isEmpty)
    }

    @Test func `nothing is delivered twice while the connection lasts`() {
        var log = log(of: 3)
        #expect([log.takeNext(), log.takeNext(), log.takeNext()].map { $0?.seq } == [1, 2, 3])
        #expect(log.takeNext() == nil)
        #expect(log.undelivered == 3)
        for seq in 1...3 { log.acknowledge(UInt64(seq)) }
        #expect(log.undelivered == 0)
    }

    @Test func `after a lost connection the unacknowledged come again, in order`() {
        var log = log(of: 5)
        for _ in 0..<4 { _ = log.takeNext() }
        log.acknowledge(1)
        log.acknowledge(3)
        log.rewind()
        // 3 was acknowledged, but comes again after 2: order matters more than a double, which readers drop by its id.
        #expect([log.takeNext(), log.takeNext(), log.takeNext(), log.takeNext()].map { $0?.seq } == [2, 3, 4, 5])
    }

    @Test func `what could not be handed over is the next again`() {
        var log = log(of: 3)
        _ = log.takeNext()
        let second = log.takeNext()!
        log.giveBack(second.seq)
        #expect(log.takeNext()?.seq == 2)
    }

    @Test func `what was dropped before it was sent is skipped`() {
        var log = EventLog(boot: "1.abcd", limit: 4)
        for _ in 0..<100 { log.append(topic: "events", payload: []) }
        let first = log.takeNext()
        #expect(first?.seq == log.kept?.lowerBound)
    }
}

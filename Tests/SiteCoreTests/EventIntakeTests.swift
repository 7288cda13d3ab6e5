import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite("The events of a gateway as they come in")
struct EventIntakeTests {
    private static let boot = Boot("17.kfqx")!
    private static let earlier = Boot("16.abcd")!

    private func event(_ seq: UInt64, _ boot: Boot = boot) -> LoggedEvent {
        let stamp = Stamp(at: TestSite.start, boot: boot, uptime: .zero + .seconds(Double(seq)))
        return .region(RegionEvent(.enter, seq: seq, stamp: stamp, region: "bags", gateway: "kitchen"))
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(1000 + seconds) }

    private func range(_ seqs: ClosedRange<UInt64>, _ boot: Boot = boot) -> LogRange {
        LogRange(boot: boot, seqs: SeqRange(from: seqs.lowerBound, to: seqs.upperBound))
    }

    /// A gateway that was met when its log was empty.
    private func met() -> EventIntake {
        var intake = EventIntake()
        intake.learn([], in: Self.boot, at: at(0))
        return intake
    }

    private func ask(
        _ intake: inout EventIntake, _ seconds: Double
    ) throws -> (requested: EventsRequest, transaction: String) {
        let question = intake.nextQuestion(at: at(seconds))
        return try #require(question)
    }

    private func asks(_ intake: inout EventIntake, _ seconds: Double) -> Bool {
        intake.nextQuestion(at: at(seconds)) != nil
    }

    private func take(_ event: LoggedEvent, _ intake: inout EventIntake, _ seconds: Double) -> Bool {
        intake.receive(event, at: at(seconds))
    }

    private func ready(_ intake: inout EventIntake, _ seconds: Double) -> [UInt64] {
        intake.drainReady(at: at(seconds)).map(\.id.seq)
    }

    @Test func `events come out in order, each once`() {
        var intake = met()
        for seq: UInt64 in [1, 2, 1, 2, 3] { _ = intake.receive(event(seq), at: at(0)) }
        #expect(ready(&intake, 0) == [1, 2, 3])
        #expect(!take(event(2), &intake, 1))
        #expect(ready(&intake, 1) == [])
        #expect(intake.isComplete)
    }

    @Test func `events behind a gap wait, and the gap is requested once it has lasted a second`() throws {
        var intake = met()
        for seq: UInt64 in [1, 4] { _ = intake.receive(event(seq), at: at(0)) }
        #expect(ready(&intake, 0) == [1])
        #expect(!asks(&intake, 0.5))
        let question = try ask(&intake, 1)
        #expect(question.requested == EventsRequest(boot: Self.boot, seqs: SeqRange(from: 2, to: 3)))
        #expect(!asks(&intake, 1.1))
        let response = EventsResponse(events: [event(2), event(3)])
        let notOurs = intake.receive(response, transaction: "somebody else's", at: at(1.2))
        #expect(notOurs == nil)
        let forgotten = intake.receive(response, transaction: question.transaction, at: at(1.2))
        #expect(forgotten?.seqs == [])
        #expect(ready(&intake, 1.2) == [2, 3, 4])
        #expect(intake.isComplete)
    }

    @Test func `an event of an absurd number is dropped, each time, and what follows the real ones counts`() {
        var intake = met()
        for seq: UInt64 in 1...3 {
            #expect(take(event(seq), &intake, 0))
            #expect(!take(event(1 << 53), &intake, 0))
            #expect(ready(&intake, 0) == [seq])
            #expect(intake.isComplete)
        }
    }

    @Test func `a first event of an absurd number is no beginning`() {
        var intake = EventIntake()
        for _ in 1...2 { #expect(!take(event(1 << 53), &intake, 0)) }
        intake.learn([range(1...7)], in: Self.boot, at: at(1))
        #expect(take(event(8), &intake, 2) && ready(&intake, 2) == [8] && intake.isComplete)
    }

    @Test func `events that arrive by themselves are not requested`() {
        var intake = met()
        for seq: UInt64 in [2, 1] { _ = intake.receive(event(seq), at: at(0)) }
        #expect(ready(&intake, 0) == [1, 2])
        #expect(!asks(&intake, 10))
    }

    @Test func `a response with more events to come is followed by the next request at once`() throws {
        var intake = met()
        intake.learn([range(1...250)], in: Self.boot, at: at(0))
        var seen: [UInt64] = []
        for _ in 0..<3 {
            let question = try ask(&intake, 1)
            let seqs = question.requested.seqs
            let last = min(seqs.to, seqs.from + 99)
            let response = EventsResponse(events: (seqs.from...last).map { event($0) }, more: last < seqs.to)
            _ = intake.receive(response, transaction: question.transaction, at: at(1))
            seen += ready(&intake, 1)
        }
        #expect(seen == Array(1...250))
        #expect(!asks(&intake, 20))
    }

    @Test func `events that the gateway dropped are reported once, and not awaited any longer`() throws {
        var intake = met()
        _ = intake.receive(event(10), at: at(0))
        let question = try ask(&intake, 1)
        let response = EventsResponse(
            events: [event(5), event(8), event(9)], forgotten: [SeqRange(from: 1, to: 4)])
        let forgotten = intake.receive(response, transaction: question.transaction, at: at(1))
        #expect(forgotten == EventIntake.Forgotten(boot: Self.boot, seqs: [1...4, 6...7]))
        #expect(ready(&intake, 1) == [5, 8, 9, 10])
        #expect(!asks(&intake, 20))
    }

    @Test
    func
        `without a response the current events go on after five seconds, and the request is repeated ever more rarely`()
        throws
    {
        var intake = met()
        _ = intake.receive(event(2), at: at(0))
        #expect(ready(&intake, 0) == [])
        let first = try ask(&intake, 1)
        #expect(ready(&intake, 5) == [2])
        #expect(!intake.isComplete)
        _ = intake.receive(event(3), at: at(6))
        #expect(ready(&intake, 6) == [3], "what was given up once holds nothing up")
        var asked: [Double] = []
        for second in stride(from: 6.0, to: 300, by: 1) where intake.nextQuestion(at: at(second)) != nil {
            asked.append(second)
        }
        #expect(asked == [11, 26, 51, 96, 181])
        #expect(!intake.hasResponded)
        // A response to the first request comes far too late for that request; an event that was missed is welcome whenever it comes.
        let late = intake.receive(EventsResponse(events: [event(1)]), transaction: first.transaction, at: at(301))
        #expect(late == nil)
        #expect(take(event(1), &intake, 302))
        #expect(ready(&intake, 302) == [1])
        #expect(intake.isComplete)
    }

    @Test func `a request for which all events wait is repeated every two seconds, and a late response to it counts`()
        throws
    {
        var intake = met()
        _ = intake.receive(event(2), at: at(0))
        let first = try ask(&intake, 1)
        var repeated: [Double] = []
        for second in stride(from: 2.0, to: 9, by: 1) {
            guard let again = intake.nextQuestion(at: at(second), isUrgent: true) else { continue }
            #expect(again.transaction == first.transaction && again.requested == first.requested)
            repeated.append(second)
        }
        #expect(repeated == [3, 5, 7])
        #expect(!intake.hasResponded)
        _ = intake.receive(EventsResponse(events: [event(1)], forgotten: []), transaction: first.transaction, at: at(9))
        #expect(intake.hasResponded && intake.isComplete)
    }

    @Test func `a new connection may be asked at once`() {
        var intake = met()
        _ = intake.receive(event(2), at: at(0))
        for second in stride(from: 1.0, to: 100, by: 1) { _ = intake.nextQuestion(at: at(second)) }
        intake.mayAskAnew()
        #expect(asks(&intake, 100))
        #expect(intake.hasResponded)
    }

    @Test func `the past of a gateway that is met for the first time is nobody's gap`() {
        var intake = EventIntake()
        intake.learn([range(1...400, Self.earlier), range(1...7)], in: Self.boot, at: at(0))
        #expect(intake.isComplete)
        _ = intake.receive(event(8), at: at(1))
        #expect(ready(&intake, 1) == [8])
    }

    @Test func `an event of that past that is published after all is taken, and what follows it is asked for`() throws {
        var intake = EventIntake()
        intake.learn([range(1...5)], in: Self.boot, at: at(0))
        _ = intake.receive(event(2), at: at(0))
        #expect(ready(&intake, 0) == [2])
        let question = try ask(&intake, 1)
        #expect(question.requested.seqs == SeqRange(from: 3, to: 5))
    }

    @Test func `the first event that arrives is the first`() {
        var intake = EventIntake()
        _ = intake.receive(event(813), at: at(0))
        #expect(ready(&intake, 0) == [813])
        #expect(intake.isComplete)
    }

    @Test func `the end of a run is requested before the next run's events are delivered`() throws {
        var intake = EventIntake(restoring: [range(1...400, Self.earlier)])
        _ = intake.receive(event(1), at: at(0))
        #expect(ready(&intake, 0) == [], "its log may hold more of the boot before")
        intake.learn([range(1...402, Self.earlier), range(1...1)], in: Self.boot, at: at(0.1))
        #expect(ready(&intake, 0.1) == [])
        let question = try ask(&intake, 1.1)
        #expect(question.requested == EventsRequest(boot: Self.earlier, seqs: SeqRange(from: 401, to: 402)))
        let response = EventsResponse(events: [event(401, Self.earlier), event(402, Self.earlier)])
        _ = intake.receive(response, transaction: question.transaction, at: at(1.2))
        let turns = intake.drainReady(at: at(1.2))
        #expect(
            turns.map(\.id) == [
                EventID(boot: Self.earlier, seq: 401), EventID(boot: Self.earlier, seq: 402),
                EventID(boot: Self.boot, seq: 1),
            ])
    }

    @Test func `a run that becomes known after a later one is requested first all the same`() throws {
        var intake = met()
        intake.learn([range(1...1)], in: Self.boot, at: at(0))
        _ = intake.receive(event(1), at: at(0))
        intake.learn([range(1...2, Self.earlier), range(1...1)], in: Self.boot, at: at(0))
        #expect(try ask(&intake, 1).requested == EventsRequest(boot: Self.earlier, seqs: SeqRange(from: 1, to: 2)))
        #expect(intake.isBefore(EventID(boot: Self.earlier, seq: 2), EventID(boot: Self.boot, seq: 1)))
    }

    @Test func `undelivered events of the run before a restart come before those of the next run`() {
        var intake = EventIntake(restoring: [])
        intake.learn([], in: Self.boot, at: at(0))
        _ = intake.receive(event(1, Self.earlier), at: at(0))
        _ = intake.receive(event(1), at: at(0))
        _ = intake.drainReady(at: at(6))
        #expect(intake.stored.map(\.boot) == [Self.earlier, Self.boot])
        #expect(intake.isBefore(EventID(boot: Self.earlier, seq: 1), EventID(boot: Self.boot, seq: 1)))
    }

    @Test func `after an absence it asks for what there may be behind the last that is known`() throws {
        var intake = met()
        _ = intake.receive(event(1), at: at(0))
        _ = ready(&intake, 0)
        intake.missedSomething()
        #expect(!intake.isComplete)
        let question = try ask(&intake, 1)
        #expect(question.requested.seqs == SeqRange(from: 2, to: 101))
        let forgotten = intake.receive(EventsResponse(events: [event(2)]), transaction: question.transaction, at: at(1))
        #expect(forgotten?.seqs == [])
        #expect(ready(&intake, 1) == [2])
        #expect(intake.isComplete)
        #expect(!asks(&intake, 20))
    }

    @Test func `where there is much more, it goes on asking`() throws {
        var intake = met()
        intake.missedSomething()
        let first = try ask(&intake, 1)
        _ = intake.receive(
            EventsResponse(events: (1...100).map { event($0) }, more: true), transaction: first.transaction, at: at(1))
        #expect(try ask(&intake, 1).requested.seqs == SeqRange(from: 101, to: 200))
    }

    @Test func `the end of a run that began meanwhile is requested, too`() throws {
        var intake = EventIntake(restoring: [range(1...3, Self.earlier)])
        intake.missedSomething()
        let question = try ask(&intake, 0)
        intake.learn([range(1...3, Self.earlier)], in: Self.boot, at: at(0))
        _ = intake.receive(EventsResponse(events: []), transaction: question.transaction, at: at(0))
        #expect(try ask(&intake, 0).requested == EventsRequest(boot: Self.boot, seqs: SeqRange(from: 1, to: 100)))
    }

    @Test func `after a restart it goes on where it was, holes included`() throws {
        var intake = met()
        _ = intake.receive(event(1), at: at(0))
        _ = intake.receive(event(3), at: at(0))
        _ = ready(&intake, 0)
        _ = ready(&intake, 6)
        var restored = EventIntake(restoring: intake.stored)
        #expect(!take(event(1), &restored, 10))
        #expect(!take(event(3), &restored, 10))
        restored.learn([range(1...4)], in: Self.boot, at: at(10))
        #expect(try ask(&restored, 11).requested.seqs == SeqRange(from: 2, to: 2))
    }

    @Test func `a gateway that had no event before a restart is no stranger after it`() throws {
        var restored = EventIntake(restoring: met().stored)
        restored.learn([range(1...50)], in: Self.boot, at: at(0))
        #expect(try ask(&restored, 1).requested.seqs == SeqRange(from: 1, to: 50))
    }

    @Test func `a log that claims to be endless costs one question at a time`() throws {
        var intake = met()
        intake.learn([range(1...(1 << 53))], in: Self.boot, at: at(0))
        let question = try ask(&intake, 1)
        let forgotten = intake.receive(EventsResponse(events: []), transaction: question.transaction, at: at(1))
        #expect(forgotten?.seqs == [1...(1 << 53)])
        #expect(intake.isComplete)
    }

    @Test func `doubles are dropped of a gateway whose disk forgets its count of runs`() {
        var intake = EventIntake()
        for boot in (100...109).map({ Boot("\($0).aaaa")! }) + [Boot("1.bbbb")!] {
            intake.learn([], in: boot, at: at(0))
            #expect(take(event(1, boot), &intake, 0))
            #expect(ready(&intake, 0) == [1])
        }
        #expect(!take(event(1, Boot("1.bbbb")!), &intake, 1))
        let newest = EventID(boot: Boot("1.bbbb")!, seq: 1)
        #expect(intake.isBefore(EventID(boot: Boot("109.aaaa")!, seq: 5), newest))
        #expect(!intake.isBefore(newest, EventID(boot: Boot("109.aaaa")!, seq: 5)))
    }

    @Test func `a log that reaches further back than what is remembered is not asked for again`() throws {
        var intake = EventIntake()
        var log: [LogRange] = []
        for epoch: UInt32 in 1...20 {
            let boot = Boot("\(epoch).aaaa")!
            // Its disk is away, and with it what it knows of earlier runs.
            intake.learn([], in: boot, at: at(0))
            _ = intake.receive(event(1, boot), at: at(0))
            log.append(range(1...1, boot))
            #expect(ready(&intake, 0) == [1])
        }
        intake.learn(log, in: Boot("20.aaaa")!, at: at(1))
        // All that is not known is whether there is more of the present run.
        let question = try ask(&intake, 1)
        #expect(question.requested.boot == Boot("20.aaaa"))
        _ = intake.receive(EventsResponse(events: []), transaction: question.transaction, at: at(1))
        #expect(intake.isComplete)
        #expect(!asks(&intake, 10))
        #expect(intake.stored.first?.boot == Boot("5.aaaa"))
    }

    @Test func `the intake remembers a limited number of runs`() {
        var intake = met()
        for epoch: UInt32 in 18..<40 {
            let boot = Boot("\(epoch).zzzz")!
            intake.learn([range(1...1, boot)], in: boot, at: at(0))
            _ = intake.receive(event(1, boot), at: at(0))
            _ = ready(&intake, 0)
        }
        #expect(Set(intake.stored.map(\.boot)).count == EventIntake.fewBoots)
        #expect(intake.stored.last?.boot == Boot("39.zzzz"))
    }

    @Test func `all events of a gateway that restarted forty times without an aggregator arrive, in order`() throws {
        var intake = met()
        let boots = (18..<58 as Range<UInt32>).map { Boot("\($0).zzzz")! }
        intake.learn(boots.map { range(1...2, $0) }, in: boots.last!, at: at(0))
        for boot in boots {
            let question = try ask(&intake, 1)
            #expect(question.requested == EventsRequest(boot: boot, seqs: SeqRange(from: 1, to: 2)))
            let response = EventsResponse(events: [event(1, boot), event(2, boot)])
            _ = intake.receive(response, transaction: question.transaction, at: at(1))
        }
        #expect(
            intake.drainReady(at: at(1)).map(\.id)
                == boots.flatMap { [EventID(boot: $0, seq: 1), EventID(boot: $0, seq: 2)] })
        // Once its log has forgotten them, so has who reads it.
        intake.learn([range(1...2, boots.last!)], in: boots.last!, at: at(2))
        #expect(Set(intake.stored.map(\.boot)) == Set(boots.suffix(EventIntake.fewBoots)))
    }

    @Test func `the site is stored soon if the disk lacks half of the runs in memory`() {
        var intake = met()
        intake.isOnDisk()
        #expect(!intake.isStoredTooRarely)
        for epoch: UInt32 in 18..<18 + UInt32(EventIntake.fewBoots / 2) {
            #expect(!intake.isStoredTooRarely)
            let boot = Boot("\(epoch).zzzz")!
            intake.learn([range(1...1, boot)], in: boot, at: at(0))
        }
        #expect(intake.isStoredTooRarely)
        #expect(!EventIntake(restoring: intake.stored).isStoredTooRarely)
        intake.isOnDisk()
        #expect(!intake.isStoredTooRarely)
    }
}

import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite struct InfoPublisherTests {
    private var effects = SiteEffects(prefix: .standard, boot: Boot("3.aggr")!, at: TestSite.moment(0))
    private var info = InfoPublisher(at: TestSite.moment(0).instant)

    private mutating func publish(_ problems: [String] = []) throws -> [String] {
        info.publish(
            AggregatorInfo(
                version: "1", stamp: effects.stamp(of: effects.now.instant), items: 0, gatewaysAlive: 0,
                gatewaysGone: 0, log: [], revision: 1, problems: problems), on: .aggregatorInfo, &effects)
        guard case .publish(let message)? = effects.drainOutputs().last else { return [] }
        return try AggregatorInfo(parsing: message.payload).problems
    }

    @Test mutating func `info is due 30 s after it was last published`() throws {
        #expect(!info.isDue(at: TestSite.moment(29).instant) && info.isDue(at: TestSite.moment(30).instant))
        effects.now = TestSite.moment(20)
        _ = try publish()
        #expect(!info.isDue(at: TestSite.moment(49).instant) && info.isDue(at: TestSite.moment(50).instant))
    }

    @Test mutating func `a disk problem is logged and makes info due once, and so does its end`() throws {
        info.note(diskProblem: "the disk is full", &effects)
        info.note(diskProblem: "the disk is full", &effects)
        #expect(effects.outputs.count == 1 && effects.isInfoDue)
        let problems = try publish(["another"])
        #expect(problems == ["the disk is full", "another"] && !effects.isInfoDue)
        #expect(info.firstProblem == "the disk is full")
        info.note(diskProblem: nil, &effects)
        #expect(effects.outputs.count == 1 && effects.isInfoDue && info.firstProblem == nil)
    }

    @Test mutating func `a problem that replaces another one is the only one of the two`() throws {
        info.replace(problem: nil, by: "no read")
        info.replace(problem: "no read", by: "no write")
        let one = try publish()
        #expect(one == ["no write"])
        info.replace(problem: "no write", by: nil)
        let none = try publish()
        #expect(none == [])
    }
}

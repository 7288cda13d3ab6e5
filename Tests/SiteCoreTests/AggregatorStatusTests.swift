import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite struct AggregatorStatusTests {
    private var effects = SiteEffects(prefix: .standard, boot: Boot("3.aggr")!, at: TestSite.moment(0))
    private var status = AggregatorStatus(SitePart(SubscribeSettings()), at: TestSite.moment(0).instant)

    private mutating func publish(_ problems: [String] = []) throws -> [String] {
        status.publish(
            AggregatorInfo(
                version: "1", stamp: effects.stamp(of: effects.now.instant), items: 0, gatewaysAlive: 0,
                gatewaysGone: 0, log: [], revision: 1, problems: problems), &effects)
        guard case .info(let info)? = effects.drainOutputs().last else { return [] }
        return info.problems
    }

    @Test mutating func `info is due 30 s after it was last published`() throws {
        #expect(!status.isInfoDue(at: TestSite.moment(29).instant) && status.isInfoDue(at: TestSite.moment(30).instant))
        effects.now = TestSite.moment(20)
        _ = try publish()
        #expect(!status.isInfoDue(at: TestSite.moment(49).instant) && status.isInfoDue(at: TestSite.moment(50).instant))
    }

    @Test mutating func `a disk problem is logged and makes info due once, and so does its end`() throws {
        status.note(diskProblem: "the disk is full", &effects)
        status.note(diskProblem: "the disk is full", &effects)
        #expect(effects.outputs.count == 1 && effects.isInfoDue)
        let problems = try publish(["another"])
        #expect(problems == ["the disk is full", "another"] && !effects.isInfoDue)
        #expect(status.firstProblem == "the disk is full")
        status.note(diskProblem: nil, &effects)
        #expect(effects.outputs.count == 1 && effects.isInfoDue && status.firstProblem == nil)
    }

    @Test mutating func `a problem that replaces another one is the only one of the two`() throws {
        status.replace(problem: nil, by: "no read")
        status.replace(problem: "no read", by: "no write")
        let one = try publish()
        #expect(one == ["no write"])
        status.replace(problem: "no write", by: nil)
        let none = try publish()
        #expect(none == [])
    }
}

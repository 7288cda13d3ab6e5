import Beacons
import Messages
import Testing

@testable import GatewayCore

@Suite("No clock is trusted")
struct ClockTests {
    private let stranger = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)

    /// Two stays of the bag, by a wall clock that reads `wall`.
    private func story(_ wall: (Double) -> (WallTime, Bool)) -> TestGateway {
        var gateway = TestGateway()
        for second in stride(from: 1.0, through: 120, by: 1) {
            let (time, isSynchronised) = wall(second)
            let instant = TestGateway.moment(second).instant
            gateway.pipeline.advance(to: Moment(instant: instant, wall: time, isSynchronised: isSynchronised))
            let isHere = second < 30 || (60...80).contains(second)
            gateway.receive(isHere ? TestGateway.bag : stranger, at: second)
        }
        return gateway
    }

    private func steps(_ second: Double) -> (WallTime, Bool) {
        // It begins in 1970, is set by decades, back by hours, and by a leap second now and then.
        let steps: [(from: Double, offset: Double)] = [(0, -1.79e9), (20, 0), (45, 9e8), (62, -7200), (85, 1)]
        let offset = steps.last { $0.from <= second }!.offset
        return (TestGateway.start + .seconds(second + offset), second >= 20)
    }

    @Test func `a wall clock that steps by hours and decades changes no transition`() {
        let (still, stepped) = (story { (TestGateway.start + .seconds($0), true) }, story(steps))
        #expect(still.story.count == 8)
        #expect(still.story == stepped.story)
        let uptimes = { (gateway: TestGateway) in
            gateway.events.map { event in
                switch event {
                case .beacon(let event): event.stamp.uptime
                case .region(let event): event.stamp.uptime
                case .item(let event): event.stamp.uptime
                }
            }
        }
        #expect(uptimes(still) == uptimes(stepped))
    }

    @Test func `a sighting right after the clock was set is dated by the new clock`() throws {
        var gateway = TestGateway()
        gateway.advance(to: 1)
        let later = TestGateway.start + .seconds(7202)
        gateway.pipeline.wake(
            at: Moment(instant: TestGateway.moment(2).instant, wall: later, isSynchronised: true))
        gateway.receive(at: 2)
        guard case .beacon(let enter)? = gateway.events.first else { throw Unexpected() }
        #expect(enter.stamp.at == later)
    }

    @Test func `an event of a wrong clock is dated correctly in responses once the clock is synchronised`() throws {
        var gateway = story { ($0 < 50 ? WallTime(milliseconds: 0) : TestGateway.start + .seconds($0), $0 >= 50) }
        guard case .beacon(let logged) = gateway.events[0] else { throw Unexpected() }
        #expect(!logged.stamp.isClockSynchronised && logged.stamp.at < WallTime("1971-01-01T00:00:00Z")!)
        gateway.ask("events", #"{"boot":"17.kfqx","from_seq":1,"to_seq":50}"#, at: 121)
        let responseText = gateway.published(on: .gatewayResponse(gateway: "kitchen", what: "events")).last!
        let response = try Response<EventsResponse>(parsing: Array(responseText.utf8))
        guard case .done(let content) = response.outcome, case .beacon(let enter) = content.events[0],
            case .beacon(let exit) = content.events[2]
        else { throw Unexpected() }
        #expect(enter.stamp.isClockSynchronised)
        #expect(enter.stamp.at == TestGateway.start + .seconds(1))
        #expect(enter.stamp.uptime == logged.stamp.uptime && enter.id == logged.id)
        #expect(exit.lastSeenAt == TestGateway.start + .seconds(29))
        #expect(gateway.events[0] == .beacon(logged))
    }
}

import Beacons
import Messages
import Testing

@testable import LoadGenerator

/// The simulated site publishes what real gateways would publish, and takes all of it back.
@Suite struct SimulatedSiteTests {
    private static let start = Moment(
        instant: .zero, wall: WallTime(milliseconds: 1_795_239_600_000), isSynchronised: true)

    private func site(gateways: Int, items: Int, carried: Double = 0.1) -> SimulatedSite {
        SimulatedSite(
            LoadPlan(gateways: gateways, items: items, carried: carried), boot: Boot("17.kfqx")!, version: "1",
            at: Self.start)
    }

    @Test(arguments: [(1, 1), (3, 10), (9, 100), (40, 333)])
    func `a simulated site has as many gateways and items as its plan, each with an identity of its own`(
        gateways: Int, items: Int
    ) {
        let site = site(gateways: gateways, items: items)
        #expect(site.items.count == items && Set(site.items.map(\.beacon)).count == items)
        #expect(Set(site.items.map(\.id)).count == items)
        #expect(Set(site.gateways).count == gateways && site.gateways.allSatisfy { isValidID($0) })
    }

    @Test(arguments: [(1, 65_537), (5, 100_000)])
    func `each simulated item has a beacon of its own, also where a house has more of them than minors`(
        gateways: Int, items: Int
    ) {
        let houses = LoadPlan(gateways: gateways, items: items).houses
        #expect(Set(houses.flatMap { $0.tags.map(\.beacon) }).count == items)
    }

    @Test func `every message of a simulated site is one that an aggregator reads, on its topic`() throws {
        var site = site(gateways: 4, items: 60, carried: 0.3)
        var messages: [Message] = []
        for _ in 0..<90 { site.advance { messages.append($0) } }
        var (states, events) = (0, 0)
        for message in messages {
            let name = message.topic.name(under: .standard)
            #expect(Topic(named: name, under: .standard) == message.topic)
            switch message.topic {
            case .proximity where !message.payload.isEmpty:
                _ = try RangedState(parsing: message.payload, on: message.topic)
                states += 1
            case .beaconEvent:
                _ = try BeaconEvent(parsing: message.payload, on: message.topic)
                events += 1
            case .gatewayInfo: _ = try GatewayInfo(parsing: message.payload, on: message.topic)
            case .gatewayAvailability: #expect(Availability(parsing: message.payload) == .online)
            default: #expect(message.payload.isEmpty)
            }
        }
        #expect(states > 500 && events > 60)
    }

    @Test func `the events of each simulated gateway have consecutive numbers`() throws {
        var site = site(gateways: 4, items: 60, carried: 0.5)
        var last: [String: UInt64] = [:]
        for _ in 0..<200 {
            site.advance { message in
                guard case .beaconEvent(_, let gateway) = message.topic,
                    let event = try? BeaconEvent(parsing: message.payload)
                else { return }
                #expect(event.seq == last[gateway, default: 0] + 1)
                last[gateway] = event.seq
            }
        }
        #expect(!last.isEmpty)
    }

    @Test func `items that lie still cost about a state for each heartbeat and gateway, as real gateways publish`() {
        var site = site(gateways: 8, items: 100, carried: 0)
        for _ in 0..<30 { site.advance { _ in } }
        var states = 0
        for _ in 0..<100 { site.advance { if case .proximity = $0.topic { states += 1 } } }
        // Two houses with 50 items and 4 gateways each: at most 400 pairs in range, and 10 heartbeats.
        #expect((1000...8000).contains(states), "\(states)")
    }

    @Test func `everything that a simulated site retains is deleted at its end`() {
        var site = site(gateways: 6, items: 80, carried: 0.3)
        var retained: Set<Topic> = []
        func note(_ message: Message) {
            guard message.retain else { return }
            if message.payload.isEmpty { retained.remove(message.topic) } else { retained.insert(message.topic) }
        }
        for _ in 0..<120 { site.advance(note) }
        #expect(retained.count > 80)
        site.closing().forEach(note)
        #expect(retained.isEmpty)
    }

    @Test func `a probe measures the time from its state to the location with the same distance, and counts the lost`()
        throws
    {
        var probe = LatencyProbe(2, boot: Boot("17.kfqx")!, version: "1", at: Self.start)
        let states = (1...6).flatMap { probe.states(ofSecond: $0, at: Self.start) }
        #expect(states.count == 4)
        let (item, message) = try #require(states.last)
        let state = try RangedState(parsing: message.payload, on: message.topic)
        probe.sent(item, at: Instant(milliseconds: 1000))
        let location = ItemLocation(
            item: item, name: "x", presence: .home, accuracy: state.accuracy,
            stamp: Stamp(at: Self.start.wall, boot: Boot("1.aggr")!, uptime: .zero))
        var other = location
        other.accuracy = 77
        probe.receive(other, at: Instant(milliseconds: 1001))
        probe.receive(location, at: Instant(milliseconds: 1004))
        probe.receive(location, at: Instant(milliseconds: 1100))
        #expect(probe.samples == [4])
        probe.expire(at: Instant(milliseconds: 60_000))
        // Of two probes with two states each: the first state of each was overtaken by the second, and one of these has no location.
        #expect(probe.lost == 3)
        #expect(probe.quantile(0.99) == 4)
    }
}

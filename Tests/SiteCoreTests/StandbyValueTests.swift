import Beacons
import Messages
import Testing

@testable import SiteCore

/// What one aggregator concludes from the messages of others, without items and registry.
struct StandbyValueTests {
    private var standby = Standby(StandbySettings(name: "one"), at: TestSite.moment(0))

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    private func location(_ presence: Presence, since: WallTime? = nil) -> ItemLocation {
        ItemLocation(
            item: "bag", name: "Bag", presence: presence, since: since,
            stamp: Stamp(at: TestSite.start, boot: Boot("4.aggr")!, uptime: .zero))
    }

    /// Claims the seat.
    private mutating func claim(at seconds: Double) {
        standby.seat.connected(at: at(0))
        var step = standby.seat.advance(to: at(seconds))
        if step == .ask { step = standby.seat.advance(to: at(seconds)) }
        #expect(step == .claim)
    }

    @Test mutating func `an aggregator that claims the seat takes over when its own live info comes back`() {
        claim(at: 20)
        let retained = standby.receivedInfo(isOwn: true, isRetained: true, at: at(21))
        let live = standby.receivedInfo(isOwn: true, isRetained: false, at: at(21))
        let again = standby.receivedInfo(isOwn: true, isRetained: false, at: at(22))
        #expect(retained == nil && live == .takeOver && again == nil)
        #expect(standby.seat.isActive)
    }

    @Test mutating func `who has just connected leaves the seat of one that is gone to those who have followed`() {
        standby.seat.connected(at: at(0))
        standby.seat.receivedOffline(at: at(0.5))
        #expect(standby.seat.advance(to: at(3.9)) != .claim)
        #expect(standby.seat.advance(to: at(5.1)) == .claim)
    }

    @Test mutating func `the response of an active aggregator is a sign that it lives`() {
        standby.seat.connected(at: at(0))
        for responded in [4.0, 12] {
            standby.receivedMissed(behind: nil, at: at(responded))
            #expect(standby.seat.advance(to: at(responded + 8.9)) != .claim)
        }
        #expect(standby.seat.advance(to: at(22.5)) == .claim)
    }

    @Test mutating func `events are left to another aggregator when it becomes active, once`() {
        let retained = standby.receivedInfo(isOwn: false, isRetained: true, at: at(1))
        let first = standby.receivedInfo(isOwn: false, isRetained: false, at: at(1))
        let second = standby.receivedAnother(at: at(2))
        #expect(retained == nil && first == .leaveToOther && second == nil)
        claim(at: 20)
        _ = standby.receivedInfo(isOwn: true, isRetained: false, at: at(21))
        standby.seat.tookOver()
        standby.seat.lost(at: at(30))
        let third = standby.receivedAnother(at: at(31))
        #expect(third == .leaveToOther, "another one became active after this one was")
    }

    @Test mutating func `the members are those that are online, and info names the others`() {
        let changes = [("one", Availability.online), ("two", .online), ("two", .online), ("two", .offline)].map {
            standby.receive(member: $0, $1)
        }
        #expect(changes == [true, true, false, true])
        _ = standby.receive(member: "three", .online)
        #expect(standby.others == ["three"])
    }

    @Test mutating func `an item is away while the active aggregator publishes that with a time`() {
        standby.noteAway(location(.away), of: "bag")
        #expect(standby.away.isEmpty)
        standby.noteAway(location(.away, since: TestSite.start), of: "bag")
        #expect(standby.away == ["bag": TestSite.start])
        standby.noteAway(location(.unknown), of: "bag")
        #expect(standby.away.isEmpty)
    }

    @Test mutating func `only the last own events that the broker delivered are known`() {
        for seq: UInt64 in 1...1000 { standby.received(own: seq) }
        #expect(standby.hasReceived(own: 1000) && !standby.hasReceived(own: 1))
    }
}

import Beacons
import Messages
import Testing

/// The aggregator without a name with a standby, on a site that others divide with it.
struct SharedStandbyTests {
    private static let uuid = SharedSite.uuid

    /// An event that an aggregator with a name publishes.
    private func event(seq: UInt64, at second: Double) -> ItemEvent {
        ItemEvent(
            .moved(from: "Hall", to: "Kitchen"), seq: seq, item: "laptop-bag", name: "Laptop bag",
            stamp: Stamp(
                at: TestSite.start + .seconds(second), boot: Boot("9.nort")!, uptime: .zero + .seconds(second)))
    }

    @Test func `a message of an aggregator with a name is no sign of life of the active one`() throws {
        var pair = SharedSite(pair: "left", "right")
        pair.deliver(.namedShares(aggregator: "north"), BeaconShares(shares: [BeaconShare(uuid: Self.uuid)]).bytes)
        pair.gateway("hall", room: "Hall")
        pair.advance(to: 20)
        let first = try #require(pair.active.first)
        let notification = Message(
            .itemNotification(item: "laptop-bag"),
            Notification(
                id: EventID(boot: Boot("9.nort")!, seq: 3), kind: .left, message: "It has left.", item: "laptop-bag",
                count: 1, since: TestSite.start, stamp: event(seq: 3, at: 20).stamp))
        pair.deliver(notification.topic, notification.payload)
        pair.bag(.enter, at: "hall")
        for second in 21..<30 {
            pair.deliver(.itemEvent(item: "laptop-bag"), event(seq: UInt64(second), at: Double(second)).bytes)
            pair.advance(to: Double(second))
            #expect(pair.active == [first], "the active one does not take the event for another's")
        }
        pair.stop(first)
        for second in 30..<46 {
            pair.deliver(.itemEvent(item: "laptop-bag"), event(seq: UInt64(second), at: Double(second)).bytes)
            pair.advance(to: Double(second))
        }
        #expect(pair.active.count == 1 && pair.active != [first], "the standby has taken over within 15 s")
        let items: Set<Topic> = [.itemLocation(item: "laptop-bag"), .itemNotification(item: "laptop-bag")]
        let late = pair.published.filter { items.contains($0.topic) && $0.payload.isEmpty }
        #expect(late.isEmpty, "the notification of another's item is not cleared: \(late)")
        #expect(pair.story == [])
    }

    @Test func `the aggregator that takes over publishes the shares`() throws {
        let share = BeaconShare(uuid: Self.uuid, major: 1)
        var pair = SharedSite(pair: "left", "right", tables: "[[subscribe]]\nuuid = \"\(Self.uuid)\"\nmajor = 1\n")
        pair.gateway("hall", room: "Hall")
        pair.advance(to: 20)
        let first = try #require(pair.active.first)
        #expect(pair.published.last { $0.topic == .aggregatorShares }?.payload == BeaconShares(shares: [share]).bytes)
        let count = pair.published.count
        pair.kill(first)
        pair.advance(to: 40)
        #expect(pair.published[count...].contains { $0.topic == .aggregatorShares })
        pair.bag(.enter, at: "hall")
        pair.advance(to: 60)
        pair.bag(.exit, at: "hall")
        #expect(pair.location()?.presence == .away)
    }
}

import Beacons
import Messages
import Testing

@testable import SiteCore

/// Topics that somebody has cleared at the broker, and that the aggregator publishes again.
struct ClearedTopicTests {
    private static let kitchen = Topic.gatewayAvailability(gateway: "kitchen")
    private static let health = Topic.itemHealth(item: "laptop-bag")

    @Test func `the availability of a live gateway is published with its next info after it was cleared, each time`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        for time in 1...2 {
            site.forgetOutputs()
            site.deliver(Self.kitchen, [])
            site.advance(to: site.now + 5)
            #expect(site.published(on: Self.kitchen).isEmpty, "it may have gone")
            site.heartbeat("kitchen", room: "Kitchen")
            #expect(site.published(on: Self.kitchen) == ["online"], "time \(time)")
            site.deliver(Self.kitchen, Availability.online.bytes)
            site.heartbeat("kitchen", room: "Kitchen")
            #expect(site.published(on: Self.kitchen).count == 1, "time \(time)")
        }
    }

    @Test func `a gateway without a retained availability, as with RabbitMQ, is not published`() {
        var site = TestSite()
        for _ in 1...2 {
            for _ in 1...3 { site.heartbeat("kitchen", room: "Kitchen") }
            site.reconnect(after: 3)
            site.advance(to: site.now + 10)
        }
        #expect(site.published(on: Self.kitchen).isEmpty)
    }

    @Test func `the health of a tag is published again after it was cleared, each time`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen", readings: TagReadings(batteryPercent: 50))
        for time in 1...2 {
            guard let last = site.published(on: Self.health).last else { return #expect(Bool(false)) }
            site.forgetOutputs()
            site.deliver(Self.health, [])
            #expect(site.published(on: Self.health) == [last], "time \(time)")
            site.deliver(Self.health, Array(last.utf8))
            #expect(site.published(on: Self.health).count == 1, "time \(time)")
        }
    }

    @Test func `the echo of the aggregator's own clearing publishes no health`() {
        var site = TestSite("")
        site.gateway("kitchen", room: "Kitchen")
        let bag = #"{"name":"Laptop bag","uuid":"\#(TestSite.bag.uuid)","major":1,"minor":2}"#
        for _ in 1...2 {
            _ = site.ask("items/add", bag)
            site.ranged(at: "kitchen", readings: TagReadings(batteryPercent: 50))
            site.forgetOutputs()
            _ = site.ask("items/remove", #"{"id":"laptop-bag"}"#)
            site.deliver(Self.health, [])
            #expect(site.published(on: Self.health) == [""])
        }
    }
}

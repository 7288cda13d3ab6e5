import Beacons
import Messages
import Testing

@testable import SiteCore

/// Gateways that are gone, beside a broker without persistence that restarts.
struct LostGatewayTests {
    private let hall = Topic.gatewayAvailability(gateway: "hall")

    private func site() -> TestSite {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        return site
    }

    @Test func `a gateway that is gone is offline again after each restart of a broker without persistence`() {
        var site = site()
        site.offline("hall")
        for _ in 1...2 {
            site.forgetOutputs()
            site.reconnect(after: 3)
            site.gateway("kitchen", room: "Kitchen")
            #expect(site.published(on: hall).isEmpty, "the broker may still deliver what it retains")
            site.advance(to: site.now + 5)
            #expect(site.published(on: hall) == ["offline"])
            site.offline("hall")
            site.advance(to: site.now + 60)
            #expect(site.published(on: hall).count == 1)
            #expect(site.published(on: .gatewayAvailability(gateway: "kitchen")).isEmpty)
        }
    }

    @Test func `a gateway that ends together with the broker is offline as soon as its last info has expired`() {
        var site = site()
        for _ in 1...2 {
            site.forgetOutputs()
            site.reconnect(after: 3)
            site.advance(to: site.now + 60)
            #expect(site.published(on: hall).isEmpty, "it may be about to connect")
            site.advance(to: site.now + 60)
            #expect(site.published(on: hall) == ["offline"])
            site.gateway("hall", room: "Hall")
        }
    }

    @Test func `what left while a gateway lost its state folder is away two minutes later, without an event`() {
        for restarts in [false, true] {
            var site = site()
            for turn in 1...2 {
                site.run = Boot("\(turn).hall")!
                func live(_ site: inout TestSite, seconds: Int, receives: Bool) {
                    for _ in 0..<seconds {
                        for (id, room) in [("kitchen", "Kitchen"), ("hall", "Hall")] { site.heartbeat(id, room: room) }
                        if receives { site.ranged(at: "hall") }
                        site.advance(to: site.now + 1)
                    }
                }
                site.gateway("hall", room: "Hall")
                site.event(.enter, at: "hall", seq: 1)
                live(&site, seconds: 130, receives: true)
                #expect(site.location?.presence == .home)
                site.offline("hall", isWill: true)
                site.advance(to: site.now + 20)
                let count = site.events.count
                // Another card: the run's log holds nothing of the one before.
                site.run = Boot(turn == 1 ? "1.newa" : "1.newb")!
                site.gateway("hall", room: "Hall")
                live(&site, seconds: 60, receives: false)
                #expect(site.location?.presence == .unknown)
                if restarts {
                    site = TestSite(stored: site.pipeline.stored, at: site.now)
                    site.gateway("kitchen", room: "Kitchen")
                }
                live(&site, seconds: 130, receives: false)
                #expect(site.location?.presence == .away)
                #expect(site.events.count == (restarts ? 0 : count))
            }
        }
    }

    @Test func `an item that left stays away when the gateway that it left by is removed, after a restart as well`()
        throws
    {
        var site = TestSite()
        for id in ["kitchen", "hall", "garden"] { site.gateway(id, room: id) }
        for gateway in ["kitchen", "hall"] {
            func live(_ site: inout TestSite, for seconds: Int) {
                for _ in 0..<seconds {
                    for id in ["kitchen", "hall", "garden"]
                    where site.pipeline.reports.gateways[id]?.availability == .online {
                        site.heartbeat(id, room: id)
                    }
                    site.advance(to: site.now + 1)
                }
            }
            site.event(.enter, at: gateway)
            for _ in 1...5 {
                site.ranged(at: gateway)
                live(&site, for: 1)
            }
            #expect(site.location?.presence == .home)
            site.event(.exit, at: gateway)
            site.cleared(at: gateway)
            live(&site, for: 5)
            #expect(site.location?.presence == .away)
            let story = site.story
            site.offline(gateway)
            live(&site, for: 5)
            #expect(site.location?.presence == .unknown)
            #expect(site.ask("gateways/remove", #"{"name":"\#(gateway)"}"#).contains(#""ok":true"#))
            live(&site, for: 5)
            #expect(site.location?.presence == .away && site.story == story)
            var next = TestSite(stored: try StoredSite(parsing: site.pipeline.stored.bytes), settling: false)
            next.gateway("garden", room: "garden")
            next.advance(to: 10)
            #expect(next.location?.presence == .away && next.story == [])
        }
    }

    @Test func `what the broker retains of a gateway, and what a user has cleared, is not published again`() {
        var site = site()
        site.offline("hall")
        site.reconnect(after: 3)
        site.deliver(hall, Availability.offline.bytes, retained: true)
        site.advance(to: site.now + 10)
        site.deliver(hall, [])
        site.reconnect(after: 3)
        site.advance(to: site.now + 200)
        #expect(site.published(on: hall).isEmpty)
    }

    @Test func `a gateway that reports after a foreign offline is alive, and published as online, each time`() {
        var site = site()
        for _ in 1...2 {
            site.forgetOutputs()
            site.offline("hall", isWill: true)
            site.advance(to: site.now + 5)
            #expect(site.pipeline.reports.gateways["hall"]?.isAlive(at: site.moment.instant) == false)
            site.heartbeat("hall", room: "Hall")
            site.advance(to: site.now + 5)
            #expect(site.pipeline.reports.gateways["hall"]?.isAlive(at: site.moment.instant) == true)
            #expect(site.published(on: hall) == ["online"])
        }
    }

    @Test func `a gateway that was killed can be removed at once, each time`() {
        var site = site()
        for _ in 1...2 {
            site.heartbeat("hall", room: "Hall")
            site.deliver(hall, Availability.online.bytes)
            site.advance(to: site.now + 20)
            #expect(site.ask("gateways/remove", #"{"name":"hall"}"#).contains("is alive"))
            site.offline("hall", isWill: true)
            #expect(site.ask("gateways/remove", #"{"name":"hall"}"#).contains(#""ok":true"#))
        }
    }

    @Test func `an aggregator that somebody calls offline is online again, each time`() {
        var site = site()
        for _ in 1...2 {
            site.forgetOutputs()
            for payload in [Availability.offline.bytes, []] { site.deliver(.aggregatorAvailability, payload) }
            site.deliver(.aggregatorAvailability, Availability.online.bytes)
            #expect(site.published(on: .aggregatorAvailability) == ["online", "online"])
        }
    }

    @Test func `a gateway that connects while its offline is on the way is online again`() {
        var site = site()
        site.offline("hall")
        for _ in 1...2 {
            site.reconnect(after: 3)
            site.advance(to: site.now + 5)
            // The broker delivers in the order in which it received the two; the gateway repeats that it is online after some seconds.
            site.gateway("hall", room: "Hall")
            site.offline("hall")
            site.advance(to: site.now + 5)
            site.gateway("hall", room: "Hall")
            site.advance(to: site.now + 5)
            #expect(site.pipeline.reports.gateways["hall"]?.isAlive(at: site.moment.instant) == true)
            site.offline("hall")
        }
    }
}

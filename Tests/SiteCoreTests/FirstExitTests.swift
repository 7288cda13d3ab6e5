import Messages
import Testing

@testable import SiteCore

/// Items that are added while they lie at home, where the gateways monitor their beacons already.
struct FirstExitTests {
    private static let bag = #"{"name":"Laptop bag","uuid":"\#(TestSite.bag.uuid)","major":1,"minor":2}"#

    private func site() -> TestSite {
        var site = TestSite("")
        for id in ["kitchen", "garage"] { site.gateway(id, room: id) }
        return site
    }

    private func live(_ site: inout TestSite, for seconds: Int) {
        for second in 0..<seconds {
            if second % 10 == 0 { for id in ["kitchen", "garage"] { site.heartbeat(id, room: id) } }
            site.advance(to: site.now + 1)
        }
    }

    @Test
    func `an item that was added is not away by the exit of a gateway that had it before, nor returns, each time`() {
        var site = site()
        for time in 1...2 {
            site.forgetOutputs()
            _ = site.ask("items/add", Self.bag)
            site.event(.exit, at: "garage")
            site.cleared(at: "garage")
            live(&site, for: 5)
            #expect(site.location?.presence == .unknown, "time \(time)")
            site.ranged(at: "kitchen")
            live(&site, for: 5)
            #expect(site.location?.presence == .home && site.story == [], "time \(time)")
            _ = site.ask("items/remove", #"{"id":"laptop-bag"}"#)
        }
    }

    @Test func `an item that was added is away when the gateway that received it exits it, each time`() {
        var site = site()
        for time in 1...2 {
            site.forgetOutputs()
            _ = site.ask("items/add", Self.bag)
            site.ranged(at: "kitchen")
            site.event(.exit, at: "garage")
            live(&site, for: 5)
            #expect(site.location?.presence == .home, "time \(time)")
            site.event(.exit, at: "kitchen")
            site.cleared(at: "kitchen")
            live(&site, for: 5)
            #expect(
                site.location?.presence == .away && site.story == Array(repeating: "left kitchen", count: time),
                "time \(time)")
            _ = site.ask("items/remove", #"{"id":"laptop-bag"}"#)
        }
    }

    @Test func `an item that was added and left before any gateway reported it is away after a while, each time`() {
        var site = site()
        for time in 1...2 {
            site.forgetOutputs()
            _ = site.ask("items/add", Self.bag)
            live(&site, for: 3)
            site.event(.exit, at: "kitchen")
            site.cleared(at: "kitchen")
            live(&site, for: 10)
            #expect(site.location?.presence == .unknown, "time \(time)")
            live(&site, for: 50)
            #expect(site.location?.presence == .away && site.story == [], "time \(time)")
            // A gateway that is down may have the item.
            _ = site.ask("items/remove", #"{"id":"laptop-bag"}"#)
            site.offline("garage")
            _ = site.ask("items/add", Self.bag)
            live(&site, for: 3)
            site.event(.exit, at: "kitchen")
            site.advance(to: site.now + 1)
            for _ in 0..<70 {
                site.heartbeat("kitchen", room: "kitchen")
                site.advance(to: site.now + 1)
            }
            #expect(site.location?.presence == .unknown, "time \(time)")
            _ = site.ask("items/remove", #"{"id":"laptop-bag"}"#)
            for id in ["kitchen", "garage"] { site.gateway(id, room: id) }
        }
    }
}

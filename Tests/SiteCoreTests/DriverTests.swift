import Delivery
import Messages
import Testing

@testable import SiteCore

@Suite("An aggregator's driver")
struct DriverTests {
    @Test
    func `a subscription that the broker refuses is logged once, and is a problem in info until the broker grants it`()
        throws
    {
        var site = try DrivenSite()
        let filter = "forgetmenot/beacons/+/+/+/+/event"
        let rejection = BrokerRejection(reasonCode: 128, description: "unspecified error")
        for _ in 0..<2 { site.handle(.broker(.subscriptionRefused(filter: filter, rejection))) }
        site.advance(to: site.now + 40)
        let problem = "The broker does not let the aggregator read \(filter): unspecified error"
        #expect(site.problems == [problem])
        #expect(site.logged.count { $0 == problem } == 1)
        site.handle(.broker(.subscribed(filter: filter)))
        site.advance(to: site.now + 40)
        #expect(site.problems == [])
        #expect(site.logged.contains("The broker lets the aggregator read \(filter) again"))
    }

    @Test func `a publication that the broker refuses is logged once, and is a problem in info until a new connection`()
        throws
    {
        var site = try DrivenSite()
        let problem = "The broker refuses what the aggregator publishes: not authorized"
        for round in 1...2 {
            for number in 0..<3 {
                let rejection = BrokerRejection(reasonCode: 135, description: "not authorized")
                site.handle(.broker(.refused(1_000_000 + UInt64(number), rejection)))
            }
            site.advance(to: site.now + 200)
            #expect(site.problems == [problem])
            #expect(site.logged.count { $0 == problem } == round)
            site.handle(.broker(.disconnected("gone")))
            site.handle(.broker(.connected))
            site.advance(to: site.now + 40)
            #expect(site.problems == [])
        }
    }

    @Test func `a second aggregator with the same client id is a problem in info for half an hour, each time`() throws {
        var site = try DrivenSite()
        for _ in 1...2 {
            for _ in 1...2 {
                site.handle(.broker(.disconnected("another client connected as forgetmenot")))
                site.driver.wasThrownOut(at: TestSite.moment(site.now).instant)
                site.handle(.broker(.connected))
                site.advance(to: site.now + 40)
                #expect(site.problems == [SharedID.sentence("forgetmenot", ofGateway: false)])
            }
            site.advance(to: site.now + 1900)
            #expect(site.problems == [])
        }
    }

    @Test func `an occupancy sensor without a room is a problem in info, and a strange payload is logged once`() throws
    {
        var site = try DrivenSite("[occupancy]\nenabled = true")
        site.gateway("kitchen")
        site.deliver(.roomOccupancy(room: "room-kitchen"), Occupancy.on.bytes)
        site.deliver(.roomOccupancy(room: "cellar"), Occupancy.on.bytes)
        for payload in ["true", "{}"] { site.deliver(.roomOccupancy(room: "room-kitchen"), Array(payload.utf8)) }
        site.advance(to: site.now + 5)
        try #require(site.problems.count == 1, "\(site.problems)")
        #expect(site.problems[0].contains("forgetmenot/rooms/cellar/occupancy"), "\(site.problems)")
        #expect(site.problems[0].contains("room-kitchen"), "\(site.problems)")
        #expect(site.logged.count { $0 == "A message from the broker was ignored: occupancy" } == 1)
        site.deliver(.roomOccupancy(room: "cellar"), [])
        site.advance(to: site.now + 5)
        #expect(site.problems == [])
    }
}

import Delivery
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
}

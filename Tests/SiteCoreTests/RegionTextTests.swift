import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite("What is said of regions")
struct RegionTextTests {
    private func event(
        _ transition: Transition, _ seq: UInt64, at gateway: String, in site: inout TestSite, _ text: String?
    ) {
        let event = RegionEvent(
            transition, seq: seq, stamp: site.stamp(at: site.now), region: "bags", gateway: gateway, message: text)
        site.deliver(.regionEvent(region: "bags", gateway: gateway), event.bytes)
    }

    private func published(_ site: TestSite) -> [String] {
        site.outputs.compactMap { output in
            guard case .perform(.notify(let payload)) = output else { return nil }
            return (try? RegionEvent(parsing: payload))?.message
        }
    }

    @Test func `the user's program runs once for the first gateway that has a region, and once for the last`() {
        var site = TestSite()
        for gateway in ["kitchen", "hall"] { site.gateway(gateway, room: gateway) }
        event(.enter, 1, at: "kitchen", in: &site, "Welcome")
        event(.enter, 1, at: "hall", in: &site, "Welcome")
        event(.enter, 1, at: "hall", in: &site, "Welcome")
        event(.exit, 2, at: "kitchen", in: &site, "Bye")
        #expect(published(site) == ["Welcome"])
        event(.exit, 2, at: "hall", in: &site, "Bye")
        #expect(published(site) == ["Welcome", "Bye"])
        event(.enter, 3, at: "hall", in: &site, nil)
        #expect(published(site) == ["Welcome", "Bye"])
    }

    @Test func `a region that was removed while inside at a gateway that died welcomes again once it is added, twice`()
    {
        var site = TestSite()
        for gateway in ["kitchen", "hall"] { site.gateway(gateway, room: gateway) }
        for round in 1...2 {
            let added = site.ask(
                "regions/add",
                #"{"identifier":"bags","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":9,"minor":\#(round)}"#)
            #expect(added.contains(#""ok":true"#), "\(added)")
            let inside = RegionState(.inside, gateway: "kitchen", stamp: site.stamp(at: site.now))
            site.deliver(.regionState(region: "bags", gateway: "kitchen"), inside.bytes)
            site.offline("kitchen")
            _ = site.ask("regions/remove", #"{"id":"bags"}"#)
            _ = site.ask(
                "regions/add",
                #"{"identifier":"bags","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":9,"minor":9}"#)
            event(.enter, UInt64(2 * round - 1), at: "hall", in: &site, "Welcome \(round)")
            event(.exit, UInt64(2 * round), at: "hall", in: &site, nil)
            _ = site.ask("regions/remove", #"{"id":"bags"}"#)
        }
        #expect(published(site) == ["Welcome 1", "Welcome 2"])
    }

    @Test func `a beacon inside a gateway that died, or went blind, causes no welcome elsewhere`() {
        var site = TestSite()
        for gateway in ["kitchen", "hall"] { site.gateway(gateway, room: gateway) }
        for state in [MonitoringState.inside, .unknown] {
            let payload = RegionState(state, gateway: "kitchen", stamp: site.stamp(at: site.now))
            site.deliver(.regionState(region: "bags", gateway: "kitchen"), payload.bytes)
        }
        site.offline("kitchen")
        event(.enter, 1, at: "hall", in: &site, "Welcome")
        #expect(published(site).isEmpty)
    }
}

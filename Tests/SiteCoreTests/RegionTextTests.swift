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
            guard case .notify(let payload) = output else { return nil }
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

import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite("Gateways that hear each other")
struct MutualReceptionTests {
    private func beacon(_ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: BeaconUUID(high: 7, low: 7), major: 1, minor: minor)
    }

    /// The kitchen and the hall, and each further gateway of `others`, whose beacon is `minor`.
    private func site(_ toml: String = TestSite.bagItem, others: [String: UInt16] = [:]) -> TestSite {
        var site = TestSite(toml)
        let minors = others.merging(["kitchen": 1, "hall": 2]) { $1 }
        for (id, minor) in minors.sorted(by: { $0.key < $1.key }) {
            site.deliver(.gatewayAvailability(gateway: id), Availability.online.bytes)
            deliver(info(id, minor: minor, room: id, at: site.now, of: site), of: id, to: &site)
        }
        return site
    }

    private func info(_ id: String, minor: UInt16, room: String, at now: Double, of site: TestSite) -> GatewayInfo {
        GatewayInfo(
            gateway: id, room: room, version: "1", stamp: site.stamp(at: now),
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn),
            beacon: GatewayInfo.Beacon(identity: beacon(minor), measuredPower: MeasuredPower(dBm: -59)), regions: 1)
    }

    private func deliver(_ info: GatewayInfo, of id: String, to site: inout TestSite) {
        site.deliver(.gatewayInfo(gateway: id), info.bytes)
    }

    /// Ten minutes in which the kitchen receives the hall 6 dB worse than the hall receives the kitchen.
    private func receive(_ site: inout TestSite, isRetained: Bool = false) {
        for _ in 0..<62 {
            for (by, of, rssi) in [("kitchen", 2 as UInt16, -76.0), ("hall", 1, -70)] {
                let state = RangedState(
                    gateway: by, proximity: .far, accuracy: 5, rssi: rssi, sightings: 50, addresses: 1,
                    stamp: site.stamp(at: site.now), validFor: 25)
                site.deliver(.proximity(beacon(of), gateway: by), state.bytes, retained: isRetained)
            }
            site.advance(to: site.now + 10)
        }
    }

    private func received(_ toml: String = TestSite.bagItem) -> TestSite {
        var site = site(toml)
        receive(&site)
        return site
    }

    private func offsets(_ site: TestSite) -> [Double] {
        ["hall", "kitchen"].map { id in
            site.pipeline.items.surroundings.model.site.gateways.first { $0.id == id }!.rssiOffset
        }
    }

    @Test func `the offsets of two gateways compensate what one receives worse than the other, half each`() {
        let site = received()
        #expect(offsets(site) == [-3, 3])
        #expect(site.notes.contains { $0.contains("kitchen +3.0 dB") })
    }

    @Test(arguments: [1.5, 0])
    func `an offset of the configuration counts instead, and the other gateway is compared with it`(offset: Double) {
        let site = received(TestSite.bagItem + "\n[[gateway]]\nid = \"kitchen\"\nrssi_offset_db = \(offset)\n")
        #expect(offsets(site) == [offset - 6, offset])
    }

    @Test
    func
        `a gateway's published offset takes precedence over the learned one, and the aggregator's configuration over both`()
    {
        for (toml, expected) in [("", 4.0), ("\n[[gateway]]\nid = \"kitchen\"\nrssi_offset_db = 1.5\n", 1.5)] {
            var site = received(TestSite.bagItem + toml)
            var info = info("kitchen", minor: 1, room: "kitchen", at: site.now, of: site)
            info.rssiOffset = 4
            deliver(info, of: "kitchen", to: &site)
            site.advance(to: site.now + 1)
            #expect(offsets(site) == [expected - 6, expected])
        }
    }

    @Test func `a person who corrects one gateway by the whole difference changes no other gateway, each time`() {
        var site = received()
        for offset in [6.0, 8, 6] {
            var info = info("kitchen", minor: 1, room: "kitchen", at: site.now, of: site)
            info.rssiOffset = offset
            deliver(info, of: "kitchen", to: &site)
            receive(&site)
            #expect(offsets(site) == [offset - 6, offset])
        }
    }

    @Test func `two gateways that send the same beacon teach nothing, because nobody knows which was received`() {
        var site = site(others: ["cellar": 1])
        receive(&site)
        #expect(offsets(site) == [0, 0])
    }

    @Test func `a retained state of unknown age teaches nothing`() {
        var site = site()
        receive(&site, isRetained: true)
        #expect(offsets(site) == [0, 0])
    }

    @Test func `a gateway that is carried to another room loses what was learned of it in the former one, each time`() {
        var site = site(others: ["cellar": 3])
        receive(&site)
        for room in ["hall", "cellar"] {
            deliver(info("kitchen", minor: 1, room: room, at: site.now, of: site), of: "kitchen", to: &site)
            site.advance(to: site.now + 610)
            #expect(offsets(site) == [0, 0])
            receive(&site)
            #expect(offsets(site) == [-3, 3])
        }
    }

    @Test func `a gateway whose room is renamed keeps its offset, each time`() {
        var site = received()
        for room in ["cellar", "kitchen"] {
            deliver(info("kitchen", minor: 1, room: room, at: site.now, of: site), of: "kitchen", to: &site)
            site.advance(to: site.now + 610)
            #expect(offsets(site) == [-3, 3])
        }
    }
}

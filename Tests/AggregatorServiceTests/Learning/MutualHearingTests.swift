import Beacons
import Messages
import Testing

@testable import AggregatorService

@Suite("Gateways that hear each other")
struct MutualHearingTests {
    private func beacon(_ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: BeaconUUID(high: 7, low: 7), major: 1, minor: minor)
    }

    /// Ten minutes in which the kitchen hears the hall 6 dB worse than the hall hears the kitchen.
    private func heard(_ toml: String = TestSite.bagItem, minors: (kitchen: UInt16, hall: UInt16) = (1, 2)) -> TestSite
    {
        var site = TestSite(toml)
        for (id, minor) in [("kitchen", minors.kitchen), ("hall", minors.hall)] {
            site.say(.gatewayAvailability(gateway: id), Availability.online.bytes)
            let info = GatewayInfo(
                gateway: id, room: id, version: "1", stamp: site.stamp(at: site.now),
                radio: GatewayInfo.Radio(source: "test", state: .poweredOn),
                beacon: GatewayInfo.Beacon(identity: beacon(minor), measuredPower: MeasuredPower(dBm: -59)), regions: 1)
            site.say(.gatewayInfo(gateway: id), info.bytes)
        }
        for _ in 0..<62 {
            for (by, of, rssi) in [("kitchen", minors.hall, -76.0), ("hall", minors.kitchen, -70.0)] {
                let state = RangedState(
                    gateway: by, proximity: .far, accuracy: 5, rssi: rssi, sightings: 50, addresses: 1,
                    stamp: site.stamp(at: site.now), validFor: 25)
                site.say(.proximity(beacon(of), gateway: by), state.bytes)
            }
            site.advance(to: site.now + 10)
        }
        return site
    }

    private func offsets(_ site: TestSite) -> [Double] {
        ["hall", "kitchen"].map { id in site.pipeline.model.site.gateways.first { $0.id == id }!.rssiOffset }
    }

    @Test func `what one hears worse than the other is made up for, half by each`() {
        let site = heard()
        #expect(offsets(site) == [-3, 3])
        #expect(
            site.outputs.contains { if case .note(let note) = $0 { note.contains("kitchen +3.0 dB") } else { false } })
    }

    @Test func `an offset of the configuration counts instead`() {
        let site = heard(TestSite.bagItem + "\n[[gateway]]\nid = \"kitchen\"\nrssi_offset_db = 1.5\n")
        #expect(offsets(site) == [-3, 1.5])
    }

    @Test func `two that send the same beacon cannot be told apart, and teach nothing`() {
        #expect(offsets(heard(minors: (1, 1))) == [0, 0])
    }
}

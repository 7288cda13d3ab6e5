import Beacons
import Linux
import Messages
import Testing

@testable import SiteClient

@Suite("Nearby")
struct NearbyTests {
    private func beacon(_ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: Example.bag.uuid, major: 5, minor: minor)
    }

    /// The responses of gateways that receive beacons, by the beacons' minor.
    private func nearby(_ received: [String: [UInt16: Double]], known: Set<BeaconIdentity> = []) -> Nearby {
        let stamp = Stamp(at: Example.start, boot: Boot("17.kfqx")!, uptime: .zero)
        let responses = received.map { gateway, beacons in
            let response = BeaconsResponse(
                gateway: gateway, room: "Room of \(gateway)", stamp: stamp,
                beacons: beacons.map { minor, rssi in
                    ReceivedBeacon(
                        beacon(minor), rssi: rssi, measuredPower: MeasuredPower(dBm: -59), proximity: .unknown,
                        address: DeviceAddress(bits: 1, kind: .public), addresses: 1, sightings: 9,
                        lastSeenAt: Example.start)
                })
            return (gateway, response)
        }
        return Nearby(Dictionary(uniqueKeysWithValues: responses), known: known)
    }

    @Test
    func
        `the strongest unknown beacon comes first, with the gateway that receives it best, and beacons of items are left out`()
    {
        let nearby = nearby(
            ["kitchen": [1: -80, 2: -60, 3: -40], "hall": [1: -50, 2: -70]], known: [beacon(3)])
        #expect(nearby.beacons.map(\.beacon) == [beacon(1), beacon(2)])
        #expect(nearby.beacons.map { $0.received[0].gateway } == ["hall", "kitchen"])
        #expect(nearby.beacons.map(\.received.count) == [2, 2])
    }

    @Test func `the beacon held against a gateway is the nearest`() throws {
        #expect(try nearby(["kitchen": [1: -35, 2: -60], "hall": [1: -70, 2: -46]]).nearest() == beacon(1))
    }

    @Test(
        arguments: [
            ([:], "no unknown beacon"),
            (["kitchen": [1: -45, 2: -50, 3: -70]], "5/1 (-45 dBm at kitchen), "),
            (["kitchen": [1: -75]], "is not near"),
        ] as [([String: [UInt16: Double]], String)])
    func `a beacon that is not clearly held against a gateway is refused, with the reason`(
        received: [String: [UInt16: Double]], words: String
    ) throws {
        let failure = try #require(throws: Failure.self) { try nearby(received).nearest() }
        #expect(failure.status == .no && failure.description.contains(words), "\(failure)")
        #expect(!failure.description.contains("5/3"))
    }
}

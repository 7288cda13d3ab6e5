import Beacons
import Testing

@testable import Ranging

/// One second on a test's clock.
func second(_ count: Double) -> Instant { .zero + .seconds(count) }

let uuid = BeaconUUID(high: 0xDAF2_46CE_8363_11E4, low: 0xB116_123B_93F7_5CBA)
let bag = BeaconIdentity(uuid: uuid, major: 1, minor: 2)
let bike = BeaconIdentity(uuid: uuid, major: 1, minor: 3)

func sighting(_ beacon: BeaconIdentity, at seconds: Double, rssi: Int8 = -60, from address: UInt64 = 1) -> Sighting {
    Sighting(
        beacon: beacon, rssi: RSSI(dBm: rssi), measuredPower: MeasuredPower(dBm: -59),
        address: DeviceAddress(bits: address, kind: .random), at: second(seconds))
}

@Suite struct `Monitor enters and exits` {
    @Test func `a beacon enters with its first sighting and exits after the silence required`() {
        var monitor = Monitor(Monitor.Settings(exitAfter: .fixed(.seconds(10))), at: .zero)
        _ = monitor.setRegions([Region(id: "bag", identifier: "Bag", scope: .beacon(bag))], at: .zero)
        _ = monitor.radio(listening: true, at: .zero)
        let entered = monitor.hear(sighting(bag, at: 1)) ?? []
        #expect(entered.count == 2)
        monitor.heardSomething(at: second(9))
        let left = monitor.advance(to: second(30))
        guard case .beacon(let exit) = left.first else {
            Issue.record("no exit: \(left)")
            return
        }
        #expect(exit.event == .exit)
        #expect(exit.at == second(11))
        #expect(left.count == 2)
    }
}

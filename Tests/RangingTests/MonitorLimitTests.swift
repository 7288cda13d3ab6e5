import Beacons
import Testing

@testable import Ranging

struct MonitorLimitTests {
    private func stranger(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: owner, major: UInt16(3 + number >> 16), minor: UInt16(truncatingIfNeeded: number))
    }

    @Test func `where all members are inside, newcomers are refused and counted, and those inside keep their places`() {
        var monitor = listening(to: [everything, region("cat", cat)], memberLimit: 100)
        for moment in 1...5 {
            for number in 0..<200 { _ = monitor.hear(sighting(stranger(number), at: Double(moment))) }
        }
        #expect(monitor.beaconStatuses.count == 100)
        #expect(monitor.refusedMembers == 500)
        #expect(monitor.state(of: stranger(99)) == .inside)
        #expect(monitor.hear(sighting(stranger(100), at: 6)) == nil)
        #expect(monitor.heard(cat, at: 6).first == "2/1 enter @6")
    }

    @Test func `a member that is outside gives its place to a newcomer, the longest silent first`() {
        var monitor = listening(to: [everything], memberLimit: 3)
        _ = monitor.heard(bag, at: 1)
        _ = monitor.heard(bike, at: 2)
        _ = monitor.heard(keys, at: 3)
        _ = monitor.passed(4...30)
        #expect(monitor.heard(bag, at: 31) == ["1/1 enter @31", "everything enter @31"])
        #expect(monitor.heard(cat, at: 32) == ["2/1 enter @32"])
        #expect(monitor.beaconStatuses.map(\.identity) == [bag, keys, cat])
    }

    @Test func `a beacon that a region names exactly is never given up`() {
        var monitor = listening(to: [everything, region("bag", bag)], memberLimit: 1)
        _ = monitor.heard(bag, at: 1)
        _ = monitor.passed(2...30)
        for number in 0..<1000 { _ = monitor.hear(sighting(stranger(number), at: 31)) }
        #expect(monitor.beaconStatuses.map(\.identity).contains(bag))
        #expect(monitor.beaconStatuses.count == 2)
    }

    @Test func `a member that left is forgotten after a day, one that never entered after ten minutes`() {
        var monitor = listening(to: [everything], enterRSSI: -70)
        _ = monitor.heard(bag, at: 0, rssi: -60)
        _ = monitor.heard(bike, at: 0, rssi: -90)
        _ = monitor.passed(1...599)
        #expect(monitor.beaconStatuses.map(\.identity) == [bag, bike])
        _ = monitor.advance(to: second(600))
        #expect(monitor.beaconStatuses.map(\.identity) == [bag])
        _ = monitor.advance(to: second(86_399))
        #expect(monitor.beaconStatuses.map(\.identity) == [bag])
        _ = monitor.advance(to: second(86_400))
        #expect(monitor.beaconStatuses.isEmpty)
        #expect(monitor.nextDeadline == nil)
    }

    @Test func `a flood of random identities costs no more than its places`() {
        var monitor = listening(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        for number in 0..<50_000 { _ = monitor.hear(sighting(stranger(number), at: Double(number) / 1000)) }
        #expect(monitor.beaconStatuses.count == 1000)
        let bytes = 1000 * (MemoryLayout<MonitorRecord>.stride + MemoryLayout<SilenceModel>.stride)
        #expect(bytes < 1_000_000)
    }
}

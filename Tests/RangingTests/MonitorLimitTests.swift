import Beacons
import Testing

@testable import Ranging

struct MonitorLimitTests {
    private func stranger(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: owner, major: UInt16(3 + number >> 16), minor: UInt16(truncatingIfNeeded: number))
    }

    @Test func `where all members are inside, a newcomer takes the place of the one with the fewest sightings`() {
        var monitor = scanning(to: [everything], memberLimit: 3)
        for moment in 1...5 { _ = monitor.received(bag, at: Double(moment)) }
        for moment in 1...3 { _ = monitor.received(bike, at: Double(moment)) }
        _ = monitor.received(keys, at: 2)
        // Of the one that makes room nothing is known any more; it has not left.
        #expect(monitor.received(cat, at: 6) == ["1/3 unknown @6", "2/1 enter @6"])
        #expect(monitor.beaconStatuses.map(\.identity) == [bag, bike, cat])
        #expect(monitor.displacedMembers == 1)
        #expect(monitor.regionStatuses.map(\.beacons) == [3])
    }

    @Test func `of members with equally few sightings the one received longest ago makes room`() {
        var monitor = scanning(to: [everything], memberLimit: 3)
        for (moment, beacon) in [bike, bag, keys].enumerated() { _ = monitor.received(beacon, at: Double(moment)) }
        _ = monitor.received(cat, at: 6)
        #expect(monitor.beaconStatuses.map(\.identity) == [bag, keys, cat])
    }

    @Test func `a thousand false identities do not hide a new tag, and cannot drive out one that is received often`() {
        var monitor = scanning(to: [everything, region("cat", cat)])
        for moment in 1...5 { _ = monitor.received(bag, at: Double(moment)) }
        for moment in 6...8 {
            for number in 0..<1000 { _ = monitor.receive(sighting(stranger(number), at: Double(moment))) }
        }
        #expect(monitor.beaconStatuses.count == 1000)
        #expect(monitor.state(of: bag) == .inside)
        _ = monitor.received(bike, at: 9)
        #expect(monitor.state(of: bike) == .inside)
        #expect(monitor.received(cat, at: 9).first == "2/1 enter @9")
    }

    @Test func `identities that compete for the last places displace few of each other`() {
        var monitor = scanning(to: [everything], memberLimit: 100)
        for moment in 1...100 {
            for number in 0..<200 { _ = monitor.receive(sighting(stranger(number), at: Double(moment))) }
        }
        #expect(monitor.beaconStatuses.count == 100)
        // Each of those outside displaces one a minute.
        #expect(monitor.displacedMembers <= 200)
        #expect(monitor.refusedMembers + monitor.displacedMembers >= 100 * 100)
    }

    @Test func `a flood of new identities displaces no more than some ten a second`() {
        var monitor = scanning(to: [everything], memberLimit: 100)
        for moment in 0..<60_000 { _ = monitor.receive(sighting(stranger(moment), at: Double(moment) / 1000)) }
        #expect(monitor.displacedMembers <= 100 + 10 * 60 && monitor.displacedMembers >= 500)
    }

    @Test func `a beacon that is displaced while it is silent is no suspect any more`() {
        var monitor = scanning(to: [everything], memberLimit: 3)
        for beacon in [bag, bike, keys] { _ = monitor.received(beacon, at: 1) }
        _ = monitor.passed(2...5)
        #expect(monitor.suspectCount == 3)
        _ = monitor.received(cat, at: 6)
        #expect(monitor.displacedMembers == 1 && monitor.suspectCount == 2)
    }

    @Test func `a region whose last member was displaced is unknown, and has not been left`() {
        var monitor = scanning(to: [bags, everything], memberLimit: 1)
        _ = monitor.received(bag, at: 1)
        let reported = monitor.received(cat, at: 2)
        #expect(reported.prefix(2) == ["1/1 unknown @2", "bags unknown @2"] && reported.contains("2/1 enter @2"))
        #expect(!reported.contains { $0.contains("exit") })
        #expect(monitor.state(ofRegion: "everything") == .inside)
        #expect(monitor.passed(3...11) == [])
    }

    @Test func `a member that is outside gives its place to a newcomer, the longest silent first`() {
        var monitor = scanning(to: [everything], memberLimit: 3)
        _ = monitor.received(bag, at: 1)
        _ = monitor.received(bike, at: 2)
        _ = monitor.received(keys, at: 3)
        _ = monitor.passed(4...30)
        #expect(monitor.received(bag, at: 31) == ["1/1 enter @31", "everything enter @31"])
        #expect(monitor.received(cat, at: 32) == ["2/1 enter @32"])
        #expect(monitor.beaconStatuses.map(\.identity) == [bag, keys, cat])
    }

    @Test func `a beacon that a region names exactly is never given up`() {
        var monitor = scanning(to: [everything, region("bag", bag)], memberLimit: 1)
        _ = monitor.received(bag, at: 1)
        _ = monitor.passed(2...30)
        for number in 0..<1000 { _ = monitor.receive(sighting(stranger(number), at: 31)) }
        #expect(monitor.beaconStatuses.map(\.identity).contains(bag))
        #expect(monitor.beaconStatuses.count == 2)
    }

    @Test func `a member that left is forgotten after a day, one that never entered after ten minutes`() {
        var monitor = scanning(to: [everything], enterRSSI: -70)
        _ = monitor.received(bag, at: 0, rssi: -60)
        _ = monitor.received(bike, at: 0, rssi: -90)
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
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        for number in 0..<50_000 { _ = monitor.receive(sighting(stranger(number), at: Double(number) / 1000)) }
        #expect(monitor.beaconStatuses.count == 1000)
        let bytes = 1000 * (MemoryLayout<MonitorRecord>.stride + MemoryLayout<SilenceModel>.stride)
        #expect(bytes < 1_000_000)
    }

    @Test func `beacons that make room for one that has no place in the end are unknown all the same`() {
        var former = scanning(to: [everything], memberLimit: 200)
        for number in 0..<150 { _ = former.receive(sighting(stranger(number), at: 1)) }
        var monitor = Monitor(Monitor.Settings(exitAfter: .fixed(.seconds(10)), memberLimit: 10), at: .zero)
        _ = monitor.setRegions([everything], at: .zero)
        monitor.restore(
            former.snapshot(at: second(1)), downtime: .zero, restoreWithin: .seconds(900), at: .zero)
        _ = monitor.radio(scanning: true, at: .zero)
        let reported = monitor.received(bag, at: 1)
        #expect(reported.count == 100 && reported.allSatisfy { $0.contains("unknown") })
        #expect(monitor.refusedMembers == 1 && monitor.displacedMembers == 100)
    }
}

import Beacons
import Testing

@testable import Ranging

struct MonitorTests {
    @Test func `a beacon enters with its first sighting and exits after the silence required`() {
        var monitor = scanning(to: [bags])
        #expect(monitor.received(bag, at: 1) == ["1/1 enter @1", "bags enter @1"])
        #expect(monitor.passed(2...3) == [])
        #expect(monitor.received(bag, at: 4) == [])
        #expect(monitor.passed(5...14) == [])
        #expect(monitor.passed(15...30) == ["1/1 exit @14.5", "bags exit @14.5"])
    }

    @Test func `an exit has the time inside, and the time and RSSI of the last sighting`() throws {
        var monitor = scanning(to: [bags, region("bag", bag, isImplicit: true)])
        _ = monitor.received(bag, at: 1)
        _ = monitor.received(bag, at: 61, rssi: -88)
        monitor.receivedSomething(at: second(70))
        let left = monitor.advance(to: second(100))
        let exit = try #require(left.first?.beacon)
        #expect(exit.event == .exit)
        #expect(exit.state == .outside)
        #expect(exit.at == second(71))
        #expect(exit.insideFor == .seconds(60))
        #expect(exit.lastSeen == second(61))
        #expect(exit.lastRSSI == RSSI(dBm: -88))
        #expect(exit.regions == ["bags", "bag"])
    }

    @Test func `an exit noticed late is dated when it happened`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 1)
        monitor.receivedSomething(at: second(900))
        #expect(monitor.advance(to: second(1000)).map(\.short) == ["1/1 exit @11", "bags exit @11"])
    }

    /// A tag of 9 s, and an exit time of 10 s: the exit is due half an interval after the advertisement at 18 s.
    @Test
    func
        `a deadline before a sighting is served before it, and a sighting at the very end of a silence ends the silence`()
    {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 1)
        #expect(monitor.passed(2...9) == [])
        #expect(monitor.received(bag, at: 10) == [])
        #expect(monitor.passed(11...23) == [])
        #expect(monitor.received(bag, at: 23.5) == [])
        #expect(monitor.passed(24...36) == [])
        #expect(
            monitor.received(bag, at: 37.5)
                == ["1/1 exit @37", "bags exit @37", "1/1 enter @37.5", "bags enter @37.5"])
    }

    /// A tag each fourth advertisement of which is lost, and that then leaves.
    @Test(arguments: [0.1, 1, 2, 5, 10, 30])
    func `with a fixed time, no beacon exits right before its next advertisement is due`(interval: Double) throws {
        var monitor = scanning(to: [bags], exitAfter: .fixed(.seconds(30)))
        var time = 0.0
        for number in 0..<200 {
            time += interval * (number % 4 == 0 ? 2 : 1) + 0.005
            _ = monitor.received(bag, at: time)
        }
        var exit: Double?
        while exit == nil, let deadline = monitor.nextDeadline {
            monitor.receivedSomething(at: deadline)
            if monitor.advance(to: deadline).contains(where: { $0.beacon?.event == .exit }) {
                exit = (deadline - second(time)).seconds
            }
        }
        let silence = try #require(exit)
        let intervals = silence / (interval + 0.005)
        #expect(abs(intervals - intervals.rounded(.down) - 0.5) < 0.1, "\(silence) s")
        #expect(silence >= 30 && silence <= 30 + interval)
    }

    @Test func `a region is entered with its first beacon and left with its last`() {
        var monitor = scanning(to: [bags])
        #expect(monitor.received(bag, at: 1) == ["1/1 enter @1", "bags enter @1"])
        #expect(monitor.passed(2...4) == [])
        #expect(monitor.received(bike, at: 5) == ["1/2 enter @5"])
        #expect(monitor.passed(6...14) == ["1/1 exit @11"])
        #expect(monitor.state(ofRegion: "bags") == .inside)
        #expect(monitor.passed(15...20) == ["1/2 exit @15", "bags exit @15"])
        #expect(monitor.state(ofRegion: "bags") == .outside)
    }

    @Test func `a beacon of several regions is published once, with all of them`() {
        var monitor = scanning(to: [everything, bags, region("the-bag", bag)])
        let entered = monitor.receive(sighting(bag, at: 1)) ?? []
        #expect(entered.compactMap(\.beacon).map(\.regions) == [["everything", "bags", "the-bag"]])
        #expect(entered.compactMap(\.region).map(\.region.id) == ["everything", "bags", "the-bag"])
        #expect(monitor.beaconStatuses.count == 1)
    }

    @Test func `an implicit region reports no event of its own, and has a state`() {
        var monitor = scanning(to: [region("bag", bag, isImplicit: true)])
        #expect(monitor.received(bag, at: 1) == ["1/1 enter @1"])
        #expect(monitor.state(ofRegion: "bag") == .inside)
    }

    @Test func `a beacon of no region is nobody's`() {
        var monitor = scanning(to: [bags])
        #expect(monitor.receive(sighting(cat, at: 1)) == nil)
        #expect(monitor.state(of: cat) == nil)
    }

    @Test func `the region's settings decide whether an event is published`() throws {
        var quiet = bags
        quiet.notifyOnEntry = false
        var monitor = scanning(to: [quiet])
        let entered = monitor.receive(sighting(bag, at: 1))
        let enter = try #require(entered?.last?.region)
        #expect(enter.event == .enter)
        #expect(!enter.isNotified)
        monitor.receivedSomething(at: second(9))
        let left = monitor.advance(to: second(20))
        let exit = try #require(left.last?.region)
        #expect(exit.event == .exit)
        #expect(exit.isNotified)
    }

    @Test func `the state of every region and beacon can be asked for`() throws {
        var monitor = scanning(to: [bags, everything])
        #expect(monitor.state(of: bag) == .unknown)
        _ = monitor.received(bag, at: 3)
        _ = monitor.received(cat, at: 5)
        #expect(monitor.regionStatuses.map(\.state) == [.inside, .inside])
        #expect(monitor.regionStatuses.map(\.since) == [second(3), second(3)])
        #expect(monitor.regionStatuses.map(\.beacons) == [1, 2])
        let status = try #require(monitor.beaconStatuses.first)
        #expect(status.identity == bag)
        #expect(status.state == .inside)
        #expect(status.enteredAt == second(3))
        #expect(status.requiredSilence == .seconds(10))
        #expect(status.regions == ["bags", "everything"])
    }

    @Test func `nothing is to be done before the next deadline, and nothing is left after it`() throws {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 1)
        for _ in 0..<100 {
            let deadline = try #require(monitor.nextDeadline)
            #expect(monitor.advance(to: deadline - .milliseconds(1)).isEmpty)
            monitor.receivedSomething(at: deadline)
            _ = monitor.advance(to: deadline)
            if let next = monitor.nextDeadline { #expect(next > deadline) } else { break }
        }
        #expect(monitor.state(of: bag) == .outside)
    }
}

struct EnterTests {
    @Test func `a beacon too weak does not enter, and once inside may be as weak as it likes`() {
        var monitor = scanning(to: [bags], enterRSSI: -75)
        #expect(monitor.received(bag, at: 1, rssi: -76) == [])
        #expect(monitor.received(bag, at: 2, rssi: -75) == ["1/1 enter @2", "bags enter @2"])
        for moment in 3..<60 { #expect(monitor.received(bag, at: Double(moment), rssi: -99) == []) }
    }

    @Test func `a sighting without an RSSI counts as the weakest that enters by default`() {
        let mute = Sighting(
            beacon: bag, rssi: nil, measuredPower: MeasuredPower(dBm: -59),
            address: DeviceAddress(bits: 1, kind: .public), at: second(1))
        var monitor = scanning(to: [bags])
        #expect(monitor.receive(mute)?.count == 2)
        var strict = scanning(to: [bags], enterRSSI: -99)
        #expect(strict.receive(mute) == [])
    }

    @Test func `several sightings confirm an enter, which happened with the first of them`() {
        var monitor = scanning(to: [bags], enterSightings: 3)
        #expect(monitor.received(bag, at: 1) == [])
        #expect(monitor.received(bag, at: 2) == [])
        #expect(monitor.received(bag, at: 3) == ["1/1 enter @1", "bags enter @1"])
    }

    @Test func `sightings a minute apart confirm nothing`() {
        var monitor = scanning(to: [bags], enterSightings: 2)
        #expect(monitor.received(bag, at: 1) == [])
        #expect(monitor.received(bag, at: 61) == ["bags outside @10"])
        #expect(monitor.received(bag, at: 120) == ["1/1 enter @61", "bags enter @61"])
    }
}

struct RegionsAtRunTimeTests {
    @Test func `a region removed makes no event, and one that stays keeps its state`() {
        var monitor = scanning(to: [bags, everything])
        _ = monitor.received(bag, at: 1)
        #expect(monitor.setRegions([everything], at: second(2)) == [])
        #expect(monitor.received(bag, at: 3) == [])
        #expect(monitor.state(ofRegion: "everything") == .inside)
        #expect(monitor.setRegions([], at: second(4)) == [])
        #expect(monitor.beaconStatuses.isEmpty)
        #expect(monitor.advance(to: second(100)) == [])
        #expect(monitor.nextDeadline == nil)
    }

    @Test func `a region that comes enters with a beacon that is inside, and its beacon does not`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 1)
        #expect(monitor.setRegions([bags, everything], at: second(2)).map(\.short) == ["everything enter @2"])
        #expect(monitor.received(bag, at: 3) == [])
    }

    @Test func `a region that comes is outside after a full exit time only`() {
        var monitor = scanning(to: [])
        _ = monitor.advance(to: second(1000))
        #expect(monitor.setRegions([bags], at: second(1000)) == [])
        #expect(monitor.state(ofRegion: "bags") == .unknown)
        #expect(monitor.advance(to: second(1009.9)) == [])
        #expect(monitor.advance(to: second(1010)).map(\.short) == ["bags outside @1010"])
    }

    @Test func `a region of another scope is another region`() {
        var monitor = scanning(to: [bags])
        _ = monitor.received(bag, at: 1)
        let moved = Region(id: "bags", identifier: "Bags", scope: .major(owner, 2))
        #expect(monitor.setRegions([moved], at: second(2)) == [])
        #expect(monitor.state(ofRegion: "bags") == .unknown)
        #expect(monitor.received(cat, at: 3) == ["2/1 enter @3", "bags enter @3"])
    }

    @Test func `an item's region may have the id of a region of topics`() {
        var monitor = scanning(to: [region("bag", bag), region("bag", bag, isImplicit: true)])
        #expect(monitor.received(bag, at: 1) == ["1/1 enter @1", "bag enter @1"])
        #expect(monitor.setRegions([region("bag", bag)], at: second(2)) == [])
        #expect(monitor.state(ofRegion: "bag") == .inside)
    }

    /// Once in ten seconds, and every second one of those that come every five.
    @Test(arguments: [10.005, 10.02]) func `a tag that begins to send every ten seconds neither exits nor enters`(
        gap: Double
    ) {
        var monitor = scanning(to: [bags], exitAfter: .auto(falseExitsPerDay: 0.05))
        for moment in 0..<32_400 { _ = monitor.received(bag, at: Double(moment)) }
        var transitions: [String] = []
        for number in 1...5 {
            let next = 32_399 + Double(number) * gap
            monitor.receivedSomething(at: second(next - 0.1))
            transitions += monitor.received(bag, at: next).filter { $0 != "proof" }
        }
        #expect(transitions == [])
    }
}

import Beacons
import Testing

@testable import Ranging

/// Silence counts only while a gateway receives what strangers send, if there are strangers.
struct ReceptionTests {
    private static let hours = 32_400
    private let tags = (1...10).map { BeaconIdentity(uuid: owner, major: 9, minor: $0) }

    /// Nine hours with ten tags of 1 s and a stranger.
    private func lived() -> Monitor {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        for moment in 0..<Self.hours { receive(tags, stranger: true, at: moment, in: &monitor) }
        return monitor
    }

    private func receive(_ beacons: [BeaconIdentity], stranger: Bool, at moment: Int, in monitor: inout Monitor) {
        if stranger { monitor.receivedSomething(at: second(Double(moment))) }
        for beacon in beacons {
            monitor.receivedSomething(at: second(Double(moment)))
            _ = monitor.receive(sighting(beacon, at: Double(moment)))
        }
    }

    /// Lets seconds pass; the radio responds at once. Returns the seconds at which a beacon exits.
    private func exits(
        _ seconds: Range<Int>, of monitor: inout Monitor, beacons: (Int) -> [BeaconIdentity], stranger: (Int) -> Bool
    ) -> [Int] {
        var exits: [Int] = []
        for moment in seconds {
            let now = Self.hours + moment
            var transitions = monitor.advance(to: second(Double(now)))
            if transitions.contains(.proofRequested) { transitions += monitor.proven(at: second(Double(now))) }
            exits += transitions.compactMap { $0.beacon?.event == .exit ? moment : nil }
            receive(beacons(moment), stranger: stranger(moment), at: now, in: &monitor)
        }
        return exits
    }

    @Test func `beacons that fall silent together with the strangers do not exit, and stay when all are back`() {
        var monitor = lived()
        let isOut = { (moment: Int) in moment < 100 }
        let exits = exits(
            0..<400, of: &monitor, beacons: { isOut($0) ? [] : tags }, stranger: { !isOut($0) })
        #expect(exits == [])
        #expect(monitor.outage == nil)
        #expect(monitor.beaconStatuses.allSatisfy { $0.requiredSilence < .seconds(15) })
    }

    @Test func `a stranger of four seconds is enough to hold the exits of beacons that fall silent together`() {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        for moment in 0..<Self.hours {
            receive(tags, stranger: moment.isMultiple(of: 4), at: moment, in: &monitor)
        }
        let isOut = { (moment: Int) in moment < 100 }
        let exits = exits(
            0..<400, of: &monitor, beacons: { isOut($0) ? [] : tags },
            stranger: { !isOut($0) && $0.isMultiple(of: 4) })
        #expect(exits == [])
    }

    @Test(arguments: [1, 2, 4])
    func `beacons that fall silent together with the strangers do not exit the second and third time either`(
        every: Int
    ) {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        for moment in 0..<Self.hours {
            receive(tags, stranger: moment.isMultiple(of: every), at: moment, in: &monitor)
        }
        let isOut = { (moment: Int) in moment % 3600 < 50 }
        let exits = exits(
            0..<3 * 3600, of: &monitor, beacons: { isOut($0) ? [] : tags },
            stranger: { !isOut($0) && $0.isMultiple(of: every) })
        #expect(exits == [])
        #expect(monitor.outage(at: second(Double(Self.hours + 3 * 3600))) == nil)
    }

    @Test func `beacons that leave with all strangers after an earlier outage exit three minutes later, not at once`() {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        for moment in 0..<Self.hours { receive(tags, stranger: moment.isMultiple(of: 4), at: moment, in: &monitor) }
        let isOut = { (moment: Int) in moment < 50 || moment >= 3600 }
        let exits = exits(
            0..<4000, of: &monitor, beacons: { isOut($0) ? [] : tags },
            stranger: { !isOut($0) && $0.isMultiple(of: 4) })
        #expect(exits.count == 10 && exits.allSatisfy { (3775...3795).contains($0) }, "\(exits)")
    }

    @Test func `beacons that leave together while strangers go on exit on time`() {
        var monitor = lived()
        let exits = exits(0..<60, of: &monitor, beacons: { _ in [] }, stranger: { _ in true })
        #expect(exits.count == 10 && exits.allSatisfy { $0 <= 16 })
    }

    @Test func `one beacon that leaves while the others stay exits on time, though the stranger leaves as well`() {
        var monitor = lived()
        let exits = exits(0..<60, of: &monitor, beacons: { _ in Array(tags.dropFirst()) }, stranger: { _ in false })
        #expect(exits.count == 1 && exits.allSatisfy { $0 <= 13 })
    }

    @Test func `a beacon that left during an outage exits a full silence after its end`() {
        var monitor = lived()
        let exits = exits(
            0..<200, of: &monitor, beacons: { $0 < 60 ? [] : Array(tags.dropFirst()) }, stranger: { $0 >= 60 })
        #expect(exits.count == 1 && exits.allSatisfy { (70...78).contains($0) })
    }

    @Test func `beacons that leave with all strangers exit after three minutes`() {
        var monitor = lived()
        let exits = exits(0..<300, of: &monitor, beacons: { _ in [] }, stranger: { _ in false })
        #expect(exits.count == 10 && exits.allSatisfy { (175...195).contains($0) })
    }

    @Test func `with a fixed time, beacons that leave with all strangers exit on time, and the outage is reported`() {
        var monitor = scanning(to: [everything], exitAfter: .fixed(.seconds(30)))
        for moment in 0..<Self.hours { receive(tags, stranger: true, at: moment, in: &monitor) }
        let exits = exits(0..<40, of: &monitor, beacons: { _ in [] }, stranger: { _ in false })
        #expect(exits.count == 10 && exits.allSatisfy { (29...31).contains($0) })
        #expect(monitor.outage(at: second(Double(Self.hours + 40))) != nil)
    }

    /// Nine hours with some tags of 1 s and no stranger.
    private func livedAlone(with count: Int = 10) -> Monitor {
        var monitor = scanning(to: [everything], exitAfter: .auto(falseExitsPerDay: 0.05))
        for moment in 0..<Self.hours { receive(Array(tags.prefix(count)), stranger: false, at: moment, in: &monitor) }
        return monitor
    }

    @Test func `without strangers, beacons that leave one after the other exit on time`() {
        var monitor = livedAlone()
        let exits = exits(
            0..<60, of: &monitor, beacons: { Array(tags.dropFirst($0 + 1)) }, stranger: { _ in false })
        #expect(exits.count == 10 && exits.allSatisfy { $0 <= 26 })
    }

    @Test func `without strangers, beacons that stop at one moment do not exit, and stay when they are back`() {
        var monitor = livedAlone()
        let exits = exits(0..<400, of: &monitor, beacons: { $0 < 100 ? [] : tags }, stranger: { _ in false })
        #expect(exits == [])
        #expect(monitor.outage(at: second(Double(Self.hours + 400))) == nil)
        #expect(monitor.beaconStatuses.allSatisfy { $0.requiredSilence < .seconds(15) })
    }

    @Test func `a beacon that does not come back after such a stop exits a full silence later`() {
        var monitor = livedAlone()
        let exits = exits(
            0..<200, of: &monitor, beacons: { $0 < 60 ? [] : Array(tags.dropFirst()) }, stranger: { _ in false })
        #expect(exits.count == 1 && exits.allSatisfy { (66...78).contains($0) })
    }

    @Test func `beacons that stop at one moment exit after three minutes if nothing is received, and the outage lasts`()
    {
        var monitor = livedAlone()
        let exits = exits(0..<300, of: &monitor, beacons: { _ in [] }, stranger: { _ in false })
        #expect(exits.count == 10 && exits.allSatisfy { (175...195).contains($0) })
        #expect(monitor.outage(at: second(Double(Self.hours + 300))) == second(Double(Self.hours - 1)))
        monitor.receivedSomething(at: second(Double(Self.hours + 301)))
        #expect(monitor.outage(at: second(Double(Self.hours + 301))) == nil)
    }

    @Test func `four beacons that stop at one moment are too few to show an outage, and exit on time`() {
        var monitor = livedAlone(with: 4)
        let exits = exits(0..<60, of: &monitor, beacons: { _ in [] }, stranger: { _ in false })
        #expect(exits.count == 4 && exits.allSatisfy { $0 <= 16 })
    }

    @Test func `beacons whose RSSI fell before they stopped at one moment left, and exit on time`() {
        var monitor = livedAlone()
        for moment in Self.hours..<Self.hours + 5 {
            for beacon in tags {
                let level = Int8(-60 - 5 * (moment - Self.hours + 1))
                monitor.receivedSomething(at: second(Double(moment)))
                _ = monitor.receive(sighting(beacon, at: Double(moment), rssi: level))
            }
        }
        let exits = exits(5..<60, of: &monitor, beacons: { _ in [] }, stranger: { _ in false })
        #expect(exits.count == 10 && exits.allSatisfy { $0 <= 21 })
    }

    @Test func `beacons that left while the adapter was missing exit in their time, and are no outage`() {
        var monitor = lived()
        for absence in [0, 200] {
            if absence > 0 { receive(tags, stranger: false, at: Self.hours + absence - 1, in: &monitor) }
            _ = monitor.radio(scanning: false, at: second(Double(Self.hours + absence)))
            _ = monitor.radio(scanning: true, at: second(Double(Self.hours + absence + 60)))
            let exits = exits(
                absence + 60..<absence + 100, of: &monitor, beacons: { _ in [] }, stranger: { _ in false })
            #expect(exits.count == tags.count && exits.allSatisfy { $0 < absence + 80 }, "\(exits)")
            #expect(monitor.outage(at: second(Double(Self.hours + absence + 99))) == nil)
        }
    }
}

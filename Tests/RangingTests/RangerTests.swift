import Beacons
import Testing

@testable import Ranging

struct RangerTests {
    @Test func `once a second each beacon in range is published, with its sightings since the last time`() throws {
        var ranger = ranger()
        #expect(ranger.nextDeadline == nil)
        for sighting in bag(received: [-60, -62, -64], every: 0.2) { ranger.receive(sighting) }
        ranger.receive(sighting(bike, at: 0.5, rssi: -80, power: -65))
        #expect(ranger.nextDeadline == second(1))
        #expect(ranger.advance(to: second(0.999)) == [])
        let reported = ranger.advance(to: second(1)).sorted { $0.identity < $1.identity }
        #expect(reported.map(\.identity) == [bag, bike])
        #expect(reported.map(\.sightings) == [3, 1])
        #expect(reported.map(\.rssiMean) == [-62, -80])
        #expect(reported.map(\.measuredPower.dBm) == [-59, -65])
        #expect(reported.map(\.addresses) == [1, 1])
        #expect(reported.map(\.at) == [second(1), second(1)])
    }

    @Test func `a window begins where the one before ended, and is never shorter than a second`() throws {
        var ranger = ranger()
        ranger.receive(sighting(bag, at: 0))
        #expect(ranger.advance(to: second(1.7)).map(\.sightings) == [1])
        #expect(ranger.nextDeadline == second(2.7))
        ranger.receive(sighting(bag, at: 2))
        #expect(ranger.advance(to: second(2)) == [])
        #expect(ranger.advance(to: second(2.7)).map(\.sightings) == [1])
    }

    @Test(arguments: [0, 0.0004, 0.0009])
    func `the only sighting of a window counts, at whatever part of a millisecond the window ends`(delay: Double) throws
    {
        var ranger = ranger()
        ranger.receive(sighting(bag, at: 0.0006))
        let reported = try #require(ranger.advance(to: second(1.0006 + delay)).first)
        #expect(reported.proximity == .near && reported.accuracyMetres != nil)
    }

    @Test func `filter and offset serve the distance, and the mean stays raw`() throws {
        var plain = ranger(filter: .none)
        var offset = ranger(filter: .none, rssiOffset: 20)
        let received = bag(received: [-90, -70], every: 0.5)
        let (one, other) = (plain.ranged(received), offset.ranged(received))
        #expect(one.map(\.rssiMean) == [-80] && other.map(\.rssiMean) == [-80])
        let (far, near) = (try #require(one[0].accuracyMetres), try #require(other[0].accuracyMetres))
        #expect(abs(far / near - 10) < 1e-9)
    }

    @Test func `a beacon of no region is not ranged, and one whose region is removed is no longer ranged`() {
        var ranger = ranger(of: [bags, everything])
        ranger.receive(sighting(bag, at: 0))
        ranger.receive(sighting(cat, at: 0))
        #expect(ranger.advance(to: second(1)).count == 2)
        ranger.setRegions([bags])
        #expect(ranger.advance(to: second(2)).map(\.identity) == [bag])
        ranger.receive(sighting(cat, at: 2.5))
        #expect(ranger.advance(to: second(3)).map(\.identity) == [bag])
        ranger.setRegions([])
        #expect(ranger.nextDeadline == nil)
    }

    @Test func `a beacon that left is not published until it is received again`() {
        var ranger = ranger()
        _ = ranger.ranged([sighting(bag, at: 0), sighting(bike, at: 0), sighting(keys, at: 0)])
        ranger.forget(bag)
        ranger.forget(cat)
        #expect(Set(ranger.passed(to: second(2)).map(\.identity)) == [bike, keys])
        ranger.receive(sighting(bag, at: 2.5))
        #expect(Set(ranger.passed(to: second(3)).map(\.identity)) == [bag, bike, keys])
        for beacon in [bag, bike, keys] { ranger.forget(beacon) }
        #expect(ranger.nextDeadline == nil)
    }

    @Test func `where the table is full a newcomer is refused and counted, unless a region names exactly it`() {
        var ranger = ranger(of: [bags, region("the-keys", keys)], memberLimit: 1)
        for beacon in [bag, bike, keys, bike] { ranger.receive(sighting(beacon, at: 0)) }
        #expect(Set(ranger.passed(to: second(1)).map(\.identity)) == [bag, keys])
        #expect(ranger.refusedMembers == 2)
    }

    @Test func `a member that was silent for a quarter of an hour makes room in a full table`() {
        var ranger = ranger(memberLimit: 1)
        ranger.receive(sighting(bag, at: 0))
        _ = ranger.passed(to: second(899))
        ranger.receive(sighting(bike, at: 899.5))
        #expect(ranger.refusedMembers == 1)
        _ = ranger.passed(to: second(902))
        ranger.receive(sighting(bike, at: 902.5))
        #expect(ranger.passed(to: second(904)).map(\.identity) == [bike])
    }
}

struct SilentBeaconTests {
    /// What was reported of the bag at each whole second, after sightings at these times.
    private func proximities(received seconds: [Double], until end: Double) -> [Proximity] {
        var ranger = ranger()
        var all: [Proximity] = []
        for at in seconds {
            all += ranger.passed(to: second(at)).map(\.proximity)
            ranger.receive(sighting(bag, at: at, rssi: -65))
        }
        return all + ranger.passed(to: second(end)).map(\.proximity)
    }

    @Test func `a fast beacon that falls silent is unknown after five seconds`() {
        let reported = proximities(received: (0..<100).map { Double($0) / 10 }, until: 20)
        #expect(reported.prefix(14).allSatisfy { $0 == .near })
        #expect(reported.dropFirst(14).allSatisfy { $0 == .unknown })
    }

    @Test func `a slow beacon is not unknown between two sightings, and is after eight that did not come`() {
        let reported = proximities(received: (0..<20).map { Double($0) * 6 }, until: 200)
        // Before the second it could be any beacon that fell silent.
        #expect(reported[..<6].filter { $0 == .unknown }.count == 2)
        #expect(reported[6..<161].allSatisfy { $0 == .near })
        #expect(reported[161...].allSatisfy { $0 == .unknown })
    }

    @Test func `a silent beacon has neither accuracy nor RSSI`() throws {
        var ranger = ranger()
        _ = ranger.ranged(bag(received: [-60, -60, -60]))
        let last = try #require(ranger.passed(to: second(60)).last)
        #expect(last.proximity == .unknown)
        #expect(last.accuracyMetres == nil && last.rssiMean == nil && last.sightings == 0)
    }

    @Test func `after five minutes of silence a distance does not depend on former sightings`() throws {
        var ranger = ranger()
        _ = ranger.ranged(bag(received: Array(repeating: -99, count: 30)))
        let back = try #require(ranger.ranged(bag(received: [-59], from: 400)).last)
        #expect(back.accuracyMetres.map { abs($0 - 1) < 1e-9 } == true)
        #expect(back.proximity == .near)
    }

    @Test func `a sighting without an RSSI counts, and gives no distance`() throws {
        var ranger = ranger()
        let mute = Sighting(
            beacon: bag, rssi: nil, measuredPower: MeasuredPower(dBm: -59),
            address: DeviceAddress(bits: 1, kind: .public), at: second(0.5))
        ranger.receive(mute)
        let reported = try #require(ranger.advance(to: second(1.5)).first)
        #expect(reported.sightings == 1 && reported.rssiMean == nil && reported.accuracyMetres == nil)
        #expect(reported.proximity == .unknown)
    }
}

struct MeasuredPowerTests {
    private let strong = Region(
        id: "strong", identifier: "Strong", scope: .major(owner, 1), measuredPower: MeasuredPower(dBm: -39))

    @Test(arguments: [0, 1, -9, -101, -128] as [Int8])
    func `of a beacon that claims an absurd power no distance is known`(power: Int8) throws {
        var ranger = ranger()
        let reported = try #require(ranger.ranged(bag(received: [-60], power: power)).last)
        #expect(reported.accuracyMetres == nil)
        #expect(reported.proximity == .unknown)
        #expect(reported.rssiMean == -60)
    }

    @Test func `the measured power of a region counts for the distance, and the beacons' claim is still published`()
        throws
    {
        for claimed in [0, -59] as [Int8] {
            var ranger = ranger(of: [strong])
            let reported = try #require(ranger.ranged(bag(received: [-59], power: claimed)).last)
            #expect(reported.accuracyMetres.map { abs($0 - 10) < 1e-9 } == true)
            #expect(reported.proximity == .far)
            #expect(reported.measuredPower.dBm == claimed)
        }
    }

    @Test func `a changed offset or measured power changes the class with the distance, each time`() throws {
        var ranger = ranger(of: [bags])
        #expect(ranger.ranged(bag(received: [-59])).map(\.proximity) == [.near])
        for (offset, expected) in [(-30.0, Proximity.far), (0, .near), (-30, .far)] {
            ranger.rssiOffset = offset
            let deadline = try #require(ranger.nextDeadline)
            let reported = try #require(ranger.advance(to: deadline).first)
            #expect(reported.proximity == expected, "without a sighting since")
        }
        ranger.rssiOffset = 0
        ranger.receive(sighting(bag, at: 4.5, rssi: -59))
        for (regions, expected) in [([bags, strong], Proximity.far), ([bags], .near), ([bags, strong], .far)] {
            ranger.setRegions(regions)
            let deadline = try #require(ranger.nextDeadline)
            let reported = try #require(ranger.advance(to: deadline).first)
            #expect(reported.proximity == expected)
        }
    }

    @Test
    func
        `of several regions the first that has a measured power wins, and a region that is added or removed changes it`()
        throws
    {
        let stronger = Region(
            id: "stronger", identifier: "Stronger", scope: .uuid(owner), measuredPower: MeasuredPower(dBm: -19))
        var ranger = ranger(of: [bags, strong, stronger])
        var reported = try #require(ranger.ranged(bag(received: [-59])).last)
        #expect(reported.accuracyMetres.map { abs($0 - 10) < 1e-9 } == true)
        ranger.setRegions([stronger, strong])
        reported = try #require(ranger.ranged(bag(received: [-59], from: 2)).last)
        #expect(reported.accuracyMetres.map { abs($0 - 100) < 1e-9 } == true)
    }
}

struct SharedIdentityTests {
    /// The bag's identity received from these addresses in turn, ten times a second, each with its RSSI.
    private func received(_ senders: [(address: UInt64, rssi: Int8)], from start: Double = 0, seconds: Double = 20)
        -> [Sighting]
    {
        (0..<Int(seconds * 10)).map { number in
            let sender = senders[number % senders.count]
            return sighting(bag, at: start + Double(number) / 10, rssi: sender.rssi, from: sender.address)
        }
    }

    @Test func `of two tags with one identity the stronger one is published, and that there are two`() throws {
        for filter in [Filter.standard, .median(window: .seconds(5)), .none] {
            var ranger = ranger(filter: filter)
            let reported = ranger.ranged(received([(1, -59), (2, -99)]))
            #expect(reported.allSatisfy { $0.addresses == 2 })
            #expect(reported.allSatisfy { $0.rssiMean == -59 && $0.sightings == 5 })
            #expect(reported.allSatisfy { $0.accuracyMetres.map { abs($0 - 1) < 1e-9 } == true })
        }
    }

    @Test func `a tag that changes its private address is one`() {
        var ranger = ranger()
        let reported = ranger.ranged(
            received([(1, -60)]) + received([(2, -60)], from: 20) + received([(3, -60)], from: 40))
        #expect(reported.count == 60)
        #expect(reported.allSatisfy { $0.addresses == 1 && $0.rssiMean == -60 })
    }

    @Test func `a tag that falls silent is one less after a minute, and the other is received instead at once`() {
        var ranger = ranger()
        let both = ranger.ranged(received([(1, -60), (2, -80)]))
        #expect(both.last?.rssiMean == -60)
        let reported = ranger.ranged(received([(2, -80)], from: 20, seconds: 90))
        #expect(reported.prefix(30).map(\.addresses).min() == 2)
        #expect(reported.last?.addresses == 1)
        #expect(reported.dropFirst(10).allSatisfy { $0.rssiMean == -80 })
    }

    @Test func `the ranger stays with one of two addresses that are about equally strong`() {
        var ranger = ranger()
        _ = ranger.ranged(received([(1, -60), (2, -61)]))
        let reported = ranger.ranged(received([(1, -61), (2, -59)], from: 20))
        #expect(reported.allSatisfy { $0.rssiMean == -61 })
        #expect(ranger.ranged(received([(1, -61), (2, -50)], from: 40)).last?.rssiMean == -50)
    }

    @Test func `of a whole fleet with one identity sixteen are distinguished, and the strongest of them is published`()
    {
        var ranger = ranger()
        let reported = ranger.ranged(received((1...40).map { ($0, Int8(-100 + Int($0))) }, seconds: 60))
        #expect(reported.last?.addresses == 16)
        // Each beacon is received every four seconds: in the windows between, no RSSI is reported.
        #expect(Set(reported.suffix(20).map(\.rssiMean)) == [-84, nil])
    }

    @Test func `a tag that uses each of its addresses once is ranged in each window, for minutes`() {
        var ranger = ranger()
        let reported = ranger.ranged(received((1...1800).map { ($0, -59) }, seconds: 180))
        #expect(reported.count == 180)
        #expect(reported.allSatisfy { $0.addresses == 1 && $0.rssiMean == -59 && $0.sightings == 10 })
        #expect(reported.allSatisfy { $0.accuracyMetres.map { abs($0 - 1) < 1e-9 } == true })
    }

    @Test func `a flood of addresses that are used once does not change what is measured of a tag`() {
        var ranger = ranger()
        _ = ranger.ranged(received([(1, -50)]))
        let flood = (2...900).map { (address: UInt64($0), rssi: Int8(-70)) }
        let reported = ranger.ranged(received(flood.flatMap { [(1, -50), $0] }, from: 20, seconds: 120))
        #expect(reported.count == 120)
        #expect(reported.allSatisfy { $0.rssiMean == -50 && $0.sightings == 5 })
    }
}

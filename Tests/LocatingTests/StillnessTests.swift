import Beacons
import Testing

@testable import Locating

@Suite("Still items")
struct StillnessTests {
    private let model = LocatorModel(
        site: Site(gateways: [Site.Gateway(id: "a", room: "A"), Site.Gateway(id: "b", room: "B")]))

    /// The rooms reported each second of an item that two gateways receive with this RSSI, give or take 5 dB.
    private func replayed(_ rssiValues: [(seconds: Int, a: Double, b: Double)]) -> [String] {
        var chance = SplitMix64(seed: 5)
        var locator = Locator(model: model)
        var second: Int64 = 0
        var rooms: [String] = []
        for stretch in rssiValues {
            for _ in 0..<stretch.seconds {
                second += 1
                let now = Instant(milliseconds: second * 1000)
                for (gateway, rssi) in [stretch.a, stretch.b].enumerated() {
                    let noise = (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -4...4, using: &chance) }
                    locator.report(gateway: gateway, rssi: rssi + noise, at: now)
                }
                rooms.append(locator.estimate(at: now).room ?? "")
            }
        }
        return rooms
    }

    private func moves(_ rooms: some Collection<String>) -> Int { zip(rooms, rooms.dropFirst()).count { $0 != $1 } }

    @Test func `a still item that two gateways receive alike does not change rooms`() {
        let rooms = replayed([(1200, -70, -71)])
        // Single sightings would give dozens.
        #expect(moves(rooms.dropFirst(60)) <= 1)
    }

    @Test func `a still item is not reported as moved while somebody stands before its gateway`() {
        let rooms = replayed([(900, -64, -70), (20, -76, -70), (300, -64, -70)])
        #expect(rooms[800] == "A")
        #expect(moves(rooms.dropFirst(60)) == 0)
    }

    @Test func `confidence does not grow with the time for which an item is still`() {
        func confidence(after seconds: Int) -> Double {
            var locator = Locator(model: model)
            for second in 1...seconds {
                let now = Instant(milliseconds: Int64(second) * 1000)
                locator.report(gateway: 0, rssi: -66, at: now)
                locator.report(gateway: 1, rssi: -70, at: now)
            }
            return locator.estimate(at: Instant(milliseconds: Int64(seconds) * 1000)).confidence
        }
        #expect(confidence(after: 3600) < confidence(after: 20))
    }

    @Test func `an item stays still when something else about the site is learned`() {
        let newer = LocatorModel(
            site: Site(gateways: [
                Site.Gateway(id: "b", room: "B"), Site.Gateway(id: "new", room: "C"), Site.Gateway(id: "a", room: "A"),
            ]))
        #expect(newer.index(ofGateway: "a") != 0)
        var stillness = Stillness()
        for second in 1...600 {
            let now = Instant(milliseconds: Int64(second) * 1000)
            stillness.add(-50, of: 1, gateway: 0, at: now)
            stillness.add(-80, of: 1, gateway: 1, at: now)
        }
        let now = Instant(milliseconds: 601_000)
        var carried = stillness.carried(
            from: newer.gateways.map(model.index(ofGateway:)), adding: newer.gateways.map { _ in 0 })
        #expect(carried.pace(at: now) < 0.1)
        carried.add(-50, of: 1, gateway: newer.index(ofGateway: "a")!, at: now)
        #expect(carried.pace(at: now) < 0.1)
    }

    @Test func `an item stays still each time that the receiver offset of a gateway is corrected`() {
        var site = model.site
        var locator = Locator(model: model)
        var second: Int64 = 0
        for offset in [0.0, 10, 0] {
            site.gateways[1].rssiOffset = offset
            locator.adopt(LocatorModel(site: site))
            for _ in 0..<200 {
                second += 1
                locator.report(gateway: 0, rssi: -60, at: Instant(milliseconds: second * 1000))
                locator.report(gateway: 1, rssi: -75, at: Instant(milliseconds: second * 1000))
            }
            #expect(locator.rssiValues(at: Instant(milliseconds: second * 1000)) == [-60, -75 + Float(offset)])
            #expect(locator.stillness.changedAt == nil, "\(offset) dB")
        }
    }

    @Test(arguments: [60, 1200])
    func `an item that is carried off is found as soon after a long time as after a minute`(rest: Int) {
        let rooms = replayed([(rest, -50, -70), (20, -70, -50)])
        #expect(rooms[rest - 1] == "A")
        let found = rooms.dropFirst(rest).firstIndex(of: "B").map { $0 - rest + 1 }
        #expect(found ?? 99 <= 5)
    }

    @Test func `a gateway that receives a still item for the first time shows that the item moved`() {
        var stillness = Stillness()
        for second in 1...600 {
            stillness.add(-70, of: 1, gateway: 0, at: Instant(milliseconds: Int64(second) * 1000))
        }
        #expect(stillness.pace(at: Instant(milliseconds: 601_000)) < 0.1)
        stillness.add(-50, of: 1, gateway: 1, at: Instant(milliseconds: 601_000))
        #expect(stillness.pace(at: Instant(milliseconds: 602_000)) == 1)
    }

    @Test func `a far gateway that receives a still item now and then changes nothing`() {
        var stillness = Stillness()
        for second in 1...600 {
            let now = Instant(milliseconds: Int64(second) * 1000)
            stillness.add(-70, of: 1, gateway: 0, at: now)
            if second % 97 == 0 { stillness.add(-93, of: 1, gateway: 1, at: now) }
        }
        #expect(stillness.pace(at: Instant(milliseconds: 601_000)) < 0.1)
    }

    // MARK: While nobody receives the item

    /// A locator, and the seconds up to which gateways have reported.
    private struct Reports {
        var locator: Locator
        var second: Int64 = 0

        mutating func add(_ seconds: Int64, a: Double, b: Double) {
            for _ in 0..<seconds {
                second += 1
                let now = Instant(milliseconds: second * 1000)
                locator.report(gateway: 0, rssi: a, at: now)
                locator.report(gateway: 1, rssi: b, at: now)
                _ = locator.estimate(at: now)
            }
        }

        var estimate: RoomEstimate { mutating get { locator.estimate(at: Instant(milliseconds: second * 1000)) } }
    }

    @Test func `an item that was received for a second before a pause is no still item, after the second pause either`()
    {
        var reports = Reports(locator: Locator(model: model))
        // The first gateway to receive an item is often not the nearest.
        reports.locator.report(gateway: 0, rssi: -80, at: Instant(milliseconds: 500))
        #expect(reports.estimate.room == nil || reports.estimate.room == "A")
        reports.second = 1
        _ = reports.estimate
        for _ in 1...2 {
            reports.second += 700
            reports.add(5, a: -80, b: -57)
            #expect(reports.estimate.stillness < 0.5)
            #expect(reports.estimate.room == "B")
        }
    }

    @Test func `an item that was carried off while nobody received it is found at once, the second time as well`() {
        var reports = Reports(locator: Locator(model: model))
        reports.add(900, a: -57, b: -75)
        for room in ["B", "A"] {
            reports.second += 900
            let (a, b) = room == "B" ? (-75.0, -57.0) : (-57, -75)
            let back = Instant(milliseconds: reports.second * 1000)
            reports.add(10, a: a, b: b)
            #expect(reports.estimate.room == room)
            #expect(reports.estimate.movedAt.map { $0 > back } == true)
            reports.add(900, a: a, b: b)
        }
    }

    @Test func `an item that was still is still after a pause in which it was not moved, the second time as well`() {
        var reports = Reports(locator: Locator(model: model))
        reports.add(900, a: -64, b: -70)
        for _ in 1...2 {
            reports.second += 900
            reports.add(5, a: -66, b: -68)
            #expect(reports.estimate.room == "A")
            #expect(reports.estimate.stillness == 1)
            #expect(reports.estimate.movedAt == nil)
        }
    }
}

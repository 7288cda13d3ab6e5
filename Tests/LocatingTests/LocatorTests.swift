import Beacons
import Testing

@testable import Locating

@Suite struct LocatorTests {
    @Test func `a tag that stays does not flap`() {
        var row = Row(rooms: 5, noise: 6)
        let rooms = replayed(LocatorModel(site: row.site), row.recording([(2, 600)])).map(\.room)
        #expect(Set(rooms.dropFirst(3)) == ["room 2"])
    }

    @Test func `a move is found within four seconds`() {
        var row = Row(rooms: 5)
        let rows = replayed(LocatorModel(site: row.site), row.recording([(1, 60), (2, 60), (1, 60)]))
        #expect(rows.first { $0.milliseconds >= 64_000 }?.room == "room 2")
        #expect(rows.first { $0.milliseconds >= 124_000 }?.room == "room 1")
    }

    @Test func `the shares of the rooms add up to one, the likeliest first`() {
        var row = Row(rooms: 4)
        var locator = Locator(model: LocatorModel(site: row.site))
        for gateway in 0..<4 { locator.report(gateway: gateway, rssi: row.rssi(gateway, from: 1), at: .zero) }
        let estimate = locator.estimate(at: Instant(milliseconds: 500))
        #expect(abs(estimate.rooms.reduce(0) { $0 + $1.confidence } - 1) < 1e-9)
        #expect(estimate.rooms.map(\.confidence) == estimate.rooms.map(\.confidence).sorted(by: >))
        #expect(estimate.room == "room 1")
        #expect(estimate.gateway == "g1")
        #expect(estimate.position == nil)
    }

    @Test func `an item that was never received has no room`() {
        var locator = Locator(model: LocatorModel(site: Row(rooms: 3).site))
        let estimate = locator.estimate(at: Instant(milliseconds: 5000))
        #expect(estimate.room == nil)
        #expect(estimate.confidence == 0)
        #expect(estimate.rooms.isEmpty)
    }

    @Test(arguments: [2, 3])
    func `reports of two gateways that follow each other count the same in either order, at each move`(moves: Int) {
        let model = LocatorModel(site: Row(rooms: 2).site)
        func share(isReversed: Bool) -> Double {
            var locator = Locator(model: model)
            for move in 1...moves {
                // The first gateway receives the item well and weakly by turns, the second one always the same.
                let reports = [(gateway: 0, rssi: move % 2 == 0 ? -76.0 : -56), (gateway: 1, rssi: -66)]
                for (index, report) in (isReversed ? reports.reversed() : reports).enumerated() {
                    let at = Instant(milliseconds: Int64(move * 10_000 + index * 100))
                    locator.report(gateway: report.gateway, rssi: report.rssi, at: at)
                }
            }
            return locator.estimate(at: Instant(milliseconds: Int64(moves * 10_000 + 200))).share(of: "room 0") ?? 0
        }
        #expect(abs(share(isReversed: false) - share(isReversed: true)) < 0.01)
    }

    @Test func `a gateway that is lost leaves the evidence at once`() {
        let model = LocatorModel(site: Row(rooms: 2).site)
        func room(lost: Bool) -> String? {
            var locator = Locator(model: model)
            // The first gateway receives the item best, goes down, and was the only evidence for its room.
            for second in 0..<20 {
                locator.report(
                    gateway: 0, rssi: -45, at: Instant(milliseconds: Int64(second) * 1000), holds: .seconds(60))
                locator.report(
                    gateway: 1, rssi: -60, at: Instant(milliseconds: Int64(second) * 1000), holds: .seconds(60))
            }
            if lost { locator.lost(gateway: 0) }
            _ = locator.estimate(at: Instant(milliseconds: 20_000))
            for second in 21..<50 {
                locator.report(
                    gateway: 1, rssi: -50, at: Instant(milliseconds: Int64(second) * 1000), holds: .seconds(60))
            }
            return locator.estimate(at: Instant(milliseconds: 50_000)).room
        }
        #expect(room(lost: false) == "room 0")
        #expect(room(lost: true) == "room 1")
    }

    @Test func `a late or doubled report changes nothing`() {
        var row = Row(rooms: 3)
        let rows = row.recording([(0, 20), (2, 20)]).rows
        func estimate(disturbed: Bool) -> RoomEstimate {
            let model = LocatorModel(site: row.site)
            var locator = Locator(model: model)
            for sighting in rows {
                let gateway = model.index(ofGateway: sighting.gateway)!
                let at = Instant(milliseconds: sighting.milliseconds)
                locator.report(gateway: gateway, rssi: sighting.rssi, at: at)
                guard disturbed else { continue }
                locator.report(gateway: gateway, rssi: sighting.rssi, at: at)
                locator.report(gateway: gateway, rssi: -30, at: at - .seconds(7))
            }
            return locator.estimate(at: Instant(milliseconds: 40_000))
        }
        #expect(estimate(disturbed: true) == estimate(disturbed: false))
    }

    @Test(arguments: [Double.nan, .infinity, -128, 21, -1e300])
    func `an absurd RSSI is ignored`(rssi: Double) {
        var locator = Locator(model: LocatorModel(site: Row(rooms: 3).site))
        locator.report(gateway: 1, rssi: rssi, at: .zero)
        locator.report(gateway: 99, rssi: -50, at: .zero)
        locator.report(gateway: -1, rssi: -50, at: .zero)
        #expect(locator.estimate(at: Instant(milliseconds: 1000)).room == nil)
    }

    @Test func `the silence of a gateway that scans is evidence against its room`() {
        let model = LocatorModel(site: Row(rooms: 3).site)
        func confidence(scanning: Bool) -> Double? {
            var locator = Locator(model: model)
            if scanning { for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) } }
            // Longer than a gateway may take to start.
            for second in 0..<200 {
                // The gateway of room 1 is silent; two gateways receive the item about alike.
                let at = Instant(milliseconds: Int64(second) * 1000)
                locator.report(gateway: 0, rssi: -70, at: at)
                locator.report(gateway: 2, rssi: -71, at: at)
            }
            return locator.estimate(at: Instant(milliseconds: 200_000)).rooms.first { $0.room == "room 1" }?.confidence
        }
        #expect(confidence(scanning: true)! < confidence(scanning: false)! / 2)
    }

    @Test func `the silence of a gateway before the item was switched on is no evidence`() {
        let model = LocatorModel(site: Row(rooms: 3).site)
        func confidence(scanningSince since: Instant) -> Double {
            var locator = Locator(model: model)
            for gateway in 0..<3 { locator.scans(gateway: gateway, since: since) }
            // The first gateway to report is not the nearest one.
            locator.report(gateway: 0, rssi: -70, at: Instant(milliseconds: 600_000))
            return locator.estimate(at: Instant(milliseconds: 602_000)).confidence
        }
        #expect(confidence(scanningSince: .zero) == confidence(scanningSince: Instant(milliseconds: 600_000)))
    }

    @Test func `a tag at a tenth of the power is found in the same room`() {
        let site = Row(rooms: 4).site
        var row = Row(rooms: 4)
        let rows = row.recording([(3, 30), (1, 30)]).rows.map {
            Recording.Row(milliseconds: $0.milliseconds, gateway: $0.gateway, beacon: $0.beacon, rssi: $0.rssi - 10)
        }
        let rooms = replayed(LocatorModel(site: site), Recording(rows: rows)).map(\.room)
        #expect(rooms[25] == "room 3")
        #expect(rooms[58] == "room 1")
    }

    @Test func `the offset of a gateway that receives badly corrects its RSSI`() {
        var row = Row(rooms: 2, noise: 2)
        let rows = row.recording([(1, 30)]).rows.map {
            Recording.Row(
                milliseconds: $0.milliseconds, gateway: $0.gateway, beacon: $0.beacon,
                rssi: $0.rssi - ($0.gateway == "g1" ? 20 : 0))
        }
        var site = row.site
        #expect(replayed(LocatorModel(site: site), Recording(rows: rows)).last?.room == "room 0")
        site.gateways[1].rssiOffset = 20
        #expect(replayed(LocatorModel(site: site), Recording(rows: rows)).last?.room == "room 1")
    }

    @Test func `a newer model of the site takes over the belief by the rooms' names`() {
        var row = Row(rooms: 3)
        var locator = Locator(model: LocatorModel(site: row.site))
        for second in 0..<20 {
            for gateway in 0..<3 {
                locator.report(
                    gateway: gateway, rssi: row.rssi(gateway, from: 2), at: Instant(milliseconds: Int64(second) * 1000)
                )
            }
        }
        let before = locator.estimate(at: Instant(milliseconds: 19_500))
        var site = row.site
        site.gateways.insert(Site.Gateway(id: "new", room: "attic"), at: 0)
        locator.adopt(LocatorModel(site: site))
        let after = locator.estimate(at: Instant(milliseconds: 19_500))
        #expect(after.room == before.room)
        #expect(after.gateway == "g2")
        #expect(abs(after.confidence - before.confidence) < 0.01)
    }

    @Test func `a newer model of the site takes over how long an item was not received`() {
        var locator = Locator(model: LocatorModel(site: Row(rooms: 3).site))
        for second in [0, 1, 2, 500, 501] {
            locator.report(gateway: 0, rssi: -60, at: Instant(milliseconds: Int64(second) * 1000))
        }
        let pauses = locator.stillness.pauses
        #expect(pauses > .seconds(400))
        for rooms in [4, 3] {
            locator.adopt(LocatorModel(site: Row(rooms: rooms).site))
            #expect(locator.stillness.pauses == pauses)
        }
    }

    @Test func `an item that was never received may be in a room of a newer model`() {
        var locator = Locator(model: LocatorModel(site: Row(rooms: 1).site))
        locator.adopt(LocatorModel(site: Row(rooms: 3).site))
        locator.report(gateway: 2, rssi: -60, at: .zero)
        #expect(locator.estimate(at: Instant(milliseconds: 100)).room == "room 2")
    }

    @Test func `a locator of a site without gateways reports no room`() {
        var locator = Locator(model: LocatorModel(site: Site()))
        locator.report(gateway: 0, rssi: -50, at: .zero)
        #expect(locator.estimate(at: Instant(milliseconds: 1000)).room == nil)
        locator.adopt(LocatorModel(site: Row(rooms: 2).site))
        locator.report(gateway: 0, rssi: -50, at: Instant(milliseconds: 1000))
        #expect(locator.estimate(at: Instant(milliseconds: 3000)).room == "room 0")
    }
}

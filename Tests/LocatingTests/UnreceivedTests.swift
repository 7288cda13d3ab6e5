import Beacons
import Testing

@testable import Locating

@Suite("What a gateway does not receive")
struct UnreceivedTests {
    private func at(_ second: Int) -> Instant { Instant(milliseconds: Int64(second) * 1000) }

    private let model = LocatorModel(
        site: Site(gateways: ["Hall", "Kitchen", "Porch"].map { Site.Gateway(id: $0.lowercased(), room: $0) }))

    @Test func `a room whose gateway receives nothing of the item is not reported while others receive it`() {
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        for second in 1...70 {
            locator.report(gateway: 0, rssi: -88, at: at(second))
            locator.report(gateway: 1, rssi: -88, at: at(second))
            let estimate = locator.estimate(at: at(second))
            #expect(estimate.room != "Porch")
            #expect(estimate.rooms.first { $0.room == "Porch" }?.confidence == 0)
        }
    }

    @Test
    func `the room of an item stays while every gateway receives the item weakly, each time that it is carried away`() {
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        var second = 0
        func rooms(_ rssiValues: [Double], seconds: Int) -> [String?] {
            (0..<seconds).map { _ in
                second += 1
                for (gateway, rssi) in rssiValues.enumerated() {
                    locator.report(gateway: gateway, rssi: rssi, at: at(second))
                }
                return locator.estimate(at: at(second)).room
            }
        }
        for _ in 0..<2 {
            #expect(rooms([-60, -80, -85], seconds: 20).last == "Hall")
            // Outside of the house a gateway at a window is the last one that receives the item.
            for loss in 0..<30 { _ = rooms([-62 - Double(loss), -88, -95], seconds: 1) }
            #expect(Set(rooms([-97, -88, -96], seconds: 20)) == ["Hall"])
            // Somewhere in the house again, the item is where a gateway receives it well.
            #expect(rooms([-80, -60, -85], seconds: 20).last == "Kitchen")
        }
        // An item is in some room even if it was never received well.
        var weak = Locator(model: model)
        for second in 1...20 { weak.report(gateway: 1, rssi: -88, at: at(second)) }
        #expect(weak.estimate(at: at(20)).room == "Kitchen")
    }

    /// The estimate after 20 s in which each of a site's gateways receives the item with this RSSI.
    private func estimate(_ site: Site, _ rssiValues: [Double]) -> RoomEstimate {
        var locator = Locator(model: LocatorModel(site: site))
        for gateway in rssiValues.indices { locator.scans(gateway: gateway, since: .zero) }
        for second in 1...20 {
            for (gateway, rssi) in rssiValues.enumerated() {
                locator.report(gateway: gateway, rssi: rssi, at: at(second))
            }
        }
        return locator.estimate(at: at(20))
    }

    @Test
    func `an item that no gateway receives well is in the room without a gateway, and an item beside a gateway is not`()
    {
        let site = Site(rooms: [Site.Room(name: "Attic")], gateways: model.site.gateways)
        #expect(estimate(site, [-80, -82, -81]).room == "Attic")
        #expect(estimate(site, [-50, -75, -75]).room == "Hall")
        #expect(estimate(site, [-50, -75, -75]).share(of: "Attic") ?? 1 < 0.2)
    }

    @Test func `a gateway between two rooms shows that an item is in one of them, and another gateway shows in which`()
    {
        let site = Site(gateways: [
            Site.Gateway(id: "door", room: "Hall", otherRooms: ["Kitchen"]),
            Site.Gateway(id: "kitchen", room: "Kitchen"), Site.Gateway(id: "porch", room: "Porch"),
        ])
        #expect(estimate(site, [-50, -75, -80]).room == "Hall")
        #expect(estimate(site, [-55, -55, -80]).room == "Kitchen")
        #expect(estimate(site, [-80, -80, -55]).room == "Porch")
        #expect(estimate(site, [-50, -62, -85]).share(of: "Porch") ?? 0 < 0.1)
    }

    @Test(arguments: [6, 9])
    func `the pauses of an item that sends rarely are not taken for absence`(interval: Int) {
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        var second = 0
        func send(_ rssiValues: [Double?]) -> RoomEstimate {
            second += interval
            for (gateway, rssi) in rssiValues.enumerated() {
                if let rssi { locator.report(gateway: gateway, rssi: rssi, at: at(second)) }
            }
            return locator.estimate(at: at(second))
        }
        for _ in 0..<2 {
            for _ in 0..<4 { _ = send([-60, -75, -85]) }
            // The estimate does not wait anew, with each sighting, for the gateways that lost it.
            for _ in 0..<2 { #expect(send([-75, nil, nil]).isSettled) }
            for _ in 0..<2 { #expect(send([-80, -60, nil]).isSettled) }
            // Nor after two more lost sightings.
            second += 2 * interval
            let moved = send([-80, -60, nil])
            #expect(moved.isSettled)
            #expect(moved.room == "Kitchen")
        }
    }

    @Test func `a room is left when its gateway has received nothing for half a minute while another does`() {
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        for second in 1...20 { locator.report(gateway: 2, rssi: -60, at: at(second)) }
        #expect(locator.estimate(at: at(20)).room == "Porch")
        for second in 21...60 { locator.report(gateway: 0, rssi: -90, at: at(second)) }
        #expect(locator.estimate(at: at(60)).room == "Hall")
    }

    @Test func `two lost messages of a gateway exclude no room, and a gateway that withdraws its message leaves it`() {
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        func publish(_ gateway: Int, _ rssi: Double, _ second: Int) {
            locator.report(gateway: gateway, rssi: rssi, at: at(second), holds: Locator.messageHolds)
        }
        publish(2, -60, 1)
        for second in 1...70 {
            publish(0, -90, second)
            let estimate = locator.estimate(at: at(second))
            #expect(estimate.rooms.first { $0.room == "Porch" }!.confidence > 0, "after \(second) s")
        }
        locator.silent(gateway: 2)
        publish(0, -90, 71)
        let left = locator.estimate(at: at(71))
        #expect(left.room == "Hall")
    }

    @Test func `a still item is back in its room as soon as that room's gateway receives it again`() {
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        for second in 1...900 {
            locator.report(gateway: 0, rssi: -80, at: at(second))
            locator.report(gateway: 2, rssi: -60, at: at(second))
        }
        for second in 901...945 { locator.report(gateway: 0, rssi: -80, at: at(second)) }
        let excluded = locator.estimate(at: at(945))
        #expect(excluded.room == "Hall")
        for second in 946...956 {
            locator.report(gateway: 0, rssi: -80, at: at(second))
            locator.report(gateway: 2, rssi: -60, at: at(second))
        }
        let back = locator.estimate(at: at(956))
        #expect(back.room == "Porch", "\(back.rooms)")
    }

    @Test
    func `a tag that sends every eight seconds is received between two sightings, one that sends every second is not`()
    {
        for (interval, isHeld) in [(1, false), (8, true)] {
            var locator = Locator(model: model)
            for second in stride(from: 0, through: 80, by: interval) {
                locator.report(gateway: 0, rssi: -60, at: at(second))
            }
            #expect(locator.rssiValues(at: at(95))[0].isFinite == isHeld, "every \(interval) s")
        }
    }

    @Test func `a message counts for as long as it states, however rarely the gateway publishes`() {
        var locator = Locator(model: model)
        for second in stride(from: 0, through: 80, by: 8) {
            locator.report(gateway: 0, rssi: -60, at: at(second), holds: Locator.messageHolds)
        }
        #expect(locator.rssiValues(at: at(91))[0].isFinite)
        #expect(!locator.rssiValues(at: at(93))[0].isFinite)
    }

    @Test func `an estimate is settled once all gateways have reported, or had three seconds to`() {
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        locator.report(gateway: 2, rssi: -60, at: at(10))
        let first = locator.estimate(at: at(10))
        #expect(first.room == "Porch" && !first.isSettled)
        var alone = locator
        let later = alone.estimate(at: at(13))
        #expect(later.isSettled)
        locator.report(gateway: 0, rssi: -60, at: at(11))
        locator.report(gateway: 1, rssi: -80, at: at(11))
        let complete = locator.estimate(at: at(11))
        #expect(complete.isSettled)
        // After an absence it begins anew.
        locator.report(gateway: 0, rssi: -60, at: at(300))
        let returned = locator.estimate(at: at(300))
        #expect(!returned.isSettled)
    }

    @Test func `a draw between two rooms is not clear`() {
        var locator = Locator(model: model)
        for second in 1...30 {
            for (gateway, rssi) in [(0, -60.0), (1, -60), (2, -60)] {
                locator.report(gateway: gateway, rssi: rssi, at: at(second))
            }
        }
        let draw = locator.estimate(at: at(30))
        #expect(draw.confidence < Tuning.clear)
        for second in 31...50 { locator.report(gateway: 0, rssi: -45, at: at(second)) }
        let clear = locator.estimate(at: at(50))
        #expect(clear.confidence >= Tuning.clear)
    }

    @Test func `lost packets are not learned as a gateway out of range`() {
        var history = RSSIHistory(gateways: ["hall", "kitchen", "porch"])
        for second in 0..<60 {
            // The kitchen is not received for 15 s, and later for half a minute.
            let kitchen: Float = (10..<25).contains(second) || second >= 30 ? .nan : -70
            history.append(RSSIHistory.Sample(at: at(second), rssiValues: [-60, kitchen, .infinity]))
        }
        let rssiValues = TrainingSample.windows(of: history, frame: model.stateSpace.frame).joined().map {
            $0.rssiValues[1]
        }
        #expect(rssiValues[0..<49].allSatisfy { $0 == -70 })
        #expect(rssiValues[49...].allSatisfy { $0.isNaN })
    }

    // MARK: Gateways that restart

    /// The rooms reported each second while every gateway of `rssiValues` receives, and after `restart` seconds one of them is down for a while.
    private func rooms(_ rssiValues: [Double?], down gateway: Int, from restart: Int, to back: Int, of seconds: Int)
        -> [String]
    {
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        return (1...seconds).map { second in
            if second == restart { locator.lost(gateway: gateway) }
            if second == back { locator.scans(gateway: gateway, since: at(second)) }
            for (index, rssi) in rssiValues.enumerated() where index != gateway || !(restart..<back).contains(second) {
                if let rssi { locator.report(gateway: index, rssi: rssi, at: at(second)) }
            }
            return locator.estimate(at: at(second)).room ?? ""
        }
    }

    @Test func `a gateway out of reach draws no faint item into its room while it restarts`() {
        let rooms = rooms([-86, -89, nil], down: 2, from: 60, to: 120, of: 180)
        #expect(Set(rooms) == ["Hall"])
    }

    @Test func `a gateway that was not live since the item was first received draws no faint item into its room`() {
        var locator = Locator(model: model)
        for gateway in 0..<2 { locator.scans(gateway: gateway, since: .zero) }
        for second in 1...150 {
            locator.report(gateway: 0, rssi: -86, at: at(second))
            locator.report(gateway: 1, rssi: -89, at: at(second))
            let estimate = locator.estimate(at: at(second))
            #expect(estimate.room == "Hall" && estimate.share(of: "Porch") == nil)
            if second == 100 { locator.scans(gateway: 2, since: at(second)) }
        }
    }

    @Test(arguments: [1, 3, 12, 20], [(60, 0), (60, 130), (400, 0), (400, 130)])
    func `a still item stays in its room until that room's gateway, which has come back, receives it again`(
        gap: Int, absence: (outage: Int, pause: Int)
    ) {
        for holds in [nil, Locator.messageHolds] {
            var locator = Locator(model: model)
            for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
            var second = 0
            func rooms(seconds: Int, isReceived: Bool) -> Set<String> {
                var rooms: Set<String> = []
                for _ in 0..<seconds {
                    second += 1
                    for (gateway, rssi) in [-74.0, -70, -58].enumerated() where gateway < 2 || isReceived {
                        locator.report(
                            gateway: gateway, rssi: rssi + Double(second % 2), at: at(second), holds: holds)
                    }
                    rooms.insert(locator.estimate(at: at(second)).room ?? "")
                }
                return rooms
            }
            _ = rooms(seconds: 10, isReceived: true)
            for time in 1...2 {
                // Nobody receives it.
                second += absence.pause
                var seen = rooms(seconds: 60, isReceived: true)
                locator.lost(gateway: 2)
                seen.formUnion(rooms(seconds: absence.outage, isReceived: false))
                locator.scans(gateway: 2, since: at(second))
                seen.formUnion(rooms(seconds: gap, isReceived: false))
                seen.formUnion(rooms(seconds: 60, isReceived: true))
                #expect(seen == ["Porch"], "time \(time)")
            }
            // The item was carried away while the gateway was down.
            locator.lost(gateway: 2)
            #expect(rooms(seconds: 60, isReceived: false) == ["Porch"])
            locator.scans(gateway: 2, since: at(second))
            #expect(rooms(seconds: 29, isReceived: false) == ["Porch"])
            #expect(rooms(seconds: 5, isReceived: false).contains("Kitchen"))
        }
    }

    @Test
    func `a still item stays in its room while that room's gateway is down, and one that is carried off does not`() {
        let still = rooms([-80, -84, -60], down: 2, from: 200, to: 260, of: 320)
        #expect(Set(still.dropFirst(10)) == ["Porch"])
        var locator = Locator(model: model)
        for gateway in 0..<3 { locator.scans(gateway: gateway, since: .zero) }
        for second in 1...300 {
            if second == 200 { locator.lost(gateway: 2) }
            locator.report(gateway: 0, rssi: second < 230 ? -80 : -50, at: at(second))
            locator.report(gateway: 1, rssi: second < 230 ? -84 : -70, at: at(second))
            if second < 200 { locator.report(gateway: 2, rssi: -60, at: at(second)) }
            let estimate = locator.estimate(at: at(second))
            if second == 229 { #expect(estimate.room == "Porch") }
            if second == 245 { #expect(estimate.room == "Hall") }
        }
    }
}

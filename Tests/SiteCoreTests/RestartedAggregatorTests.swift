import Beacons
import Messages
import Testing

@testable import SiteCore

/// An aggregator that restarts while a gateway is down: the gateway's room is still one of the site's.
struct RestartedAggregatorTests {
    private static let rooms = ["hall": "Hall", "kitchen": "Kitchen", "porch": "Porch"]

    /// The bag is beside the hall's gateway, and those that are up receive it.
    private func live(_ site: inout TestSite, _ up: [String], strongest: String = "hall", for seconds: Int) {
        for second in 0..<seconds {
            for gateway in up {
                let wobble = Double((second * 7) % 5) - 2
                site.ranged(at: gateway, rssi: (gateway == strongest ? -55 : gateway == "porch" ? -80 : -70) + wobble)
                if second % 10 == 0 { site.heartbeat(gateway, room: Self.rooms[gateway]!) }
            }
            site.advance(to: site.now + 1)
        }
    }

    private func begin() -> TestSite {
        var site = TestSite(TestSite.bagItem)
        for (gateway, room) in Self.rooms { site.gateway(gateway, room: room) }
        for gateway in Self.rooms.keys.sorted() { site.event(.enter, at: gateway) }
        live(&site, Array(Self.rooms.keys), for: 60)
        #expect(site.location?.room == "Hall")
        return site
    }

    /// Another process continues, and the broker has nothing of gateways that are down.
    private func restarted(_ site: TestSite, _ up: [String], restKnown: Bool = true) throws -> TestSite {
        var stored = try StoredSite(parsing: site.pipeline.stored.bytes)
        // The next one's clock begins with the test's beginning again.
        for index in stored.states.indices {
            stored.states[index].since = stored.states[index].since.map { $0 - .seconds(site.now + 1) }
            if !restKnown { stored.states[index].rest = nil }
        }
        var next = TestSite(TestSite.bagItem, stored: stored, settling: false)
        for gateway in up {
            next.ranged(at: gateway, rssi: gateway == "hall" ? -55 : gateway == "porch" ? -80 : -70)
            next.gateway(gateway, room: Self.rooms[gateway]!)
        }
        return next
    }

    @Test(arguments: [20, 100, 170])
    func `an item stays in the room of a gateway that is down when the aggregator restarts, each time`(
        outage: Int
    ) throws {
        var site = begin()
        for _ in 1...2 {
            site.offline("hall")
            live(&site, ["kitchen", "porch"], for: 20)
            site = try restarted(site, ["kitchen", "porch"])
            live(&site, ["kitchen", "porch"], for: outage)
            #expect(site.location?.room == "Hall" && site.story.isEmpty, "\(site.story)")
            site = try restarted(site, ["kitchen", "porch"])
            live(&site, ["kitchen", "porch"], for: outage)
            #expect(site.location?.room == "Hall" && site.story.isEmpty, "\(site.story)")
            site.gateway("hall", room: "Hall")
            live(&site, ["kitchen", "porch"], for: 20)
            live(&site, ["hall", "kitchen", "porch"], for: 60)
            #expect(site.location?.room == "Hall" && site.story.isEmpty, "\(site.story)")
        }
    }

    /// What the broker has of the item at the hall's gateway when the aggregator starts.
    enum Retained: CaseIterable { case nothing, near, unknown }

    private func retain(_ retained: Retained, at gateway: String, _ site: inout TestSite) {
        switch retained {
        case .nothing: break
        case .near: site.ranged(at: gateway, rssi: nil, retained: true, sightings: 0)
        case .unknown: site.ranged(at: gateway, rssi: nil, proximity: .unknown, retained: true, sightings: 0)
        }
    }

    /// The rooms of the published locations.
    private func rooms(_ site: TestSite) -> Set<String?> {
        Set(
            site.published(on: .itemLocation(item: "laptop-bag")).map {
                try? ItemLocation(parsing: Array($0.utf8)).room
            })
    }

    @Test(arguments: Retained.allCases, [true, false])
    func `an item of 9 s stays in its room while that room's gateway starts with the aggregator, each time`(
        retained: Retained, isFirst: Bool
    ) throws {
        var site = begin()
        for round in 1...2 {
            for gap in [9, 20] {
                site = try restarted(site, [])
                if isFirst { retain(retained, at: "hall", &site) }
                site.ranged(at: "kitchen", rssi: -70, retained: true)
                if !isFirst { retain(retained, at: "hall", &site) }
                for (gateway, room) in Self.rooms { site.gateway(gateway, room: room) }
                live(&site, ["kitchen", "porch"], for: gap)
                #expect(site.location?.confidence ?? 0 > 0.5, "round \(round), \(gap) s")
                live(&site, ["hall", "kitchen", "porch"], for: 60)
                #expect(rooms(site) == ["Hall"] && site.story.isEmpty, "round \(round), \(gap) s: \(site.story)")
            }
        }
    }

    @Test(arguments: Retained.allCases, [true, false])
    func `an item that is carried off while the aggregator and its room's gateway restart moves within a minute`(
        retained: Retained, isReceived: Bool
    ) throws {
        var site = begin()
        for (from, to) in [("hall", "kitchen"), ("kitchen", "hall")] {
            site = try restarted(site, [])
            site.ranged(at: to, rssi: -55, retained: true)
            retain(retained, at: from, &site)
            for (gateway, room) in Self.rooms { site.gateway(gateway, room: room) }
            live(&site, isReceived ? ["hall", "kitchen", "porch"] : [to, "porch"], strongest: to, for: 50)
            #expect(site.location?.room == Self.rooms[to])
            #expect(site.story == ["moved \(Self.rooms[from]!) \(Self.rooms[to]!)"], "\(site.story)")
            live(&site, Array(Self.rooms.keys), strongest: to, for: 60)
            #expect(site.story.count == 1, "\(site.story)")
        }
    }

    @Test(arguments: [true, false])
    func `an item that is carried off while its room's gateway is down moves, also if that comes back never`(
        isBack: Bool
    ) throws {
        for isSeen in [true, false] {
            var site = begin()
            site.offline("hall")
            live(&site, ["kitchen", "porch"], for: 20)
            site = try restarted(site, ["kitchen", "porch"])
            if isSeen { live(&site, ["kitchen", "porch"], for: 60) }
            live(&site, ["kitchen", "porch"], strongest: "kitchen", for: 60)
            // The kitchen's gateway had received it otherwise before the restart.
            #expect(site.location?.room == "Kitchen", "\(isSeen)")
            if isBack { site.gateway("hall", room: "Hall") }
            for _ in 1...(isBack ? 4 : 20) {
                live(&site, ["kitchen", "porch"], strongest: "kitchen", for: 10)
                if isBack { site.heartbeat("hall", room: "Hall") }
            }
            #expect(site.location?.room == "Kitchen" && site.story == ["moved Hall Kitchen"], "\(site.story)")
        }
    }

    @Test func `a move that is not certain yet when the aggregator restarts is an event later, once, each time`() throws
    {
        var site = begin()
        for (from, to) in [("hall", "kitchen"), ("kitchen", "hall")] {
            let story = site.story
            var waited = 0
            while site.location?.room == Self.rooms[from], waited < 60 {
                live(&site, Array(Self.rooms.keys), strongest: to, for: 1)
                waited += 1
            }
            #expect(site.location?.room == Self.rooms[to] && site.story == story, "reported, and no event yet")
            site = try restarted(site, Array(Self.rooms.keys))
            live(&site, Array(Self.rooms.keys), strongest: to, for: 60)
            #expect(site.story == ["moved \(Self.rooms[from]!) \(Self.rooms[to]!)"], "\(site.story)")
            site = try restarted(site, Array(Self.rooms.keys))
            live(&site, Array(Self.rooms.keys), strongest: to, for: 60)
            #expect(site.location?.room == Self.rooms[to] && site.story.isEmpty, "\(site.story)")
        }
    }

    @Test(arguments: [5, 10, 15])
    func `an item that another gateway receives better for some seconds after a restart has not moved, each time`(
        seconds: Int
    ) throws {
        var site = begin()
        for _ in 1...2 {
            site = try restarted(site, [])
            for (gateway, room) in Self.rooms { site.gateway(gateway, room: room) }
            live(&site, Array(Self.rooms.keys), strongest: "kitchen", for: seconds)
            live(&site, Array(Self.rooms.keys), for: 60)
            #expect(site.location?.room == "Hall" && site.story.isEmpty, "\(site.story)")
        }
    }

    /// The bag is still, or is carried to another spot first; the RSSI values fade, each by itself. Returns the lowest confidence in its room.
    private func rest(
        _ site: inout TestSite, strongest: String = "hall", noise: inout SplitMix64, for seconds: Int
    ) -> Double {
        var least = 1.0
        for second in 0..<seconds {
            for gateway in Self.rooms.keys.sorted() {
                let fading = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -3...3, using: &noise) } / 2
                let rssi = gateway == strongest ? -58.0 : gateway == "porch" ? -75 : -67
                site.ranged(at: gateway, rssi: rssi + fading, sightings: 1)
                if second % 10 == 0 { site.heartbeat(gateway, room: Self.rooms[gateway]!) }
            }
            site.advance(to: site.now + 1)
            if site.location?.room == Self.rooms[strongest] { least = min(least, site.location?.confidence ?? 1) }
        }
        return least
    }

    @Test(arguments: 1...6) func `the confidence of a still item does not fall at a restart, each time`(
        seed: UInt64
    ) throws {
        var noise = SplitMix64(seed: seed)
        var site = begin()
        _ = rest(&site, noise: &noise, for: 900)
        let before = try #require(site.location?.confidence)
        for round in 1...2 {
            site = try restarted(site, [])
            for (gateway, room) in Self.rooms { site.gateway(gateway, room: room) }
            let least = rest(&site, noise: &noise, for: 60)
            #expect(least > before - 0.1, "round \(round): \(before), then \(least)")
            _ = rest(&site, noise: &noise, for: 10)
        }
        #expect(site.location?.room == "Hall" && site.story.isEmpty, "\(site.story)")
    }

    /// The seconds until a carried item is in its new room.
    private func secondsUntil(_ room: String, _ site: inout TestSite, noise: inout SplitMix64) -> Int {
        for second in 0..<100 {
            _ = rest(&site, strongest: room, noise: &noise, for: 1)
            if site.location?.room == Self.rooms[room] { return second }
        }
        return 100
    }

    @Test(arguments: 1...6)
    func `a still item that is carried off during a restart is found as soon, each time`(
        seed: UInt64
    ) throws {
        var noise = SplitMix64(seed: seed)
        var site = begin()
        _ = rest(&site, noise: &noise, for: 900)
        for room in ["kitchen", "hall"] {
            let former = site.location?.room
            let confidence = site.location?.confidence ?? 0
            var seconds: [Int] = []
            let atStop = site
            let noiseAtStop = noise
            for isKnown in [false, true] {
                noise = noiseAtStop
                site = try restarted(atStop, [], restKnown: isKnown)
                for (gateway, room) in Self.rooms { site.gateway(gateway, room: room) }
                _ = rest(&site, strongest: room, noise: &noise, for: 4)
                #expect(site.location?.room != former || (site.location?.confidence ?? 1) < confidence - 0.1)
                seconds.append(secondsUntil(room, &site, noise: &noise))
            }
            #expect(seconds[1] <= seconds[0] + 2 && seconds[0] < 60, "\(seconds)")
            _ = rest(&site, strongest: room, noise: &noise, for: 900)
            #expect(site.story.count == 1, "\(site.story)")
        }
    }
}

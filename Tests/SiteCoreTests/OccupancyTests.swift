import Messages
import Testing

@testable import Locating
@testable import SiteCore

@Suite("Occupancy sensors of rooms")
struct OccupancyTests {
    private static let enabled = "[occupancy]\nenabled = true\n"

    private static let gateways = [("hall", "Hall"), ("kitchen", "Küche"), ("porch", "Porch")]

    private func site(_ toml: String = OccupancyTests.enabled) -> TestSite {
        var site = TestSite(toml + TestSite.bagItem)
        for (gateway, room) in Self.gateways { site.gateway(gateway, room: room) }
        site.advance(to: site.now + 2)
        return site
    }

    private func sensors(_ site: TestSite) -> [String: Double] {
        var evidence: [String: Double] = [:]
        site.pipeline.items.surroundings.sensors.forEachRoom(at: site.moment.instant) { evidence[$0] = $1 }
        return evidence
    }

    /// Carries the bag from the hall to the kitchen and back for some minutes, while the sensors show that, or nothing.
    private func carry(_ site: inout TestSite, minutes: Int, areSensorsRight: Bool = true) {
        site.event(.enter, at: "hall")
        let stays = minutes * 60 / 40
        for stay in 0..<stays {
            let (here, there) = stay % 2 == 0 ? ("hall", "kitchen") : ("kitchen", "hall")
            let ids = ["hall": "hall", "kitchen": "kuche"]
            for (gateway, room) in Self.gateways { site.heartbeat(gateway, room: room) }
            if areSensorsRight {
                site.deliver(.roomOccupancy(room: ids[there]!), Occupancy.off.bytes)
                site.deliver(.roomOccupancy(room: ids[here]!), Occupancy.on.bytes)
            }
            for second in 0..<40 {
                site.ranged(at: here, rssi: -50 - Double(second % 7))
                site.ranged(at: there, rssi: -75 + Double(second % 5))
                site.advance(to: site.now + 1)
            }
        }
    }

    @Test func `a sensor of a room that is known by its id is learned, by messages alone`() throws {
        var site = site()
        carry(&site, minutes: 12)
        site.deliver(.roomOccupancy(room: "hall"), Occupancy.off.bytes)
        site.deliver(.roomOccupancy(room: "kuche"), Occupancy.off.bytes)
        site.deliver(.roomOccupancy(room: "kuche"), Occupancy.on.bytes)
        let evidence = sensors(site)
        #expect(try #require(evidence["Küche"]) > 0.5, "\(evidence)")
        #expect(try #require(evidence["Hall"]) < 0, "\(evidence)")
    }

    @Test func `unless it is enabled, nothing is taken`() {
        var site = site("")
        site.deliver(.roomOccupancy(room: "hall"), Occupancy.on.bytes)
        #expect(site.pipeline.items.surroundings.sensors.isEmpty)
    }

    @Test func `a state that the broker retained counts nothing until it changes`() {
        var site = site()
        carry(&site, minutes: 12)
        site.deliver(.roomOccupancy(room: "kuche"), [])
        #expect(sensors(site)["Küche"] == nil)
        for (retained, isOn) in [(true, false), (false, true)] {
            var site = site
            site.deliver(.roomOccupancy(room: "hall"), Occupancy.off.bytes)
            site.deliver(.roomOccupancy(room: "hall"), Occupancy.on.bytes, retained: retained)
            #expect((sensors(site)["Hall"]! > 0) == isOn)
        }
    }

    @Test func `a strange payload is ignored, and logged once`() {
        var site = site()
        for payload in ["true", "{}", "1", "\u{0}", "on on"] {
            site.deliver(.roomOccupancy(room: "hall"), Array(payload.utf8))
        }
        #expect(site.pipeline.items.surroundings.sensors.isEmpty)
        #expect(site.notes.count { $0.contains("occupancy") } == 1)
    }

    /// The sensors without a room, as `info` reports them.
    private func problem(of site: TestSite) -> String? {
        site.pipeline.items.surroundings.sensorProblem(under: .standard)
    }

    @Test
    func `an unknown room is a problem in info with the ids of the rooms, and at most 256 sensors are stored`() {
        var site = site()
        site.deliver(.roomOccupancy(room: "kitchen"), Occupancy.on.bytes)
        let problem = problem(of: site) ?? ""
        #expect(problem.contains("forgetmenot/rooms/kitchen/occupancy") && problem.contains("hall, kuche, porch"))
        site.deliver(.roomOccupancy(room: "kitchen"), [])
        #expect(self.problem(of: site) == nil)
        for number in 0..<300 { site.deliver(.roomOccupancy(room: "r\(number)"), Occupancy.on.bytes) }
        #expect(site.pipeline.items.surroundings.sensors.count == Surroundings.mostSensors)
    }

    @Test func `two rooms with one id have no sensor`() {
        var site = site()
        site.gateway("other", room: "Kuche")
        site.advance(to: site.now + 2)
        site.deliver(.roomOccupancy(room: "kuche"), Occupancy.on.bytes)
        #expect(problem(of: site) != nil)
        #expect(site.pipeline.items.surroundings.sensors.withoutRoom == ["kuche"])
    }

    @Test func `a room's id is made from its name, also of one without Latin letters`() {
        #expect(roomID("Living room") == "living-room")
        #expect(roomID("Küche") == "kuche")
        #expect(roomID("厨房").hasPrefix("room-") && roomID("厨房").utf8.count == 11)
        #expect(roomID("厨房") != roomID("客厅"))
    }
}

import Beacons
import Locating
import Messages
import Settings
import Testing

@testable import SiteCore

/// A room that gets another name, at run time and while the aggregator is down, each time twice: nothing moves, and what was surveyed counts.
struct RenamedRoomTests {
    private static let toml = """
        [[person]]
        name = "Anna"
        carries = ["Laptop bag"]

        """ + TestSite.bagItem

    /// What the gateways are set to, by id.
    private typealias Rooms = [String: String]
    private static let rooms = ["hall": "Hall", "kitchen": "Kitchen", "porch": "Porch"]

    private func begin(_ toml: String = toml, _ rooms: Rooms = rooms) -> TestSite {
        var site = TestSite(toml)
        for (gateway, room) in rooms.sorted(by: { $0.key < $1.key }) { site.gateway(gateway, room: room) }
        for gateway in rooms.keys.sorted() { site.event(.enter, at: gateway) }
        return site
    }

    /// The bag is beside a gateway, and the other gateways receive it less.
    private func live(_ site: inout TestSite, _ rooms: Rooms, at nearest: String = "hall", for seconds: Int) {
        for second in 0..<seconds {
            for gateway in rooms.keys.sorted() {
                let wobble = Double((second * 7) % 5) - 2
                site.ranged(at: gateway, rssi: (gateway == nearest ? -55 : gateway == "porch" ? -80 : -70) + wobble)
                if second % 10 == 0 { site.heartbeat(gateway, room: rooms[gateway]!) }
            }
            site.advance(to: site.now + 1)
        }
    }

    private func survey(_ site: inout TestSite, _ rooms: Rooms, _ room: String, at gateway: String) {
        _ = site.ask("survey/start", #"{"room":"\#(room)","item":"Laptop bag","for_s":30}"#)
        live(&site, rooms, at: gateway, for: 32)
    }

    private func surveyed(_ site: inout TestSite) throws -> [SurveyResponse.Survey] {
        let json = site.ask("learning", "{}")
        guard case .done(let response) = try Response<LearningResponse>(parsing: Array(json.utf8)).outcome else {
            throw Refused(json)
        }
        return response.surveys
    }

    /// The values of a gateway that a lesson would learn from, in surveys.
    private func counts(_ gateway: String, in site: TestSite) -> Bool {
        let present = site.pipeline.items.surroundings.model.site
        return site.pipeline.items.study.surveys.contains { entry in
            let history = entry.survey(at: present).history
            let column = history.gateways.firstIndex(of: gateway)!
            return history.text.split(separator: "\n").dropFirst().contains {
                !$0.hasPrefix("offset,")
                    && $0.split(separator: ",", omittingEmptySubsequences: false)[column + 1] != "x"
            }
        }
    }

    private func moves(_ site: TestSite) -> [String] {
        site.story.filter { $0.hasPrefix("moved") }
            + site.published(on: .personEvent(person: "anna")).filter { $0.contains("moved") }
    }

    private func person(_ site: TestSite) -> String? {
        site.published(on: .personLocation(person: "anna")).last.flatMap {
            try? PersonLocation(parsing: Array($0.utf8))
        }?.room
    }

    /// Whether the person is in a room, by the room's topic.
    private func people(_ site: TestSite, in room: String) -> Bool? {
        site.published(on: .roomPeople(room: room.lowercased())).last.map { $0.contains("\"count\":1") }
    }

    /// Another process continues with what this one has stored.
    private func restarted(_ site: TestSite, _ toml: String = toml) throws -> TestSite {
        let stored = try StoredSite(parsing: site.pipeline.stored.bytes)
        let surveys = try StoredSurveys(parsing: StoredSurveys(site.pipeline.items.study.surveys).bytes).surveys
        var next = TestSite(toml, stored: stored, settling: false)
        next.pipeline.reports.items.study.restore(past: site.pipeline.items.study.past, surveys: surveys)
        return next
    }

    /// The gateways come back after a restart, with what the broker retains of them.
    private func reappear(_ site: inout TestSite, _ rooms: Rooms) {
        for (gateway, room) in rooms.sorted(by: { $0.key > $1.key }) {
            site.ranged(at: gateway, rssi: gateway == "hall" ? -55 : -70)
            site.gateway(gateway, room: room)
        }
    }

    @Test(arguments: [false, true])
    func `a renamed room keeps its surveys and its past, and nobody moves`(isRestarted: Bool) throws {
        var (rooms, site) = (Self.rooms, begin())
        live(&site, rooms, for: 40)
        survey(&site, rooms, "Hall", at: "hall")
        survey(&site, rooms, "Kitchen", at: "kitchen")
        live(&site, rooms, for: 60)
        let since = site.location?.since
        #expect(site.location?.room == "Hall" && person(site) == "Hall")
        let numbers = try surveyed(&site).map(\.number)
        for name in ["Parlour", "Hall", "Atrium"] {
            rooms["hall"] = name
            let moved = isRestarted ? [] : moves(site)
            if isRestarted {
                site = try restarted(site)
                reappear(&site, rooms)
            } else {
                // Before the item is received again.
                site.heartbeat("hall", room: name)
                site.advance(to: site.now + 1)
            }
            live(&site, rooms, for: 30)
            #expect(people(site, in: name) == true && people(site, in: "Kitchen") == false)
            #expect(site.location?.room == name && site.location?.since == since)
            #expect(person(site) == name)
            #expect(moves(site) == moved, "\(name)")
            let surveys = try surveyed(&site)
            #expect(surveys.map(\.number) == numbers && surveys.map(\.room) == [name, "Kitchen"])
            #expect(surveys.allSatisfy { $0.elsewhere == 0 })
            #expect(["hall", "kitchen", "porch"].allSatisfy { counts($0, in: site) })
            #expect(!site.pipeline.items.study.past.text.contains(",x"))
        }
    }

    @Test func `a learned model has the new name at once, also if it was being learned before`() throws {
        var (rooms, site) = (Self.rooms, begin())
        live(&site, rooms, for: 40)
        survey(&site, rooms, "Hall", at: "hall")
        survey(&site, rooms, "Kitchen", at: "kitchen")
        live(&site, rooms, for: 10)
        func lesson() -> Lesson? {
            site.outputs.compactMap { if case .perform(.learn(let lesson)) = $0 { lesson } else { nil } }.last
        }
        for name in ["Parlour", "Atrium"] {
            let lesson = try #require(lesson())
            rooms["hall"] = name
            site.heartbeat("hall", room: name)
            site.advance(to: site.now + 1)
            site.pipeline.reports.items.adopt(lesson.learn(), of: lesson, at: site.moment.wall)
            #expect(site.pipeline.items.surroundings.model.learned?.rooms.contains(name) == true)
            live(&site, rooms, for: 20)
        }
    }

    @Test(arguments: [false, true])
    func `the surveys of a gateway that is carried to another room count again once it is back`(isRestarted: Bool)
        throws
    {
        var (rooms, site) = (Self.rooms, begin())
        live(&site, rooms, for: 40)
        survey(&site, rooms, "Kitchen", at: "kitchen")
        for (room, counts) in [("Hall", false), ("Kitchen", true), ("Porch", false), ("Kitchen", true)] {
            rooms["kitchen"] = room
            if isRestarted {
                site = try restarted(site)
                reappear(&site, rooms)
            }
            live(&site, rooms, for: 10)
            #expect(self.counts("kitchen", in: site) == counts, "\(room)")
            #expect(self.counts("hall", in: site))
            #expect(try surveyed(&site).map(\.room) == ["Kitchen"])
        }
    }

    @Test(arguments: [false, true])
    func `a room with two gateways is renamed once the second one has the new name, also over a restart`(
        isRestarted: Bool
    ) throws {
        var rooms = ["hall": "Hall", "kitchen": "Kitchen", "porch": "Hall"]
        var site = begin(Self.toml, rooms)
        live(&site, rooms, for: 40)
        survey(&site, rooms, "Hall", at: "hall")
        live(&site, rooms, for: 20)
        for name in ["Parlour", "Hall"] {
            let story = isRestarted ? [] : site.story
            for gateway in ["porch", "hall"] {
                rooms[gateway] = name
                if isRestarted {
                    site = try restarted(site)
                    reappear(&site, rooms)
                }
                live(&site, rooms, for: 60)
            }
            #expect(site.location?.room == name && site.story == story)
            #expect(try surveyed(&site).map(\.room) == [name])
            #expect(["hall", "porch"].allSatisfy { counts($0, in: site) })
            #expect(!site.pipeline.items.study.past.text.contains(",x"))
        }
        // It was carried, after all.
        rooms["porch"] = "Attic"
        live(&site, rooms, for: 60)
        #expect(!site.pipeline.items.study.past.text.contains(",x"))
        live(&site, rooms, for: 600)
        #expect(site.pipeline.items.study.past.text.contains(",x"))
        #expect(try surveyed(&site).map(\.room) == ["Hall"])
        #expect(counts("hall", in: site) && !counts("porch", in: site))
    }

    @Test(arguments: [false, true])
    func `rooms that exchange their names take their items and people along, and nothing moves`(isRestarted: Bool)
        throws
    {
        var (rooms, site) = (Self.rooms, begin())
        live(&site, rooms, for: 40)
        survey(&site, rooms, "Hall", at: "hall")
        live(&site, rooms, for: 20)
        for (hall, kitchen) in [("Kitchen", "Hall"), ("Hall", "Kitchen")] {
            (rooms["hall"], rooms["kitchen"]) = (hall, kitchen)
            let moved = isRestarted ? [] : moves(site)
            if isRestarted {
                site = try restarted(site)
                reappear(&site, rooms)
            } else {
                for gateway in ["hall", "kitchen"] { site.heartbeat(gateway, room: rooms[gateway]!) }
            }
            live(&site, rooms, for: 40)
            #expect(site.location?.room == hall && person(site) == hall && moves(site) == moved)
            #expect(people(site, in: hall) == true && people(site, in: kitchen) == false)
            // Nobody knows where the gateways were when that was surveyed.
            #expect(counts("hall", in: site) == (hall == "Hall"))
        }
    }

    @Test func `items and alarms follow a room that must not be without their owner`() throws {
        var (rooms, site) = (Self.rooms, begin("[[person]]\nname = \"Anna\"\n"))
        _ = site.ask(
            "items/add",
            #"{"name":"Laptop bag","uuid":"\#(TestSite.bag.uuid)","major":1,"minor":2,"owners":["anna"],"not_alone_in":["Hall"]}"#
        )
        live(&site, rooms, for: 20)
        for name in ["Parlour", "Hall"] {
            rooms["hall"] = name
            let revision = site.pipeline.registry.revision
            live(&site, rooms, for: 5)
            #expect(site.pipeline.registry.items["laptop-bag"]?.ownership?.notAloneIn == [name])
            #expect(site.pipeline.registry.revision == revision + 1)
        }
    }

    @Test func `a site of an earlier version, without the rooms of gateways, is read`() throws {
        var site = begin()
        live(&site, Self.rooms, for: 30)
        var stored = site.pipeline.stored
        #expect(stored.gateways.map(\.rooms) == [["Hall"], ["Kitchen"], ["Porch"]])
        for index in stored.gateways.indices { stored.gateways[index].rooms = [] }
        let read = try StoredSite(parsing: stored.bytes)
        #expect(!String(decoding: stored.bytes, as: UTF8.self).contains("\"rooms\""))
        var next = TestSite(Self.toml, stored: read, settling: false)
        reappear(&next, Self.rooms)
        live(&next, Self.rooms, for: 30)
        #expect(next.location?.room == "Hall" && moves(next).isEmpty)
        #expect(next.pipeline.stored.gateways == site.pipeline.stored.gateways)
    }

    @Test(arguments: [false, true])
    func `an item of a gateway that is down follows its room when the configuration renames it, each time`(
        isRestarted: Bool
    ) throws {
        func toml(_ hall: String) -> String {
            Self.toml + "\n[[gateway]]\nid = \"hall\"\nroom = \"\(hall)\"\n"
        }
        var site = begin(toml("Hall"))
        live(&site, ["hall": "Hall"], for: 20)
        site.offline("hall")
        site.advance(to: site.now + 30)
        #expect(site.location?.presence == .unknown && site.location?.room == "Hall")
        for name in ["Parlour", "Atrium"] {
            if isRestarted {
                site = try restarted(site, toml(name))
            } else {
                let reading = readSettings(Array(toml(name).utf8), file: "test.toml") { AggregatorConfiguration($0) }
                _ = site.pipeline.reload(try #require(reading.configuration), at: site.moment)
            }
            for _ in 1...10 {
                for gateway in ["kitchen", "porch"] { site.gateway(gateway, room: Self.rooms[gateway]!) }
                site.advance(to: site.now + 10)
            }
            #expect(site.location?.presence == .unknown && site.location?.room == name)
            #expect(moves(site) == [])
        }
    }
}

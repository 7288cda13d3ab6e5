import Beacons
import Locating
import Messages
import Testing

@testable import SiteCore

/// Learning by living there.
@Suite struct LearningTests {
    /// The bag goes from room to room, some seconds in each.
    private func live(_ site: inout TestSite, rounds: Int, until stop: (TestSite) -> Bool = { _ in false }) {
        for round in 0..<rounds {
            for second in 0..<60 where !stop(site) {
                let isInKitchen = round % 2 == 0
                let wobble = Double((second * 7) % 5) - 2
                site.ranged(at: "kitchen", rssi: (isInKitchen ? -50 : -68) + wobble)
                site.ranged(at: "hall", rssi: (isInKitchen ? -68 : -50) - wobble)
                if second % 20 == 0 {
                    site.heartbeat("kitchen", room: "Kitchen")
                    site.heartbeat("hall", room: "Hall")
                }
                site.advance(to: site.now + 1)
            }
        }
    }

    private func site() -> TestSite {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        site.event(.enter, at: "kitchen")
        site.event(.enter, at: "hall")
        return site
    }

    private func lessons(_ site: TestSite) -> [Lesson] {
        site.outputs.compactMap { if case .perform(.learn(let lesson)) = $0 { lesson } else { nil } }
    }

    private func response(_ json: String) throws -> LearningResponse {
        let outcome = try Response<LearningResponse>(parsing: Array(json.utf8)).outcome
        guard case .done(let response) = outcome else { throw Refused("\(outcome)") }
        return response
    }

    @Test func `once enough was lived, it is learned from, and shown`() throws {
        var site = site()
        live(&site, rounds: 1)
        #expect(lessons(site).isEmpty)
        #expect(try response(site.ask("learning", "{}")).worth == nil)
        live(&site, rounds: 9)
        let lesson = try #require(lessons(site).first)
        #expect(lessons(site).count == 1)
        #expect(try response(site.ask("learning", "{}")).isLearning)
        site.pipeline.reports.items.adopt(lesson.learn(), of: lesson, at: site.moment.wall)
        let learned = try response(site.ask("learning", "{}"))
        let worth = try #require(learned.worth)
        #expect(!learned.isLearning && learned.stored > 100)
        #expect(worth.agreement > 0.9 && worth.share > 0.3 && worth.lived > 100)
        #expect(learned.rooms.map(\.room) == ["Hall", "Kitchen"])
        #expect(site.pipeline.items.surroundings.model.learned != nil)
        // The belief went on from where it was.
        #expect(site.location?.presence == .home)
    }

    @Test func `the learned model can be deleted, and a model that is being learned then is not adopted`() throws {
        var site = site()
        live(&site, rounds: 10)
        let lesson = try #require(lessons(site).first)
        let empty = try response(site.ask("learning/forget", "{}"))
        #expect(empty.stored == 0 && empty.worth == nil)
        site.pipeline.reports.items.adopt(lesson.learn(), of: lesson, at: site.moment.wall)
        #expect(site.pipeline.items.surroundings.model.learned == nil)
        #expect(try response(site.ask("learning", "{}")).worth == nil)
    }

    @Test func `the past outlives a restart, and is learned from again`() throws {
        var before = site()
        live(&before, rounds: 10)
        let text = before.pipeline.items.study.past.text
        #expect(before.outputs.contains { if case .storePast = $0 { true } else { false } })
        var after = TestSite()
        after.pipeline.reports.items.study.restore(
            past: TrainingHistory(text: text, endingAt: TestSite.moment(-60).instant), surveys: [])
        after.gateway("kitchen", room: "Kitchen")
        after.gateway("hall", room: "Hall")
        after.advance(to: 15)
        let lesson = try #require(lessons(after).last)
        #expect(lesson.past.map(\.count) == before.pipeline.items.study.past.all.map(\.count))
    }

    @Test func `after each restart, the past of a gateway that is late stays, and that of a removed gateway does not`()
    {
        var former = site()
        live(&former, rounds: 2)
        for _ in 1...2 {
            var site = TestSite()
            site.pipeline.reports.items.study.restore(
                past: TrainingHistory(
                    text: former.pipeline.items.study.past.text, endingAt: TestSite.moment(-60).instant), surveys: [])
            site.gateway("hall", room: "Hall")
            site.event(.enter, at: "hall")
            for _ in 0..<30 {
                site.ranged(at: "hall", rssi: -50)
                site.heartbeat("hall", room: "Hall")
                site.advance(to: site.now + 1)
            }
            #expect(site.pipeline.items.study.past.all.map(\.receivedBy) == [2])
            former = site
        }
        former.gateway("kitchen", room: "Kitchen")
        former.advance(to: former.now + 20)
        former.offline("kitchen")
        _ = former.ask("gateways/remove", #"{"name":"kitchen"}"#)
        #expect(former.pipeline.items.study.past.all.map(\.gateways) == [["hall"]])
    }

    @Test
    func `a gateway that is carried to another room takes its past with it, and one whose room is renamed does not`() {
        for (room, isCarried) in [("Kitchen", true), ("Attic", false)] {
            var site = site()
            live(&site, rounds: 2)
            site.heartbeat("hall", room: room)
            site.advance(to: site.now + 1)
            #expect(site.pipeline.items.study.past.text.contains(",x") == isCarried, "\(room)")
        }
    }

    @Test func `lessons follow each other only when there is something new`() throws {
        var site = site()
        live(&site, rounds: 10)
        let lesson = try #require(lessons(site).first)
        site.pipeline.reports.items.adopt(lesson.learn(), of: lesson, at: site.moment.wall)
        let count = lessons(site).count
        // It is still: every eight seconds, the same again.
        for _ in 0..<600 {
            site.ranged(at: "kitchen", rssi: -50)
            site.ranged(at: "hall", rssi: -68)
            site.advance(to: site.now + 1)
        }
        #expect(lessons(site).count == count)
    }
}

import Beacons
import Locating
import Messages
import Testing

@testable import SiteCore

/// Surveys: somebody stands in a room with an item.
@Suite struct SurveyTests {
    private func site() -> TestSite {
        var site = TestSite(
            TestSite.bagItem + """

                [[room]]
                name = "Kitchen"
                [[room]]
                name = "Hall"
                [[room]]
                name = "Cellar"
                """)
        site.gateway("kitchen", room: "Kitchen")
        site.gateway("hall", room: "Hall")
        site.event(.enter, at: "kitchen")
        site.event(.enter, at: "hall")
        return site
    }

    private func receive(_ site: inout TestSite, kitchen: Double, hall: Double, seconds: Int) {
        for second in 0..<seconds {
            let wobble = Double((second * 7) % 5) - 2
            site.ranged(at: "kitchen", rssi: kitchen + wobble)
            site.ranged(at: "hall", rssi: hall - wobble)
            site.heartbeat("kitchen", room: "Kitchen")
            site.heartbeat("hall", room: "Hall")
            site.advance(to: site.now + 1)
        }
    }

    private func response<Value: Messages.Body>(_ json: String) throws -> Value {
        let outcome = try Response<Value>(parsing: Array(json.utf8)).outcome
        guard case .done(let response) = outcome else { throw Refused("\(outcome)") }
        return response
    }

    @discardableResult
    private func survey(_ site: inout TestSite, _ room: String, kitchen: Double, hall: Double) throws -> SurveyResponse
    {
        let _: SurveyResponse = try response(
            site.ask("survey/start", #"{"room":"\#(room)","item":"Laptop bag","for_s":30}"#))
        receive(&site, kitchen: kitchen, hall: hall, seconds: 32)
        return try response(site.ask("survey/stop", #"{"item":"laptop-bag"}"#))
    }

    /// Learns what there is to learn, lesson by lesson.
    private func learn(_ site: inout TestSite) {
        var taken = 0
        while true {
            site.advance(to: site.now + 6)
            let lessons = site.outputs.compactMap { if case .perform(.learn(let lesson)) = $0 { lesson } else { nil } }
            guard lessons.count > taken else { return }
            for lesson in lessons.dropFirst(taken) {
                site.pipeline.reports.items.adopt(lesson.learn(), of: lesson, at: site.moment.wall)
            }
            taken = lessons.count
        }
    }

    @Test func `a room without a gateway is found once it was surveyed`() throws {
        var site = site()
        receive(&site, kitchen: -72, hall: -70, seconds: 10)
        let kitchen = try survey(&site, "Kitchen", kitchen: -50, hall: -68)
        #expect(kitchen.survey.room == "Kitchen" && kitchen.survey.gateways == 2)
        #expect((25...31).contains(kitchen.survey.seconds))
        #expect(kitchen.survey.elsewhere == 0)
        try survey(&site, "Hall", kitchen: -68, hall: -50)
        let cellar = try survey(&site, "Cellar", kitchen: -75, hall: -74)
        #expect(cellar.alike.isEmpty && cellar.survey.elsewhere == nil)
        learn(&site)
        receive(&site, kitchen: -75, hall: -74, seconds: 20)
        #expect(site.location?.room == "Cellar")
        receive(&site, kitchen: -50, hall: -68, seconds: 20)
        #expect(site.location?.room == "Kitchen")
    }

    @Test func `rooms with similar fingerprints are named at the end`() throws {
        var site = site()
        receive(&site, kitchen: -60, hall: -60, seconds: 5)
        try survey(&site, "Kitchen", kitchen: -60, hall: -61)
        let hall = try survey(&site, "Hall", kitchen: -61, hall: -60)
        let cold = try survey(&site, "Hall", kitchen: -50, hall: -60)
        #expect(cold.survey.elsewhere == 1 && cold.survey.elsewhereRoom == "Kitchen")
        #expect(Set(hall.alike.map(\.room)).isSubset(of: ["Kitchen", "Hall"]) && !hall.alike.isEmpty)
    }

    @Test func `surveys are listed, stored on disk, and removed`() throws {
        var site = site()
        receive(&site, kitchen: -60, hall: -60, seconds: 5)
        try survey(&site, "Kitchen", kitchen: -50, hall: -68)
        try survey(&site, "Hall", kitchen: -68, hall: -50)
        #expect(site.outputs.contains { if case .storeSurveys = $0 { true } else { false } })
        let stored = StoredSurveys(site.pipeline.items.study.surveys)
        let read = try StoredSurveys(parsing: stored.bytes).surveys
        #expect(read.map { $0.response() } == stored.surveys.map { $0.response() })
        #expect(read.map(\.history.text) == stored.surveys.map(\.history.text))
        var again = self.site()
        again.pipeline.reports.items.study.restore(past: TrainingHistory(), surveys: read)
        let listed: LearningResponse = try response(again.ask("learning", "{}"))
        #expect(listed.surveys.map(\.room) == ["Kitchen", "Hall"])
        let left: LearningResponse = try response(again.ask("survey/remove", #"{"name":"Kitchen"}"#))
        #expect(left.surveys.map(\.room) == ["Hall"])
        let none: LearningResponse = try response(again.ask("survey/remove", #"{"name":"2"}"#))
        #expect(none.surveys.isEmpty)
        #expect(again.ask("survey/remove", #"{"name":"Hall"}"#).contains("\"ok\":false"))
    }

    @Test func `a survey ends by itself, and its end can still be asked for`() throws {
        var site = site()
        receive(&site, kitchen: -60, hall: -60, seconds: 5)
        _ = site.ask("survey/start", #"{"room":"Kitchen","item":"laptop-bag","for_s":10}"#)
        receive(&site, kitchen: -50, hall: -68, seconds: 60)
        #expect(site.pipeline.items.study.ongoing.isEmpty)
        let ended: SurveyResponse = try response(site.ask("survey/stop", #"{"item":"laptop-bag"}"#))
        #expect((8...11).contains(ended.survey.seconds))
        #expect(site.pipeline.items.study.surveys.count == 1)
    }

    @Test func `a survey that was too short is not replaced by an earlier one in the response, twice`() throws {
        var site = site()
        receive(&site, kitchen: -72, hall: -70, seconds: 10)
        try survey(&site, "Kitchen", kitchen: -50, hall: -68)
        for _ in 0..<2 {
            receive(&site, kitchen: -72, hall: -70, seconds: 5)
            let start = site.ask("survey/start", #"{"room":"Hall","item":"Laptop bag","for_s":30}"#)
            #expect(start.contains(#""ok":true"#), "\(start)")
            for gateway in ["kitchen", "hall"] { site.event(.exit, at: gateway) }
            site.advance(to: site.now + 40)
            let stop = site.ask("survey/stop", #"{"item":"laptop-bag"}"#)
            #expect(stop.contains("discarded"), "\(stop)")
            for gateway in ["kitchen", "hall"] { site.event(.enter, at: gateway) }
        }
        receive(&site, kitchen: -72, hall: -70, seconds: 5)
        try survey(&site, "Hall", kitchen: -68, hall: -50)
    }

    @Test func `a survey that was replaced by one of another room ends neither that one nor with its result, twice`()
        throws
    {
        var site = site()
        func end(_ room: String, _ more: String = "") -> String {
            site.ask("survey/stop", #"{"item":"laptop-bag","room":"\#(room)"\#(more)}"#)
        }
        for _ in 0..<2 {
            receive(&site, kitchen: -68, hall: -50, seconds: 10)
            for room in ["Kitchen", "Hall"] {
                _ = site.ask("survey/start", #"{"room":"\#(room)","item":"Laptop bag","for_s":30}"#)
                receive(&site, kitchen: -68, hall: -50, seconds: 8)
            }
            #expect(
                end("Kitchen").contains("is not stored")
                    && end("Kitchen", #","discard":true"#).contains("is not stored"))
            receive(&site, kitchen: -68, hall: -50, seconds: 25)
            #expect(end("Kitchen").contains("is not stored"))
            let hall: SurveyResponse = try response(end("Hall"))
            #expect(hall.survey.room == "Hall" && (25...31).contains(hall.survey.seconds))
        }
    }

    @Test func `what was recorded of a gateway that moves is dropped on the disk as well, also the second time`() throws
    {
        var site = site()
        receive(&site, kitchen: -72, hall: -70, seconds: 10)
        try survey(&site, "Kitchen", kitchen: -50, hall: -68)
        for room in ["Cellar", "Hall"] {
            let before = site.outputs.count
            site.heartbeat("hall", room: room)
            site.advance(to: site.now + 1)
            let stored = site.outputs[before...].map { "\($0)" }
            for file in ["storePast", "storeSurveys"] { #expect(stored.contains { $0.contains(file) }, "\(file)") }
        }
    }

    @Test func `a discarded survey is not stored`() throws {
        var site = site()
        receive(&site, kitchen: -60, hall: -60, seconds: 5)
        _ = site.ask("survey/start", #"{"room":"Kitchen","item":"laptop-bag"}"#)
        receive(&site, kitchen: -50, hall: -68, seconds: 20)
        let _: SurveyResponse = try response(site.ask("survey/stop", #"{"item":"laptop-bag","discard":true}"#))
        #expect(site.pipeline.items.study.surveys.isEmpty && site.pipeline.items.study.ongoing.isEmpty)
    }

    @Test(arguments: [
        (#"{"room":"Attic","item":"laptop-bag"}"#, "Attic"), (#"{"room":"Hall","item":"nothing"}"#, "nothing"),
        (#"{"room":"Hall","item":"laptop-bag","for_s":5}"#, "for_s"), ("{}", "room"),
    ])
    func `an impossible survey is refused in a sentence that names the reason`(request: String, word: String) {
        var site = site()
        receive(&site, kitchen: -60, hall: -60, seconds: 5)
        let response = site.ask("survey/start", request)
        #expect(response.contains("\"ok\":false") && response.contains(word), "\(response)")
        #expect(site.pipeline.items.study.ongoing.isEmpty)
    }

    @Test func `an item that no gateway receives cannot survey`() {
        var site = TestSite()
        site.gateway("kitchen", room: "Kitchen")
        #expect(site.ask("survey/start", #"{"room":"Kitchen","item":"laptop-bag"}"#).contains("No gateway receives"))
        #expect(site.ask("survey/stop", #"{"item":"laptop-bag"}"#).contains("\"ok\":false"))
    }

    @Test func `of too many surveys of a room the oldest goes`() throws {
        var site = site()
        receive(&site, kitchen: -60, hall: -60, seconds: 5)
        try survey(&site, "Hall", kitchen: -68, hall: -50)
        for _ in 0..<StoredSurveys.mostOfRoom { try survey(&site, "Kitchen", kitchen: -50, hall: -68) }
        try survey(&site, "Kitchen", kitchen: -50, hall: -68)
        #expect(site.pipeline.items.study.surveys.map(\.number) == [1] + Array(3...10))
    }
}

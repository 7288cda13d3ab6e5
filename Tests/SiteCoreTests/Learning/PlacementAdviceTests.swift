import Locating
import Messages
import Testing

@testable import SiteCore

/// The advice on placement in sentences and as JSON.
struct PlacementAdviceTests {
    // The hall's gateway is at the wall to the long kitchen, whose own is at the far end.
    private let text = """
        [[room]]
        name = "Hall"
        polygon_m = [[0, 0], [4, 0], [4, 4], [0, 4]]
        [[room]]
        name = "Kitchen"
        polygon_m = [[4, 0], [12, 0], [12, 4], [4, 4]]
        [[room]]
        name = "Pantry"
        polygon_m = [[12, 0], [14, 0], [14, 4], [12, 4]]
        [[gateway]]
        id = "hall"
        position_m = [3.9, 2.0, 1.5]
        [[gateway]]
        id = "kitchen"
        position_m = [11.9, 3.9, 1.5]
        """

    private func survey(_ room: String, elsewhere: Double?) -> SurveyResponse.Survey {
        SurveyResponse.Survey(
            number: 1, room: room, item: "keys", at: TestSite.moment(0).wall, seconds: 60, gateways: 2,
            elsewhere: elsewhere, elsewhereRoom: "Hall")
    }

    @Test func `the advice names the confused room, its rival, the moves, and what is not known`() throws {
        let site = try #require(aggregator(text)).site
        let placement = try #require(Placement(site, surveys: [survey("Kitchen", elsewhere: 0.8)]))
        let sentences = placement.sentences
        let first = try #require(sentences.first)
        #expect(first.hasPrefix("Hall's gateway receives Kitchen better than Kitchen's own: "))
        #expect(first.contains("by the plan, and 80 % of the survey (") && first.hasSuffix(" % sure)."))
        #expect(sentences.contains { $0.hasPrefix("Move 1: put the gateway ") })
        #expect(sentences.contains { $0.hasPrefix("A survey of a minute in each room") })
        #expect(sentences.contains("Nothing is known of rooms without a gateway on the plan: Pantry."))
        var json = JSONWriter()
        json.object(placement.writeFields)
        let object = try #require(try JSONValue(parsing: json.bytes, limits: .list).object)
        #expect(object["moves"]?.array?.count == placement.moves.count)
        #expect(object["rooms"]?.array?.first?.object?["confused"] == .bool(true))
        #expect(object["sentences"]?.array?.count == sentences.count)
    }

    @Test func `a survey that no gateway of its room received is not used`() throws {
        let site = try #require(aggregator(text)).site
        #expect(Placement(site, surveys: [survey("Kitchen", elsewhere: nil)]) == Placement(site, surveys: []))
        #expect(Placement(SiteConfiguration(), surveys: []) == nil)
    }
}

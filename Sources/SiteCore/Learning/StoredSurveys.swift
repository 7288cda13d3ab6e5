import Beacons
import Locating
import Messages

/// The surveys on the disk: `surveys.json`.
package struct StoredSurveys: Payload {
    package struct Entry: Members {
        /// Counts the surveys of the site.
        var number: Int
        var room: String
        var item: String
        /// When it began.
        var at: WallTime
        /// The first room of each gateway, by id; none in files of versions that did not know them.
        var gatewayRooms: [String: String]
        var history: RSSIHistory
    }

    static func rooms(of gateways: [Site.Gateway]) -> [String: String] {
        Dictionary(gateways.compactMap { gateway in gateway.room.map { (gateway.id, $0) } }) { first, _ in first }
    }

    package var surveys: [Entry]

    /// The most surveys of one room. Beyond that, the oldest one is removed.
    static let mostOfRoom = 8
    static let most = 400

    /// Whatever was written is read.
    package static var limits: JSONLimits { .ownFile }

    init(_ surveys: [Entry]) {
        self.surveys = surveys
    }

    package func writeFields(to json: inout JSONWriter) {
        json.array("surveys", surveys)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        surveys = try fields.entries("surveys", limit: .max)
    }
}

extension StoredSurveys.Entry {
    package func writeFields(to json: inout JSONWriter) {
        json.field("number", number)
        json.field("room", room)
        json.field("item", item)
        json.field("at", at)
        if !gatewayRooms.isEmpty {
            json.object("rooms") { json in
                for (gateway, room) in gatewayRooms.sorted(by: { $0.key < $1.key }) {
                    json.key(named: gateway)
                    json.element(room)
                }
            }
        }
        json.field("levels", history.text)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        number = try fields.count("number", in: Fields.gauges)
        room = try fields.text("room")
        item = try fields.id("item")
        at = try fields.time("at")
        gatewayRooms = [:]
        for member in try fields.optionalObject("rooms")?.members ?? [] where isValidID(member.key) {
            gatewayRooms[member.key] = member.value.string
        }
        // Longer than any other text, and read line by line.
        guard let levels = fields.value("levels")?.string else { throw .missing("levels") }
        history = RSSIHistory(text: levels)
    }

    /// Rooms have other names now.
    ///
    /// - Parameter former: the rooms before, which those of gateways are whose rooms the survey does not know.
    mutating func follow(_ names: [String: String], formerly former: Site) {
        gatewayRooms.merge(StoredSurveys.rooms(of: former.gateways)) { known, _ in known }
        room = names[room] ?? room
        gatewayRooms = gatewayRooms.mapValues { names[$0] ?? $0 }
    }

    /// The survey without the values of gateways that were in other rooms when it was made.
    func survey(at site: Site) -> Survey {
        var survey = Survey(room: room, history: history)
        for gateway in site.gateways {
            guard let former = gatewayRooms[gateway.id], !gateway.rooms.contains(former) else { continue }
            survey.history.forget(gateway: gateway.id)
        }
        return survey
    }

    /// The survey as a part of responses.
    ///
    /// - Parameter site: the site with the gateways' rooms; `nil` while the survey runs.
    func response(_ site: Site? = nil) -> SurveyResponse.Survey {
        let elsewhere = site.flatMap { survey(at: $0).elsewhere(site: $0) }
        return SurveyResponse.Survey(
            number: number, room: room, item: item, at: at, seconds: Int(history.seconds.rounded()),
            gateways: history.receivedBy, elsewhere: elsewhere?.share, elsewhereRoom: elsewhere?.other)
    }
}

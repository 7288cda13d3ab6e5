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
        var history: RSSIHistory
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
        json.field("levels", history.text)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        number = try fields.count("number", in: Fields.gauges)
        room = try fields.text("room")
        item = try fields.id("item")
        at = try fields.time("at")
        // Longer than any other text, and read line by line.
        guard let levels = fields.value("levels")?.string else { throw .missing("levels") }
        history = RSSIHistory(text: levels)
    }

    /// The survey as a part of responses.
    ///
    /// - Parameter site: the site with the gateways' rooms; `nil` while the survey runs.
    func response(_ site: Site? = nil) -> SurveyResponse.Survey {
        let elsewhere = site.flatMap { Survey(room: room, history: history).elsewhere(site: $0) }
        return SurveyResponse.Survey(
            number: number, room: room, item: item, at: at, seconds: Int(history.seconds.rounded()),
            gateways: history.receivedBy, elsewhere: elsewhere?.share, elsewhereRoom: elsewhere?.other)
    }
}

import Beacons

/// The response to `request/survey/start`, `survey/stop` and `survey/remove`: the survey and, at its end, its result.
package struct SurveyResponse: Body {
    package struct Survey: Members {
        /// The number of the survey, unique within the site; `survey remove` takes this number.
        package var number: Int
        package var room: String
        package var item: String
        /// When the survey began.
        package var at: WallTime
        /// The number of seconds in which the item was received.
        package var seconds: Int
        package var gateways: Int
        /// The share of the survey in which a gateway of another room received the item best, 0 to 1; `nil` while the
        /// survey runs, or if no gateway of the room scanned.
        package var elsewhere: Double?
        /// The room of whose gateway that was most often.
        package var elsewhereRoom: String?

        package init(
            number: Int, room: String, item: String, at: WallTime, seconds: Int, gateways: Int,
            elsewhere: Double? = nil, elsewhereRoom: String? = nil
        ) {
            self.number = number
            self.room = room
            self.item = item
            self.at = at
            self.seconds = seconds
            self.gateways = gateways
            self.elsewhere = elsewhere
            self.elsewhereRoom = elsewhereRoom
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("number", number)
            json.field("room", room)
            json.field("item", item)
            json.field("at", at)
            json.field("seconds", seconds)
            json.field("gateways", gateways)
            json.field("elsewhere", elsewhere, decimals: 2)
            json.field("elsewhere_room", elsewhereRoom)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            number = try fields.count("number", in: Fields.gauges)
            room = try fields.text("room")
            item = try fields.id("item")
            at = try fields.time("at")
            seconds = try fields.count("seconds", in: Fields.gauges)
            gateways = try fields.count("gateways", in: Fields.gauges)
            elsewhere = try fields.optionalNumber("elsewhere", in: 0...1)
            elsewhereRoom = try fields.optionalText("elsewhere_room")
        }
    }

    /// Two rooms with similar fingerprints.
    package struct Likeness: Members {
        package var room: String
        /// The room that it is confused with.
        package var other: String
        /// The share of confusions, 0 to 1.
        package var share: Double

        package init(room: String, other: String, share: Double) {
            self.room = room
            self.other = other
            self.share = share
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("room", room)
            json.field("other", other)
            json.field("share", share, decimals: 2)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            room = try fields.text("room")
            other = try fields.text("other")
            share = try fields.number("share", in: 0...1)
        }
    }

    package var survey: Survey
    /// The rooms that are hard to distinguish, worst first; only the first `most` are sent. The list is empty during
    /// the survey.
    package var alike: [Likeness]

    /// The limit of pairs in one response.
    package static let most = 64

    package init(_ survey: Survey, alike: [Likeness] = []) {
        self.survey = survey
        self.alike = alike
    }

    package func writeFields(to json: inout JSONWriter) {
        json.object("survey", survey)
        json.array("alike", alike.prefix(Self.most))
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        survey = try fields.entry("survey")
        alike = try fields.entries("alike", limit: Self.most)
    }
}

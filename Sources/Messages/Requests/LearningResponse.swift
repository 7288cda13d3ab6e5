import Beacons

/// The response to `request/learning`: the learned room fingerprints, their data and their quality.
package struct LearningResponse: Body {
    package struct Room: Members {
        package var room: String
        package var fingerprints: Int
        /// The seconds of everyday data that were assigned to the room.
        package var lived: Int
        package var surveyed: Int

        package init(room: String, fingerprints: Int, lived: Int, surveyed: Int) {
            self.room = room
            self.fingerprints = fingerprints
            self.lived = lived
            self.surveyed = surveyed
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("room", room)
            json.field("sounds", fingerprints)
            json.field("lived_s", lived)
            json.field("surveyed_s", surveyed)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            room = try fields.text("room")
            fingerprints = try fields.count("sounds", in: Fields.gauges)
            lived = try fields.count("lived_s", in: Fields.gauges)
            surveyed = try fields.count("surveyed_s", in: Fields.gauges)
        }
    }

    /// The quality of the learned model.
    package struct Worth: Members {
        package var at: WallTime
        /// The weight of the learned model beside names and floor plan, 0 to 1.
        package var share: Double
        /// The share of past moments for which two half models agree, 0 to 1. Below 0.75 the aggregator learns only
        /// from labels.
        package var agreement: Double
        /// The share of past moments that the aggregator would assign to another room without the model, 0 to 1.
        package var difference: Double
        /// The seconds of everyday data behind the model.
        package var lived: Int
        /// The seconds of surveys behind the model.
        package var surveyed: Int

        package init(at: WallTime, share: Double, agreement: Double, difference: Double, lived: Int, surveyed: Int) {
            self.at = at
            self.share = share
            self.agreement = agreement
            self.difference = difference
            self.lived = lived
            self.surveyed = surveyed
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("at", at)
            json.field("share", share, decimals: 2)
            json.field("agreement", agreement, decimals: 2)
            json.field("difference", difference, decimals: 2)
            json.field("lived_s", lived)
            json.field("surveyed_s", surveyed)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            at = try fields.time("at")
            share = try fields.number("share", in: 0...1)
            agreement = try fields.number("agreement", in: 0...1)
            difference = try fields.number("difference", in: 0...1)
            lived = try fields.count("lived_s", in: Fields.gauges)
            surveyed = try fields.count("surveyed_s", in: Fields.gauges)
        }
    }

    /// The quality of the model; `nil`: nothing is learned.
    package var worth: Worth?
    /// Whether the aggregator is learning a new model at the moment.
    package var isLearning: Bool
    /// The learned data of each room; only the first `most` are sent.
    package var rooms: [Room]
    package var stored: Int
    /// The surveys; only the first `most` are sent.
    package var surveys: [SurveyResponse.Survey]
    /// All rooms of the site; only the first `most` are sent. `nil`: the aggregator is older.
    package var knownRooms: [String]?

    /// The limit of rooms and of surveys in one response.
    package static let most = 1024

    package init(
        worth: Worth?, isLearning: Bool, rooms: [Room], stored: Int, surveys: [SurveyResponse.Survey],
        knownRooms: [String]? = nil
    ) {
        self.worth = worth
        self.isLearning = isLearning
        self.rooms = rooms
        self.stored = stored
        self.surveys = surveys
        self.knownRooms = knownRooms
    }

    package func writeFields(to json: inout JSONWriter) {
        json.object("worth", worth)
        json.field("learning", isLearning)
        json.array("rooms", rooms.prefix(Self.most))
        json.field("kept", stored)
        json.array("surveys", surveys.prefix(Self.most))
        json.field("known_rooms", (knownRooms?.prefix(Self.most)).map { Array($0) })
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        worth = try fields.optionalEntry("worth")
        isLearning = try fields.optionalBool("learning") ?? false
        rooms = try fields.entries("rooms", limit: Self.most)
        stored = try fields.count("kept", in: Fields.gauges)
        surveys = try fields.entries("surveys", limit: Self.most)
        knownRooms = try fields.optionalTexts("known_rooms", limit: Self.most)
    }
}

import Beacons

/// The response to `request/learning`: the learned room fingerprints, their data and their quality.
public struct LearningResponse: Body {
    /// The learned data of one room.
    public struct Room: Hashable, Sendable {
        /// The name.
        public var room: String
        /// The number of fingerprints.
        public var fingerprints: Int
        /// The seconds of everyday data that were assigned to the room.
        public var lived: Int
        /// The seconds of surveys in the room.
        public var surveyed: Int

        /// Creates a room from all its properties.
        public init(room: String, fingerprints: Int, lived: Int, surveyed: Int) {
            self.room = room
            self.fingerprints = fingerprints
            self.lived = lived
            self.surveyed = surveyed
        }
    }

    /// The quality of the learned model.
    public struct Worth: Hashable, Sendable {
        /// When the model was learned.
        public var at: WallTime
        /// The weight of the learned model beside names and floor plan, 0 to 1.
        public var share: Double
        /// The share of past moments for which two half models agree, 0 to 1. Below 0.75 the aggregator learns only
        /// from labels.
        public var agreement: Double
        /// The share of past moments that the aggregator would assign to another room without the model, 0 to 1.
        public var difference: Double
        /// The seconds of everyday data behind the model.
        public var lived: Int
        /// The seconds of surveys behind the model.
        public var surveyed: Int

        /// Creates a value from all its properties.
        public init(at: WallTime, share: Double, agreement: Double, difference: Double, lived: Int, surveyed: Int) {
            self.at = at
            self.share = share
            self.agreement = agreement
            self.difference = difference
            self.lived = lived
            self.surveyed = surveyed
        }
    }

    /// The quality of the model; `nil`: nothing is learned.
    public var worth: Worth?
    /// Whether the aggregator is learning a new model at the moment.
    public var isLearning: Bool
    /// The learned data of each room; only the first `most` are sent.
    public var rooms: [Room]
    /// The number of moments that are stored for learning.
    public var stored: Int
    /// The surveys; only the first `most` are sent.
    public var surveys: [SurveyResponse.Survey]

    /// The limit of rooms and of surveys in one response.
    public static let most = 1024

    /// Creates a response from all its properties.
    public init(worth: Worth?, isLearning: Bool, rooms: [Room], stored: Int, surveys: [SurveyResponse.Survey]) {
        self.worth = worth
        self.isLearning = isLearning
        self.rooms = rooms
        self.stored = stored
        self.surveys = surveys
    }

    /// Writes the members in the order of the reference.
    public func writeFields(to json: inout JSONWriter) {
        if let worth {
            json.object("worth") { json in
                json.field("at", worth.at)
                json.field("share", worth.share, decimals: 2)
                json.field("agreement", worth.agreement, decimals: 2)
                json.field("difference", worth.difference, decimals: 2)
                json.field("lived_s", worth.lived)
                json.field("surveyed_s", worth.surveyed)
            }
        }
        json.field("learning", isLearning)
        json.array("rooms") { json in for room in rooms.prefix(Self.most) { room.write(to: &json) } }
        json.field("kept", stored)
        json.array("surveys") { json in for survey in surveys.prefix(Self.most) { survey.write(to: &json) } }
    }

    /// Reads the value from its members; throws at the first invalid member.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        if let object = try fields.optionalObject("worth") {
            var inner = Fields(object)
            worth = try Worth(reading: &inner)
        }
        isLearning = try fields.optionalBool("learning") ?? false
        rooms = try fields.array("rooms", limit: Self.most) { (element) throws(PayloadRefusal) in
            var room = try Fields(element, of: "rooms")
            return try Room(reading: &room)
        }
        stored = try fields.count("kept", in: Fields.gauges)
        surveys = try fields.array("surveys", limit: Self.most) { (element) throws(PayloadRefusal) in
            var survey = try Fields(element, of: "surveys")
            return try SurveyResponse.Survey(reading: &survey)
        }
    }
}

extension LearningResponse.Worth {
    fileprivate init(reading fields: inout Fields) throws(PayloadRefusal) {
        at = try fields.time("at")
        share = try fields.number("share", in: 0...1)
        agreement = try fields.number("agreement", in: 0...1)
        difference = try fields.number("difference", in: 0...1)
        lived = try fields.count("lived_s", in: Fields.gauges)
        surveyed = try fields.count("surveyed_s", in: Fields.gauges)
    }
}

extension LearningResponse.Room {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("room", room)
            json.field("sounds", fingerprints)
            json.field("lived_s", lived)
            json.field("surveyed_s", surveyed)
        }
    }

    fileprivate init(reading fields: inout Fields) throws(PayloadRefusal) {
        room = try fields.text("room")
        fingerprints = try fields.count("sounds", in: Fields.gauges)
        lived = try fields.count("lived_s", in: Fields.gauges)
        surveyed = try fields.count("surveyed_s", in: Fields.gauges)
    }
}

import Beacons

/// Answers `request/learning`: what the aggregator has learned of how the rooms sound, what from, and how much it is worth.
public struct LearningAnswer: Body {
    /// What was learned of one room.
    public struct Room: Hashable, Sendable {
        /// Its name.
        public var room: String
        /// How many typical sounds it has.
        public var sounds: Int
        /// Seconds of living that were taken for it.
        public var lived: Int
        /// Seconds of surveys.
        public var surveyed: Int

        /// A room with all its properties.
        public init(room: String, sounds: Int, lived: Int, surveyed: Int) {
            self.room = room
            self.sounds = sounds
            self.lived = lived
            self.surveyed = surveyed
        }
    }

    /// How much it is worth.
    public struct Worth: Hashable, Sendable {
        /// When it was learned.
        public var at: WallTime
        /// How much say it has beside names and plan, 0 to 1.
        public var share: Double
        /// How much of the past two halves of it agree on, 0 to 1; below 0.75 nothing is learned without labels.
        public var agreement: Double
        /// How much of the past would be said to be in another room without it, 0 to 1.
        public var difference: Double
        /// Seconds of living that it was learned from.
        public var lived: Int
        /// Seconds of surveys that it was learned from.
        public var surveyed: Int

        /// A worth with all its properties.
        public init(at: WallTime, share: Double, agreement: Double, difference: Double, lived: Int, surveyed: Int) {
            self.at = at
            self.share = share
            self.agreement = agreement
            self.difference = difference
            self.lived = lived
            self.surveyed = surveyed
        }
    }

    /// How much it is worth; `nil`: nothing is learned.
    public var worth: Worth?
    /// Whether it is being learned anew at the moment.
    public var isLearning: Bool
    /// What is known of each room; only the first `most` are sent.
    public var rooms: [Room]
    /// Moments that are kept to learn from.
    public var kept: Int
    /// The surveys; only the first `most` are sent.
    public var surveys: [SurveyAnswer.Survey]

    /// The most rooms and surveys of one answer.
    public static let most = 1024

    /// An answer with all its properties.
    public init(worth: Worth?, isLearning: Bool, rooms: [Room], kept: Int, surveys: [SurveyAnswer.Survey]) {
        self.worth = worth
        self.isLearning = isLearning
        self.rooms = rooms
        self.kept = kept
        self.surveys = surveys
    }

    /// Writes its members in their order.
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
        json.field("kept", kept)
        json.array("surveys") { json in for survey in surveys.prefix(Self.most) { survey.write(to: &json) } }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
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
        kept = try fields.count("kept", in: Fields.gauges)
        surveys = try fields.array("surveys", limit: Self.most) { (element) throws(PayloadRefusal) in
            var survey = try Fields(element, of: "surveys")
            return try SurveyAnswer.Survey(reading: &survey)
        }
    }
}

extension LearningAnswer.Worth {
    fileprivate init(reading fields: inout Fields) throws(PayloadRefusal) {
        at = try fields.time("at")
        share = try fields.number("share", in: 0...1)
        agreement = try fields.number("agreement", in: 0...1)
        difference = try fields.number("difference", in: 0...1)
        lived = try fields.count("lived_s", in: Fields.gauges)
        surveyed = try fields.count("surveyed_s", in: Fields.gauges)
    }
}

extension LearningAnswer.Room {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("room", room)
            json.field("sounds", sounds)
            json.field("lived_s", lived)
            json.field("surveyed_s", surveyed)
        }
    }

    fileprivate init(reading fields: inout Fields) throws(PayloadRefusal) {
        room = try fields.text("room")
        sounds = try fields.count("sounds", in: Fields.gauges)
        lived = try fields.count("lived_s", in: Fields.gauges)
        surveyed = try fields.count("surveyed_s", in: Fields.gauges)
    }
}

import Beacons

/// Answers `request/survey/start`, `survey/stop` and `survey/remove`: the survey, and, at its end, what it is worth.
public struct SurveyAnswer: Body {
    /// One survey as it is kept.
    public struct Survey: Hashable, Sendable {
        /// Counts the surveys of the site: what `survey remove` takes.
        public var number: Int
        /// The room's name.
        public var room: String
        /// The item's id.
        public var item: String
        /// When it began.
        public var at: WallTime
        /// Seconds in which the item was heard.
        public var seconds: Int
        /// How many gateways heard it there.
        public var gateways: Int

        /// A survey with all its properties.
        public init(number: Int, room: String, item: String, at: WallTime, seconds: Int, gateways: Int) {
            self.number = number
            self.room = room
            self.item = item
            self.at = at
            self.seconds = seconds
            self.gateways = gateways
        }
    }

    /// Two rooms that sound alike.
    public struct Likeness: Hashable, Sendable {
        /// The room that was surveyed.
        public var room: String
        /// What it is taken for.
        public var other: String
        /// How often, 0 to 1.
        public var share: Double

        /// Two rooms and how alike they are.
        public init(room: String, other: String, share: Double) {
            self.room = room
            self.other = other
            self.share = share
        }
    }

    /// The survey.
    public var survey: Survey
    /// The rooms that are hard to tell apart now, the worst first; only the first `most` are sent. Empty while it goes on.
    public var alike: [Likeness]

    /// The most pairs of rooms of one answer.
    public static let most = 64

    /// An answer with all its properties.
    public init(_ survey: Survey, alike: [Likeness] = []) {
        self.survey = survey
        self.alike = alike
    }

    /// Writes its members in their order.
    public func writeFields(to json: inout JSONWriter) {
        json.key(named: "survey")
        survey.write(to: &json)
        json.array("alike") { json in
            for likeness in alike.prefix(Self.most) {
                json.object { json in
                    json.field("room", likeness.room)
                    json.field("other", likeness.other)
                    json.field("share", likeness.share, decimals: 2)
                }
            }
        }
    }

    /// Takes it from its members; one that is not as agreed refuses it.
    public init(reading fields: inout Fields) throws(PayloadRefusal) {
        guard let object = try fields.optionalObject("survey") else { throw .missing("survey") }
        var inner = Fields(object)
        survey = try Survey(reading: &inner)
        alike = try fields.array("alike", limit: Self.most) { (element) throws(PayloadRefusal) in
            var pair = try Fields(element, of: "alike")
            return Likeness(
                room: try pair.text("room"), other: try pair.text("other"), share: try pair.number("share", in: 0...1))
        }
    }
}

extension SurveyAnswer.Survey {
    /// Writes it as an object.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("number", number)
            json.field("room", room)
            json.field("item", item)
            json.field("at", at)
            json.field("seconds", seconds)
            json.field("gateways", gateways)
        }
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        number = try fields.count("number", in: Fields.gauges)
        room = try fields.text("room")
        item = try fields.id("item")
        at = try fields.time("at")
        seconds = try fields.count("seconds", in: Fields.gauges)
        gateways = try fields.count("gateways", in: Fields.gauges)
    }
}

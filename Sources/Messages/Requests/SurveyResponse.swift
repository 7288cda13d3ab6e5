import Beacons

/// The response to `request/survey/start`, `survey/stop` and `survey/remove`: the survey and, at its end, its result.
public struct SurveyResponse: Body {
    /// A stored survey.
    public struct Survey: Hashable, Sendable {
        /// The number of the survey, unique within the site; `survey remove` takes this number.
        public var number: Int
        /// The room's name.
        public var room: String
        /// The item's id.
        public var item: String
        /// When the survey began.
        public var at: WallTime
        /// The number of seconds in which the item was received.
        public var seconds: Int
        /// The number of gateways that received the item during the survey.
        public var gateways: Int

        /// Creates a survey from all its properties.
        public init(number: Int, room: String, item: String, at: WallTime, seconds: Int, gateways: Int) {
            self.number = number
            self.room = room
            self.item = item
            self.at = at
            self.seconds = seconds
            self.gateways = gateways
        }
    }

    /// Two rooms with similar fingerprints.
    public struct Likeness: Hashable, Sendable {
        /// The room that was surveyed.
        public var room: String
        /// The room that it is confused with.
        public var other: String
        /// The share of confusions, 0 to 1.
        public var share: Double

        /// Creates a pair of rooms with their similarity.
        public init(room: String, other: String, share: Double) {
            self.room = room
            self.other = other
            self.share = share
        }
    }

    /// The survey.
    public var survey: Survey
    /// The rooms that are hard to distinguish, worst first; only the first `most` are sent. The list is empty during
    /// the survey.
    public var alike: [Likeness]

    /// The limit of pairs in one response.
    public static let most = 64

    /// Creates a response from all its properties.
    public init(_ survey: Survey, alike: [Likeness] = []) {
        self.survey = survey
        self.alike = alike
    }

    /// Writes the members in the order of the reference.
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

    /// Reads the value from its members; throws at the first invalid member.
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

extension SurveyResponse.Survey {
    /// Writes the survey as an object.
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

import Beacons

/// Of what an item's owner wants to be told, and when. Its own is nobody's business but the aggregator's.
public struct Notify: Hashable, Sendable {
    /// Whether of its leaving.
    public var left: Bool
    /// Whether of its coming back.
    public var returned: Bool
    /// How long it must have lasted, in seconds, 0 to a year.
    public var afterSeconds: Int
    /// How often it is said again until acknowledged, in seconds, 1 to a year; `nil`: once.
    public var repeatSeconds: Int?
    /// For how long it is said again, in seconds, 1 to a year; `nil`: until acknowledged or over.
    public var untilSeconds: Int?
    /// From which minute of the day on; `nil`: from midnight.
    public var from: TimeOfDay?
    /// Before which minute of the day; `nil`: up to midnight. Before `from`, it is the next day's.
    public var to: TimeOfDay?
    /// What is said of its leaving; `nil`: the usual sentence.
    public var leftText: String?
    /// What is said of its coming back; `nil`: the usual sentence.
    public var returnedText: String?

    /// Wishes with all their properties.
    public init(
        left: Bool, returned: Bool, afterSeconds: Int = 0, repeatSeconds: Int? = nil, untilSeconds: Int? = nil,
        from: TimeOfDay? = nil, to: TimeOfDay? = nil, leftText: String? = nil, returnedText: String? = nil
    ) {
        self.left = left
        self.returned = returned
        self.afterSeconds = afterSeconds
        self.repeatSeconds = repeatSeconds
        self.untilSeconds = untilSeconds
        self.from = from
        self.to = to
        self.leftText = leftText
        self.returnedText = returnedText
    }

    func writeFields(to json: inout JSONWriter) {
        json.field("left", left)
        json.field("returned", returned)
        json.field("after_s", afterSeconds)
        json.field("repeat_s", repeatSeconds)
        json.field("until_s", untilSeconds)
        json.field("from", from?.description)
        json.field("to", to?.description)
        json.field("left_text", leftText)
        json.field("returned_text", returnedText)
    }

    /// `left` and `returned` are false, and `after_s` 0, where they are absent.
    init(reading object: JSONObject) throws(PayloadRefusal) {
        var fields = Fields(object)
        left = try fields.optionalBool("left") ?? false
        returned = try fields.optionalBool("returned") ?? false
        afterSeconds = try fields.optionalCount("after_s", in: 0...Self.year) ?? 0
        repeatSeconds = try fields.optionalCount("repeat_s", in: 1...Self.year)
        untilSeconds = try fields.optionalCount("until_s", in: 1...Self.year)
        from = try fields.optionalParsed("from") { TimeOfDay($0) }
        to = try fields.optionalParsed("to") { TimeOfDay($0) }
        leftText = try fields.optionalText("left_text")
        returnedText = try fields.optionalText("returned_text")
    }

    private static let year = 31_536_000
}

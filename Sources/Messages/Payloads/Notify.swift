import Beacons

/// The notification settings of an item. Only the aggregator uses them.
package struct Notify: Members {
    /// Whether to notify when the item leaves.
    package var left: Bool
    package var returned: Bool
    /// The delay before the first notification in seconds, 0 to a year.
    package var afterSeconds: Int
    /// The interval between repetitions in seconds, 1 to a year; `nil`: no repetition.
    package var repeatSeconds: Int?
    /// For how long the notification repeats in seconds, 1 to a year; `nil`: until it is acknowledged or its cause
    /// ends.
    package var untilSeconds: Int?
    /// The start of the daily period for notifications; `nil`: midnight.
    package var from: TimeOfDay?
    /// The end of the daily period, exclusive; `nil`: midnight. A time before `from` is on the next day.
    package var to: TimeOfDay?
    /// The text when the item leaves; `nil`: the default sentence.
    package var leftText: String?
    /// The text when the item returns; `nil`: the default sentence.
    package var returnedText: String?

    package init(
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

    /// The settings of an item for which none are given.
    package static let standard = Notify(
        left: true, returned: false, afterSeconds: 30, repeatSeconds: 300, untilSeconds: 3600)

    package func writeFields(to json: inout JSONWriter) {
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

    /// Reads the settings. `left` and `returned` default to false, `after_s` to 0.
    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        left = try fields.optionalBool("left") ?? false
        returned = try fields.optionalBool("returned") ?? false
        afterSeconds = try fields.optionalCount("after_s", in: 0...Self.year) ?? 0
        repeatSeconds = try fields.optionalCount("repeat_s", in: 1...Self.year)
        untilSeconds = try fields.optionalCount("until_s", in: 1...Self.year)
        from = try fields.optionalParsed("from") { TimeOfDay($0) }
        to = try fields.optionalParsed("to") { TimeOfDay($0) }
        leftText = try fields.optionalText("left_text")
        returnedText = try fields.optionalText("returned_text")
        try fields.refuseOthers()
    }

    /// Throws unless the hours have a beginning and another end, or there are none. What is stored may have only one of the two.
    func checkHours() throws(PayloadRefusal) {
        guard from != nil || to != nil else { return }
        guard from != nil else { throw .missing("notify.from") }
        guard to != nil else { throw .missing("notify.to") }
        guard from != to else {
            throw .senseless(
                "\"notify.from\" and \"notify.to\" are equal: write two times that differ, or null for both.")
        }
    }

    /// The range of each duration where people write one: in the configuration, and as an option.
    package static let durations = Interval.zero ... .seconds(7 * 86_400)
    private static let year = 31_536_000
}

extension Interval {
    /// The interval in whole seconds, at least one; `nil` for zero, which ends or repeats nothing.
    package var notifySeconds: Int? { self > .zero ? max(1, Int(seconds.rounded())) : nil }
}

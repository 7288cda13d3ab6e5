import Beacons
import Settings

/// An item's `[item.notify]`: what is said when it leaves and returns, and when.
public struct NotifySettings: Hashable, Sendable {
    /// The hours of the day in which something is said, over midnight where they end before they begin.
    public struct Hours: Hashable, Sendable {
        /// From then on.
        public var from: TimeOfDay
        /// Until then.
        public var to: TimeOfDay
    }

    /// Whether its leaving is said.
    public var left = true
    /// Whether its return is said.
    public var returned = false
    /// Only when it is still away after so long.
    public var after = Interval.seconds(30)
    /// Said again this often, until acknowledged; zero: once.
    public var again = Interval.seconds(300)
    /// No longer than this after it left.
    public var until = Interval.seconds(3600)
    /// When something is said; `nil`: at any hour.
    public var hours: Hours?
    /// What is said when it left, instead of the usual sentence.
    public var leftText: String?
    /// What is said when it returned, instead of the usual sentence.
    public var returnedText: String?

    /// The defaults.
    public init() {}

    /// Reads `[item.notify]`, present or not.
    init(_ notify: SettingsTable) {
        let day = Interval.zero ... .seconds(86_400)
        left = notify.boolean("left") ?? left
        returned = notify.boolean("returned") ?? returned
        after = notify.duration("after", in: day) ?? after
        again = notify.duration("repeat", in: day) ?? again
        until = notify.duration("until", in: .zero ... .seconds(7 * 86_400)) ?? until
        hours = Self.hours(notify)
        leftText = notify.text("left_text", limit: 1000)
        returnedText = notify.text("returned_text", limit: 1000)
    }

    private static func hours(_ notify: SettingsTable) -> Hours? {
        let from = notify.timeOfDay("from"), to = notify.timeOfDay("to")
        for (key, other) in [("from", "to"), ("to", "from")] where notify.has(key) && !notify.has(other) {
            notify.note(key, "stands without \(other): write both or neither")
        }
        guard let from, let to else { return nil }
        if from == to { notify.note("to", "is \"\(to)\", the same as from: write two times, or neither") }
        return Hours(from: from, to: to)
    }
}

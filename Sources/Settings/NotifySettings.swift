import Beacons

/// An item's `[item.notify]`: its notifications when it leaves and returns.
package struct NotifySettings: Hashable, Sendable {
    /// The hours of the day in which notifications are sent; if `to` is before `from`, they span midnight.
    package struct Hours: Hashable, Sendable {
        package var from: TimeOfDay
        package var to: TimeOfDay

        package init(from: TimeOfDay, to: TimeOfDay) {
            self.from = from
            self.to = to
        }
    }

    /// Whether to notify when the item leaves.
    package var left = true
    package var returned = false
    /// How long the item must be away before the first notification.
    package var after = Interval.seconds(30)
    /// How often to repeat the notification until it is acknowledged; zero: never.
    package var again = Interval.seconds(300)
    /// How long after the item left to stop repeating.
    package var until = Interval.seconds(3600)
    /// The hours in which notifications are sent; `nil`: at any hour.
    package var hours: Hours?
    /// The message when the item leaves, instead of the usual sentence.
    package var leftText: String?
    /// The message when the item returns, instead of the usual sentence.
    package var returnedText: String?

    package init() {}

    package init(_ notify: SettingsTable) {
        let day = Interval.zero ... .seconds(86_400)
        left = notify.boolean("left") ?? left
        returned = notify.boolean("returned") ?? returned
        after = notify.duration("after", in: day) ?? after
        again = notify.duration("repeat", in: day) ?? again
        until = notify.duration("until", in: .zero ... .seconds(7 * 86_400)) ?? until
        hours = Self.hours(notify)
        leftText = notify.text("left_text", limit: SettingsTable.longestText)
        returnedText = notify.text("returned_text", limit: SettingsTable.longestText)
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

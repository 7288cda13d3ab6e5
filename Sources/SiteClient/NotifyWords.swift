import Beacons
import Delivery
import Linux
import Messages
import Settings

/// The options for an item's notifications, as the user wrote them, unchecked; `nil` if not given.
package struct NotifyWords: Sendable {
    /// Whether to notify when the item leaves.
    package var left: Bool?
    /// Whether to notify when the item returns.
    package var returned: Bool?
    /// How long the item must be away first, `30s`.
    package var after: String?
    /// How often to repeat, `5m`; `0s`: never.
    package var again: String?
    /// How long to repeat, `1h`; `0s`: until acknowledged or back.
    package var until: String?
    /// From this time of the day on, `07:00`.
    package var from: String?
    /// Until this time of the day, `22:00`.
    package var to: String?
    /// Whether to notify at any hour again; only for `items edit`.
    package var atAnyHour = false
    /// The message when the item leaves, instead of the usual sentence.
    package var leftText: String?
    /// The message when the item returns, instead of the usual sentence.
    package var returnedText: String?

    package init() {}

    /// The settings to request from the aggregator; `nil` if no option is given.
    func requested() throws(Failure) -> Notify? {
        let texts = [after, again, until, from, to, leftText, returnedText]
        guard left != nil || returned != nil || texts.contains(where: { $0 != nil }) else { return nil }
        var settings = NotifySettings()
        settings.left = left ?? settings.left
        settings.returned = returned ?? settings.returned
        settings.after = try duration(after, "--notify-after") ?? settings.after
        settings.again = try duration(again, "--notify-repeat") ?? settings.again
        settings.until = try duration(until, "--notify-until") ?? settings.until
        settings.hours = try hours()
        settings.leftText = try noticeText(leftText, "--left-text")
        settings.returnedText = try noticeText(returnedText, "--returned-text")
        return settings.wire
    }

    /// The changes to request: settings without an option stay, and an empty text removes the item's own message.
    func changes() throws(Failure) -> JSONObject {
        var changes = JSONObject()
        changes.set("left", to: left.map { .bool($0) })
        changes.set("returned", to: returned.map { .bool($0) })
        changes.set("after_s", to: try duration(after, "--notify-after").map(\.inSeconds))
        for (key, text, option) in [("repeat_s", again, "--notify-repeat"), ("until_s", until, "--notify-until")] {
            guard let interval = try duration(text, option) else { continue }
            changes.set(key, to: interval > .zero ? max(interval, .seconds(1)).inSeconds : .null)
        }
        let hours = try hours()
        guard hours == nil || !atAnyHour else {
            throw Failure(.usage, "--notify-always and --notify-from contradict each other: give one of them")
        }
        if hours != nil || atAnyHour {
            changes.set("from", to: hours.map { .string($0.from.description) } ?? .null)
            changes.set("to", to: hours.map { .string($0.to.description) } ?? .null)
        }
        for (key, text, option) in [
            ("left_text", leftText, "--left-text"), ("returned_text", returnedText, "--returned-text"),
        ] {
            guard let text else { continue }
            changes.set(key, to: text.isEmpty ? .null : try noticeText(text, option).map { .string($0) })
        }
        return changes
    }

    private func duration(_ text: String?, _ option: String) throws(Failure) -> Interval? {
        guard let text else { return nil }
        guard let interval = Interval(duration: text), interval <= .seconds(7 * 86_400) else {
            throw Failure(.usage, "\(option) is \"\(text)\": write a duration of at most a week, like 30s, 5m or 2h")
        }
        return interval
    }

    private func hours() throws(Failure) -> NotifySettings.Hours? {
        guard from != nil || to != nil else { return nil }
        guard let from, let to else {
            throw Failure(.usage, "--notify-from and --notify-to belong together: give both, like 07:00 and 22:00")
        }
        let hours = NotifySettings.Hours(
            from: try timeOfDay(from, "--notify-from"), to: try timeOfDay(to, "--notify-to"))
        guard hours.from != hours.to else {
            throw Failure(
                .usage, "--notify-from and --notify-to are both \"\(to)\": give two times, or --notify-always")
        }
        return hours
    }

    private func timeOfDay(_ text: String, _ option: String) throws(Failure) -> TimeOfDay {
        guard let time = TimeOfDay(text) else {
            throw Failure(.usage, "\(option) is \"\(text)\": write a time of day from 00:00 to 23:59, like 07:00")
        }
        return time
    }
}

extension Interval {
    /// The interval in whole seconds, as in payloads.
    fileprivate var inSeconds: JSONValue { .integer(Int64(seconds.rounded())) }
}

/// The user's own message, with the limits of the configuration.
func noticeText(_ text: String?, _ option: String) throws(Failure) -> String? {
    guard let text else { return nil }
    guard text.contains(where: { !$0.isWhitespace }), text.utf8.count <= SettingsTable.longestText else {
        throw Failure(.usage, "\(option) is empty or too long: write a text of 1 to \(SettingsTable.longestText) bytes")
    }
    return text
}

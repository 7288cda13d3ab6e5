import ArgumentParser
import Beacons
import Linux
import Messages
import Settings

/// The options of `items add` and `items edit` about the owners of an item.
package struct OwnershipOptions: ParsableArguments {
    @Option(
        help: "An owner, by the id or exact name of a person; give the option again for each.", completion: .people)
    var owner: [String] = []

    @Option(help: "When it must not stay behind: \"always\", or like \"mon-fri 07:00-09:00\". \"\" in edit: never.")
    var needed: String?

    @Option(
        help: "A room in which it must not be without an owner; give the option again for each.", completion: .rooms)
    var notAloneIn: [String] = []

    package init() {}

    /// The ownership to request; `nil` if no option is given.
    func requested() throws(Failure) -> Ownership? {
        let ownership = Ownership(owners: owner, needed: try schedule(), notAloneIn: notAloneIn)
        return ownership == Ownership() ? nil : ownership
    }

    /// Sets what the options change.
    ///
    /// - Parameter isNobodys: whether the item is to have no owners any more.
    func change(_ changes: inout JSONObject, isNobodys: Bool) throws(Failure) {
        if isNobodys {
            guard owner.isEmpty, needed == nil, notAloneIn.isEmpty else {
                throw Failure(.usage, "--no-owner removes owners, times and rooms: leave the other options out")
            }
            for key in ["owners", "needed", "not_alone_in"] { changes.set(key, to: .null) }
        }
        if !owner.isEmpty { changes.set("owners", to: .array(owner.map { .string($0) })) }
        // As with texts, an empty one removes what is there.
        if needed == "", !isNobodys {
            changes.set("needed", to: .null)
        } else if let schedule = try schedule() {
            changes.set("needed", to: .string(schedule.description))
        }
        if !notAloneIn.isEmpty { changes.set("not_alone_in", to: .array(notAloneIn.map { .string($0) })) }
    }

    private func schedule() throws(Failure) -> Schedule? {
        guard let needed else { return nil }
        guard let schedule = Schedule(needed) else {
            throw Failure(
                .usage,
                "--needed is \"\(needed)\": write \"always\", or days and hours like \"mon-fri 07:00-09:00\"")
        }
        return schedule
    }
}

package struct NotifyOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Notify when the item leaves.")
    var notifyLeft: Bool?

    @Flag(inversion: .prefixedNo, help: "Notify when the item returns.")
    var notifyReturned: Bool?

    @Option(help: "Notify only if the item is still away after this time, like 30s.")
    var notifyAfter: String?

    @Option(help: "Repeat the notification this often, like 5m; 0s: never.")
    var notifyRepeat: String?

    @Option(help: "Stop repeating this long after the item left, like 1h; 0s: only when it is acknowledged or back.")
    var notifyUntil: String?

    @Option(help: "Notify only from this time of day on, like 07:00; needs --notify-to.")
    var notifyFrom: String?

    @Option(help: "Notify only until this time of day, like 22:00; a time before --notify-from is on the next day.")
    var notifyTo: String?

    @Option(help: "The message when the item leaves, instead of the usual sentence.")
    var leftText: String?

    @Option(help: "The message when the item returns, instead of the usual sentence.")
    var returnedText: String?

    package init() {}

    /// The settings to request from the aggregator; `nil` if no option is given.
    func requested() throws(Failure) -> Notify? {
        let texts = [
            notifyAfter, notifyRepeat, notifyUntil, notifyFrom, notifyTo, leftText, returnedText,
        ]
        guard notifyLeft != nil || notifyReturned != nil || texts.contains(where: { $0 != nil }) else { return nil }
        var settings = Notify.standard
        settings.left = notifyLeft ?? settings.left
        settings.returned = notifyReturned ?? settings.returned
        if let after = try duration(notifyAfter, "--notify-after") {
            settings.afterSeconds = Int(after.seconds.rounded())
        }
        if let again = try duration(notifyRepeat, "--notify-repeat") { settings.repeatSeconds = again.notifySeconds }
        if let until = try duration(notifyUntil, "--notify-until") { settings.untilSeconds = until.notifySeconds }
        let hours = try hours()
        (settings.from, settings.to) = (hours?.from, hours?.to)
        settings.leftText = try noticeText(leftText, "--left-text")
        settings.returnedText = try noticeText(returnedText, "--returned-text")
        return settings
    }

    /// The changes to request: settings without an option stay, and an empty text removes the item's own message.
    ///
    /// - Parameter isAtAnyHour: whether to notify at any hour again.
    func changes(isAtAnyHour: Bool) throws(Failure) -> JSONObject {
        var changes = JSONObject()
        changes.set("left", to: notifyLeft.map { .bool($0) })
        changes.set("returned", to: notifyReturned.map { .bool($0) })
        changes.set("after_s", to: try duration(notifyAfter, "--notify-after").map(\.inSeconds))
        for (key, text, option) in [
            ("repeat_s", notifyRepeat, "--notify-repeat"), ("until_s", notifyUntil, "--notify-until"),
        ] {
            guard let interval = try duration(text, option) else { continue }
            changes.set(key, to: interval > .zero ? max(interval, .seconds(1)).inSeconds : .null)
        }
        let hours = try hours()
        guard hours == nil || !isAtAnyHour else {
            throw Failure(.usage, "--notify-always and --notify-from contradict each other: give one of them")
        }
        if hours != nil || isAtAnyHour {
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
        guard let interval = Interval(duration: text), Notify.durations.contains(interval) else {
            let longest = Notify.durations.upperBound.duration
            throw Failure(
                .usage, "\(option) is \"\(text)\": write a duration of at most \(longest), like 30s, 5m or 2h")
        }
        return interval
    }

    private func hours() throws(Failure) -> (from: TimeOfDay, to: TimeOfDay)? {
        guard notifyFrom != nil || notifyTo != nil else { return nil }
        guard let from = notifyFrom, let to = notifyTo else {
            throw Failure(.usage, "--notify-from and --notify-to belong together: give both, like 07:00 and 22:00")
        }
        let hours = (from: try timeOfDay(from, "--notify-from"), to: try timeOfDay(to, "--notify-to"))
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

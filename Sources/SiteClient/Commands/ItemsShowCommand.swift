import ArgumentParser
import Beacons
import Linux
import Messages

struct ItemsShowCommand: SiteCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything that is known of one item.")

    @Argument(help: "The item's id or exact name.", completion: .items)
    var item: String

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var broker: BrokerOption

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let view = try session.view(readsRangedStates: true)
        var location = try view.location(of: self.item)
        let seen = view.lastSeen(location)
        location.lastSeenAt = seen?.at
        let (item, health) = (view.items[location.item], view.health[location.item])
        let notification = view.notifications[location.item]
        guard !json else {
            var json = JSONWriter()
            json.object { json in
                json.object("item", item)
                json.object("location", location)
                json.object("health", health)
                json.object("notification", notification)
            }
            printJSON(json.bytes)
            return status(.right, of: view, showing: [location])
        }
        let rows =
            locationRows(of: location, in: view, seen, at: Clock.wall) + [
                ("Beacon", item.map { "\($0.beacon)" }),
                ("Sleeps", item?.sleeps == true ? "yes: its silence means that it is at rest" : nil),
                ("Owners", item?.ownership?.words), ("Notifies", item.map { $0.notify?.words ?? "never" }),
                ("Notification", notification?.message), ("Tag", health?.words),
            ]
        for case (let label, let text?) in rows {
            printLine("\(label):\(String(repeating: " ", count: 14 - label.count))\(text)")
        }
        return status(.right, of: view, showing: [location])
    }
}

private func locationRows(
    of location: ItemLocation, in view: SiteView, _ seen: LastSeen?, at now: WallTime
) -> [(String, String?)] {
    let place = [
        location.place, location.confidence.map { "\(Int(($0 * 100).rounded())) %" },
        location.since.map { "for \((now - $0).age)" },
    ]
    return [
        ("Item", "\(location.name) (\(location.item))"), ("Where", place.compactMap { $0 }.joined(separator: ", ")),
        ("Received best", location.reception(in: view)),
        ("Seen", seen?.words(at: now)),
    ]
}

extension ItemLocation {
    /// How the gateway that receives the item best receives it, in the words of the page, like `by Kitchen, well, about 1.8 m`.
    fileprivate func reception(in view: SiteView) -> String? {
        guard let gateway = nearest.gateway else { return nil }
        let strength: String? =
            switch nearest.proximity {
            case .immediate: "very strongly"
            case .near: "well"
            case .far: "weakly"
            case .unknown, nil: nil
            }
        let distance = accuracy.map { (point == nil ? "about " : "position within ") + metres($0) }
        return ["by \(view.room(of: gateway) ?? gateway)", strength, distance].compactMap(\.self).joined(
            separator: ", ")
    }
}

extension ItemHealth {
    /// The battery and the reception for people; `nil` if nothing is known.
    fileprivate var words: String? {
        let known = [battery.map { "battery \($0)" } ?? "", reception.words].filter { !$0.isEmpty }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }
}

extension Ownership {
    /// The owners for people, like `Anna, Ben; needed mon-fri 07:00-09:00; not alone in Garden`.
    fileprivate var words: String {
        [
            owners.joined(separator: ", "), needed.map { "needed \($0)" },
            notAloneIn.isEmpty ? nil : "not alone in \(notAloneIn.joined(separator: ", "))",
        ].compactMap { $0 }.joined(separator: "; ")
    }
}

extension Notify {
    /// The settings for people, like `when it leaves, after 30 s, every 5 min for 1 h, between 08:00 and 22:00`.
    fileprivate var words: String {
        let causes = [left ? "when it leaves" : nil, returned ? "when it returns" : nil].compactMap { $0 }
        guard !causes.isEmpty else { return "never" }
        func age(_ seconds: Int) -> String { Interval.seconds(Double(seconds)).age }
        let again = repeatSeconds.map { "every \(age($0))\(untilSeconds.map { " for \(age($0))" } ?? "")" }
        let hours =
            from == nil && to == nil ? nil : "between \(from?.description ?? "00:00") and \(to?.description ?? "24:00")"
        return ([causes.joined(separator: " and "), "after \(age(afterSeconds))", again, hours] as [String?])
            .compactMap { $0 }.joined(separator: ", ")
    }
}

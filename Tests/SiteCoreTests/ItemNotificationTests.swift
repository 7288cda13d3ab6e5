import Beacons
import Messages
import Testing
import Text

@testable import SiteCore

/// The notifications of one departure or return, by the seconds since, from nothing but time and circumstances.
@Suite("What is told of an item")
struct ItemNotificationTests {
    private let start = WallTime("2026-11-21T05:40:00Z")!
    private let stamp = Stamp(at: WallTime("2026-11-21T05:40:00Z")!, boot: Boot("3.aggr")!, uptime: .zero)

    private func item(_ notify: Notify) -> RegistryItem {
        RegistryItem(id: "laptop-bag", name: "Laptop bag", beacon: TestSite.bag, notify: notify)
    }

    private func notification(_ change: ItemEvent.Change) -> ItemNotification? {
        let event = ItemEvent(change, seq: 7, item: "laptop-bag", name: "Laptop bag", stamp: stamp)
        return ItemNotification(event, at: TestSite.moment(0).instant)
    }

    /// What is published until it is over, or `end`: `30 #1 next 330`; and when it was over.
    private func story(
        of change: ItemEvent.Change = .left(from: "Hall"), _ notify: Notify, until end: Int = 5000,
        presence: (Int) -> Presence = { _ in .away },
        offset: @escaping @Sendable (WallTime) -> Interval = { _ in .zero }
    ) -> [String] {
        guard var notification = notification(change) else { return ["nothing"] }
        var story: [String] = []
        for second in 0...end {
            let circumstances = ItemNotification.Circumstances(
                item: item(notify), presence: presence(second), utcOffset: offset)
            switch notification.advance(to: TestSite.moment(Double(second)), circumstances, stamp: stamp) {
            case .nothing: break
            case .publish(let published):
                let next = published.nextAt.map { " next \(Int(($0 - start).seconds))" } ?? ""
                story.append("\(second) #\(published.count)\(next)")
            case .expired: return story + ["\(second) expired"]
            case .over: return story + ["\(second) over"]
            }
        }
        return story
    }

    @Test func `a notification is published after its grace, again and again, and ends`() {
        let notify = Notify(left: true, returned: false, afterSeconds: 30, repeatSeconds: 300, untilSeconds: 700)
        #expect(story(notify) == ["30 #1 next 330", "330 #2 next 630", "630 #3", "700 over"])
    }

    @Test func `a notification is in the language of the site, but for a text of the item's own`() {
        func message(_ notify: Notify) -> String? {
            var notification = notification(.left(from: "Flur"))!
            let circumstances = ItemNotification.Circumstances(
                item: item(notify), presence: .away,
                texts: Texts([
                    "Are you forgetting something? {item} has left{last}.": "Vergessen? {item} ist weg{last}.",
                    " (last: {room})": " (zuletzt: {room})",
                ]), utcOffset: { _ in .zero })
            guard
                case .publish(let published) = notification.advance(
                    to: TestSite.moment(0), circumstances, stamp: stamp)
            else { return nil }
            return published.message
        }
        #expect(message(Notify(left: true, returned: false)) == "Vergessen? Laptop bag ist weg (zuletzt: Flur).")
        #expect(message(Notify(left: true, returned: false, leftText: "My bag!")) == "My bag!")
    }

    @Test func `a notification without repetition is published once, and without an end it stays`() {
        #expect(story(Notify(left: true, returned: false)) == ["0 #1"])
        #expect(
            story(Notify(left: true, returned: false, repeatSeconds: 2000)) == [
                "0 #1 next 2000", "2000 #2 next 4000", "4000 #3 next 6000",
            ])
    }

    @Test func `a repetition that was switched off after the notification never comes, after a restart either`() throws
    {
        for isRestarted in [false, true] {
            let notify = Notify(left: true, returned: false, repeatSeconds: 100)
            var notification = try #require(self.notification(.left(from: "Hall")))
            func advance(to second: Double, _ notify: Notify) -> ItemNotification.Step {
                let circumstances = ItemNotification.Circumstances(
                    item: item(notify), presence: .away, utcOffset: { _ in .zero })
                return notification.advance(to: TestSite.moment(second), circumstances, stamp: stamp)
            }
            guard case .publish = advance(to: 0, notify) else { return #expect(Bool(false)) }
            var once = notify
            once.repeatSeconds = nil
            if isRestarted {
                let moment = TestSite.moment(50)
                notification = ItemNotification(notification.stored(at: moment), notify: once, at: moment)
            }
            for second in [50.0, 100, 101, 500] { #expect(advance(to: second, once) == .nothing) }
        }
    }

    @Test(arguments: [false, true])
    func `a repetition that is switched on again, or becomes shorter, comes by the new settings, each time`(
        isRestarted: Bool
    ) throws {
        func settings(_ seconds: Int?) -> Notify { Notify(left: true, returned: false, repeatSeconds: seconds) }
        var notification = try #require(self.notification(.left(from: "Hall")))
        var counts: [Int] = []
        for (second, repetition) in [
            (0, 3600), (10, nil), (20, 5), (21, 5), (25, 5), (30, nil), (60, nil), (70, 3600), (80, 30), (81, 3600),
            (3680, 3600),
        ] as [(Double, Int?)] {
            let circumstances = ItemNotification.Circumstances(
                item: item(settings(repetition)), presence: .away, utcOffset: { _ in .zero })
            let moment = TestSite.moment(second)
            if case .publish(let published) = notification.advance(
                to: moment, circumstances, stamp: Stamp(at: moment.wall, boot: stamp.boot, uptime: .zero))
            {
                #expect(published.count == counts.count + 1)
                counts.append(Int(second))
            }
            if isRestarted {
                notification = ItemNotification(
                    notification.stored(at: moment), notify: settings(repetition), at: moment)
            }
        }
        #expect(counts == [0, 20, 25, 80, 3680])
    }

    @Test(arguments: [false, true])
    func `a grace that changes while the item is away counts from the departure, each time`(isRestarted: Bool) throws {
        func settings(_ seconds: Int) -> Notify { Notify(left: true, returned: false, afterSeconds: seconds) }
        for (changes, expected) in [
            ([0: 600, 100: 60], 100), ([0: 600, 20: 60], 60), ([0: 30, 20: 90], 90), ([0: 600, 20: 5, 21: 90], 20),
            ([0: 30, 10: 600, 40: 300, 50: 120], 120),
        ] as [([Int: Int], Int)] {
            var notify = settings(changes[0]!)
            var notification = try #require(self.notification(.left(from: "Hall")))
            var published: [Int] = []
            for second in 0...700 {
                if let after = changes[second] { notify = settings(after) }
                let circumstances = ItemNotification.Circumstances(
                    item: item(notify), presence: .away, utcOffset: { _ in .zero })
                let moment = TestSite.moment(Double(second))
                if case .publish = notification.advance(to: moment, circumstances, stamp: stamp) {
                    published.append(second)
                }
                if isRestarted, second % 7 == 0 {
                    notification = ItemNotification(notification.stored(at: moment), notify: notify, at: moment)
                }
                if published.isEmpty, changes.keys.allSatisfy({ $0 <= second }) {
                    #expect(
                        notification.nextDeadline(notify, now: moment.instant)
                            == TestSite.moment(Double(expected)).instant)
                }
            }
            #expect(published == [expected], "\(changes)")
        }
    }

    @Test func `an item that is back within the grace, or whose gateway is down, causes no notification`() {
        let notify = Notify(left: true, returned: false, afterSeconds: 30, repeatSeconds: 100)
        #expect(story(notify) { $0 < 20 ? .away : .home } == ["20 over"])
        #expect(story(notify) { $0 < 20 ? .away : .unknown } == [])
        // It is still away when a notification may be published again.
        #expect(
            story(notify, until: 400) { (20..<300).contains($0) ? .unknown : .away } == [
                "300 #1 next 400", "400 #2 next 500",
            ])
    }

    @Test func `a return ends a notification, though returns are not notified`() {
        let notify = Notify(left: true, returned: false, repeatSeconds: 100)
        #expect(story(notify) { $0 < 150 ? .away : .home } == ["0 #1 next 100", "100 #2 next 200", "150 over"])
    }

    @Test func `a notification ends as soon as its settings are off`() {
        #expect(story(Notify(left: false, returned: false)) == ["0 over"])
        #expect(story(of: .returned(to: nil), Notify(left: true, returned: false)) { _ in .home } == ["0 over"])
        #expect(story(of: .moved(from: "Hall", to: "Kitchen"), Notify(left: true, returned: true)) == ["nothing"])
    }

    @Test func `a return is notified at once and once, until it is acknowledged or old`() {
        let notify = Notify(left: false, returned: true, afterSeconds: 30, repeatSeconds: 100, untilSeconds: 600)
        #expect(story(of: .returned(to: "Hall"), notify) { _ in .home } == ["0 #1", "600 over"])
        #expect(story(of: .returned(to: "Hall"), notify) { $0 < 50 ? .home : .away } == ["0 #1", "50 over"])
    }

    // The clock shows 05:40 UTC at the start: 7200 s later it is 07:40.
    @Test(
        arguments: [
            ("06:00", "22:00", 0.0, ["1200 #1 next 6200"]),
            ("06:00", "22:00", 3600.0, ["0 #1 next 5000", "5000 #2 next 10000"]),
            ("22:00", "05:41", 0.0, ["0 #1 next 58800"]),
            ("22:00", "05:40", 0.0, []),
            ("05:40", "05:41", -1200.0, ["1200 #1 next 87600"]),
        ] as [(String, String, Double, [String])])
    func `a notification is published only in its hours of the local clock, over midnight, too`(
        from: String, to: String, offset: Double, expected: [String]
    ) {
        var notify = Notify(left: true, returned: false, repeatSeconds: 5000)
        (notify.from, notify.to) = (TimeOfDay(from), TimeOfDay(to))
        #expect(story(notify, offset: { _ in .seconds(offset) }) == expected)
    }

    @Test(arguments: [-3600.0, 3600])
    func `the next repetition is at the hour of the day that the clocks have then, each time they are changed`(
        change: Double
    ) {
        var notify = Notify(left: true, returned: false, repeatSeconds: 300, untilSeconds: 43_200)
        // It is 06:40 in local time, and the clocks are changed two hours later.
        (notify.from, notify.to) = (TimeOfDay("09:40"), TimeOfDay("06:45"))
        let offset: @Sendable (WallTime) -> Interval = { [start] in
            $0 < start + .seconds(7200) ? .seconds(3600) : .seconds(3600 + change)
        }
        let next = 3 * 3600 - Int(change)
        let story = story(notify, until: 20_000, offset: offset)
        #expect(story.prefix(2) == ["0 #1 next \(next)", "\(next) #2 next \(next + 300)"])
    }

    @Test(arguments: [nil, 5, 300])
    func `a notification whose until is shorter than its after is published for a minute`(repetition: Int?) {
        let notify = Notify(
            left: true, returned: false, afterSeconds: 300, repeatSeconds: repetition, untilSeconds: 60)
        #expect(story(notify) == ["300 #1", "360 over"])
    }

    @Test func `a notification that its hours delay for too long is never published`() {
        var notify = Notify(left: true, returned: false, repeatSeconds: 300, untilSeconds: 600)
        (notify.from, notify.to) = (TimeOfDay("06:00"), TimeOfDay("22:00"))
        #expect(story(notify) == ["600 over"])
    }

    @Test(arguments: [ItemEvent.Change.taken(from: "Hall"), .forgotten(in: "Hall", by: ["anna"])])
    func `an alarm that was decided after its end is published once, and then its time is over, also after a restart`(
        change: ItemEvent.Change
    ) throws {
        let notify = Notify(left: true, returned: false, repeatSeconds: 300, untilSeconds: 60)
        var notification = try #require(self.notification(change))
        func advance(_ second: Double, _ presence: Presence) -> ItemNotification.Step {
            let circumstances = ItemNotification.Circumstances(
                item: item(notify), presence: presence, utcOffset: { _ in .zero })
            return notification.advance(to: TestSite.moment(second), circumstances, stamp: stamp)
        }
        let (presence, opposite) = change.word == "taken" ? (Presence.away, Presence.home) : (.home, .away)
        guard case .publish(let published) = advance(200, presence) else { return #expect(Bool(false)) }
        #expect(published.nextAt == nil && notification.retained != nil)
        #expect(advance(259, presence) == .nothing && advance(260, presence) == .expired)
        for second in [262.0, 5000] {
            #expect(advance(second, presence) == .nothing && advance(second, .unknown) == .nothing)
            #expect(notification.retained == nil && notification.published != nil)
            let moment = TestSite.moment(second)
            #expect(notification.nextDeadline(notify, now: moment.instant) == nil)
            notification = ItemNotification(notification.stored(at: moment), notify: notify, at: moment)
        }
        #expect(advance(5001, opposite) == .over)
    }

    @Test func `a departure is published once it is known whether somebody went along, and only once`() {
        let notify = Notify(left: true, returned: false, afterSeconds: 10, repeatSeconds: 100, untilSeconds: 60)
        var notification = notification(.left(from: "Hall"))!
        var published: [Int] = []
        for second in 0...300 {
            let circumstances = ItemNotification.Circumstances(
                item: item(notify), presence: .away, utcOffset: { _ in .zero }, isAsked: second < 240)
            let step = notification.advance(to: TestSite.moment(Double(second)), circumstances, stamp: stamp)
            if case .publish = step { published.append(second) }
            if step == .over {
                #expect(second == 300)
                break
            }
        }
        #expect(published == [240])
    }

    @Test func `a notification that could not be published for a quarter of an hour after its end never is`() {
        let notify = Notify(left: true, returned: false, afterSeconds: 30, repeatSeconds: 100, untilSeconds: 60)
        #expect(story(notify) { $0 < 900 ? .unknown : .away } == ["630 over"])
    }

    @Test func `a notification has the item, its last room, and the settings of its owner`() throws {
        func message(_ change: ItemEvent.Change, _ notify: Notify, _ presence: Presence) throws -> String {
            var active = try #require(self.notification(change))
            let circumstances = ItemNotification.Circumstances(
                item: item(notify), presence: presence, utcOffset: { _ in .zero })
            guard
                case .publish(let published) = active.advance(to: TestSite.moment(0), circumstances, stamp: stamp)
            else { return "" }
            #expect(published.item == "laptop-bag" && published.since == start && published.id.seq == 7)
            return published.message
        }
        var notify = Notify(left: true, returned: true)
        let left = "Are you forgetting something? Laptop bag has left"
        #expect(try message(.left(from: "Hall"), notify, .away) == left + " (last: Hall).")
        #expect(try message(.left(from: nil), notify, .away) == left + ".")
        #expect(try message(.returned(to: "Hall"), notify, .home) == "Laptop bag is back (Hall).")
        (notify.leftText, notify.returnedText) = ("Die Tasche!", "Da ist sie.")
        #expect(try message(.left(from: "Hall"), notify, .away) == "Die Tasche!")
        #expect(try message(.returned(to: "Hall"), notify, .home) == "Da ist sie.")
        (notify.leftText, notify.returnedText) = ("{name} was in {room}, {name}!", "{room}: {name}")
        #expect(try message(.left(from: "Hall"), notify, .away) == "Laptop bag was in Hall, Laptop bag!")
        #expect(try message(.left(from: nil), notify, .away) == "Laptop bag was in , Laptop bag!")
        #expect(try message(.returned(to: "Hall"), notify, .home) == "Hall: Laptop bag")
    }
}

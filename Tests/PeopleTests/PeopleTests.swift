import Beacons
import Channels
import Messages
import Testing
import Text

@testable import People

/// Locations of items go in, one a second; what is decided of people and items comes out.
struct PeopleTests {
    /// A home with some people and items, by the seconds since Monday 2026-11-23, 08:00 UTC.
    struct Home {
        var people: Household
        var now = 0.0
        var items: [String: Located] = [:]
        /// How long ago each item was received last while it is home; `.infinity`: never again.
        var silent: [String: Double] = [:]
        private(set) var outputs: [Household.Output] = []

        init(_ persons: [Person], _ items: [String: Ownership?], in texts: Texts = .english) {
            people = Household(texts)
            for person in persons { people.set(StoredPerson(person: person)) }
            for (id, ownership) in items {
                self.items[id] = Located(
                    id: id, name: id.prefix(1).uppercased() + id.dropFirst(), presence: .home, room: "Hall",
                    ownership: ownership)
            }
            advance(by: 2)
        }

        var moment: Moment {
            Moment(
                instant: .zero + .seconds(10_000 + now), wall: WallTime("2026-11-23T08:00:00Z")! + .seconds(now),
                isSynchronised: true)
        }

        mutating func advance(by seconds: Double) {
            let end = now + seconds
            while now < end {
                now += 1
                for id in items.keys.sorted() {
                    if items[id]!.presence == .home, silent[id] == nil { items[id]!.receivedAt = moment.instant }
                    outputs += people.handle(.located(items[id]!), at: moment)
                }
                outputs += people.handle(.timePassed, at: moment)
            }
        }

        /// The last sighting of these is now; their exits are decided each after its time.
        mutating func depart(_ exits: [(item: String, after: Double)]) {
            let left = now
            for (item, _) in exits { silent[item] = now }
            for (item, after) in exits.sorted(by: { $0.after < $1.after }) {
                advance(by: max(0, left + after - now))
                items[item]!.presence = .away
                items[item]!.room = nil
                items[item]!.since = moment.wall
            }
            advance(by: 1)
        }

        mutating func arrive(_ ids: [String], in room: String = "Hall") {
            for id in ids {
                silent[id] = nil
                items[id]!.presence = .home
                items[id]!.room = room
                items[id]!.since = moment.wall
            }
            advance(by: 1)
        }

        mutating func move(_ id: String, to room: String) {
            if let from = items[id]!.room {
                outputs += people.handle(.moved(item: id, from: from, to: room), at: moment)
            }
            items[id]!.room = room
            items[id]!.since = moment.wall
            advance(by: 1)
        }

        /// Another process continues: it has what is stored of people, and the items as they are now.
        mutating func restart() {
            let stored = people.stored
            people = Household()
            people.restored = Set(items.keys)
            for person in stored { people.set(person) }
        }

        /// Another process continues, with what former ones have published of what was forgotten.
        mutating func restart(_ published: [String: Notification]) {
            restart()
            for item in items.values { _ = people.handle(.located(item), at: moment) }
            for (id, notification) in published {
                people.restore(.forgotten(by: ["anna"]), of: items[id]!, published: notification)
            }
        }

        @discardableResult
        mutating func notify(_ item: String, _ kind: Notification.Kind, count: Int = 1, at time: WallTime? = nil)
            -> Notification
        {
            let stamp = Stamp(at: time ?? moment.wall, boot: Boot("1.aaaa")!, uptime: .zero)
            let notification = Notification(
                id: EventID(boot: stamp.boot, seq: 1), kind: kind, message: "\(item)!", item: item, count: count,
                since: moment.wall, stamp: stamp)
            outputs += people.handle(.notified(notification), at: moment)
            return notification
        }

        /// The items that left with who carries them.
        var accompanied: [String] {
            outputs.compactMap {
                if case .accompanied(let item) = $0, items[item]?.ownership == nil { item } else { nil }
            }
        }

        /// What happened to people and to what is somebody's, in short.
        var story: [String] {
            outputs.compactMap { output in
                switch output {
                case .accompanied(let item) where items[item]?.ownership == nil: nil
                case .happened(let change, let person, _): "\(person) \(change.word)"
                case .raised(.forgotten(let by), let item, _): "\(item) forgotten by \(by.joined(separator: "+"))"
                case .raised(let alarm, let item, _): "\(item) \(alarm.kind.rawValue)"
                case .over(let item): "\(item) over"
                case .accompanied(let item): "\(item) accompanied"
                case .message(.send(let message)): "to \(message.person): \(message.title)"
                case .message(.withdraw(let person, let key)): "to \(person): no \(key)"
                case .message, .located, .changed: nil
                }
            }
        }

        func location(_ person: String) -> PersonLocation? {
            people.location(of: person, stamp: Stamp(at: moment.wall, boot: Boot("1.aaaa")!, uptime: .zero))
        }
    }

    static let anna = Person(id: "anna", name: "Anna", carries: ["keys", "phone"])
    static let ben = Person(id: "ben", name: "Ben", carries: ["purse"])
    static func owned(_ owners: [String] = ["Anna"], needed: String? = "always") -> Ownership {
        Ownership(owners: owners, needed: needed.flatMap { Schedule($0) })
    }
    static func home(_ items: [String: Ownership?] = [:], in texts: Texts = .english) -> Home {
        Home([anna, ben], ["keys": nil, "phone": nil, "purse": nil].merging(items) { $1 }, in: texts)
    }

    // MARK: Where a person is

    @Test func `a person departs and arrives with what the person carries`() {
        var home = Self.home()
        #expect(home.location("anna")?.presence == .home && home.location("anna")?.room == "Hall")
        home.depart([("keys", 20), ("phone", 35)])
        #expect(home.story == ["anna departed"])
        #expect(home.location("anna")?.presence == .away && home.location("anna")?.room == nil)
        home.advance(by: 1000)
        home.arrive(["keys", "phone"])
        #expect(home.story == ["anna departed", "anna arrived"])
    }

    @Test func `an item that leaves alone again and again is not the person`() {
        var home = Self.home()
        for _ in 0..<4 {
            home.depart([("keys", 20), ("phone", 20)])
            home.advance(by: 3600)
            home.arrive(["keys", "phone"])
            home.advance(by: 3600)
        }
        let before = home.story.count
        for _ in 0..<6 {
            home.depart([("phone", 20)])
            home.advance(by: 300)
            home.arrive(["phone"])
            home.advance(by: 3600)
        }
        home.depart([("phone", 20)])
        #expect(home.story.count == before)
        home.depart([("keys", 20)])
        #expect(home.story.count == before + 1 && home.story.last == "anna departed")
    }

    @Test(arguments: ["phone", "keys"])
    func `what falls silent without fading is no departure while the other item stays`(item: String) {
        var home = Self.home(["violin": Self.owned()])
        for _ in 0..<8 {
            home.depart([(item, 20)])
            home.advance(by: 1500)
            home.arrive([item])
            home.advance(by: 2000)
        }
        #expect(home.story == [])
    }

    @Test func `whoever takes the bin out with the keys has not departed`() {
        var home = Self.home(["violin": Self.owned()])
        home.items["keys"]!.hasFaded = true
        for _ in 0..<3 {
            home.depart([("keys", 20)])
            home.advance(by: 150)
            home.arrive(["keys"])
            home.advance(by: 1000)
        }
        #expect(home.story == [])
    }

    @Test func `whoever leaves the phone at home has departed once the bin would have been taken out`() {
        var home = Self.home(["violin": Self.owned()])
        home.items["keys"]!.hasFaded = true
        home.depart([("keys", 20)])
        home.advance(by: 200)
        #expect(home.story == [])
        home.advance(by: 30)
        #expect(home.story == ["anna departed", "violin forgotten by anna"])
        home.arrive(["keys"])
        #expect(home.story.suffix(2) == ["anna arrived", "violin over"])
    }

    @Test func `an item that is silent for unusually long went along with one that has left`() {
        var home = Self.home()
        home.silent["phone"] = home.now
        home.items["phone"]!.isSilent = true
        home.depart([("keys", 20)])
        #expect(home.story == ["anna departed"])
        home.advance(by: 300)
        #expect(home.story == ["anna departed"])
    }

    @Test func `an item whose silence is usual delays a departure by a minute at most`() {
        var home = Self.home()
        home.silent["phone"] = home.now
        home.depart([("keys", 20)])
        #expect(home.story == [])
        home.advance(by: 45)
        #expect(home.story == ["anna departed"])
    }

    @Test func `a person is back with the first item, and does not depart if that one falls silent at the door`() {
        var home = Self.home(["violin": Self.owned()])
        home.depart([("keys", 20), ("phone", 20)])
        home.advance(by: 1000)
        home.arrive(["keys"])
        let story = home.story
        #expect(story.contains("anna arrived"))
        home.depart([("keys", 11)])
        home.arrive(["keys", "phone"])
        home.advance(by: 1000)
        #expect(home.story == story)
        // The next departure is noticed.
        home.depart([("keys", 20), ("phone", 20)])
        #expect(home.story.last == "anna departed")
    }

    @Test func `who comes back with everything and leaves again within two minutes departs at once, each time`() {
        var home = Self.home(["violin": Self.owned()])
        home.depart([("keys", 20), ("phone", 20)])
        home.advance(by: 1000)
        for _ in 1...2 {
            home.arrive(["keys", "phone"])
            home.advance(by: 8)
            home.depart([("keys", 20), ("phone", 20)])
            home.advance(by: 35)
            #expect(
                home.story.suffix(4) == ["anna arrived", "violin over", "anna departed", "violin forgotten by anna"])
            home.advance(by: 200)
        }
    }

    @Test func `who carries one item and leaves again within two minutes departs at once, each time`() {
        var home = Home(
            [Person(id: "anna", name: "Anna", carries: ["keys"])], ["keys": nil, "violin": Self.owned()])
        home.depart([("keys", 20)])
        for _ in 1...2 {
            home.advance(by: 45)
            home.arrive(["keys"])
            home.advance(by: 8)
            home.depart([("keys", 20)])
            home.advance(by: 35)
            #expect(
                home.story.suffix(4) == ["anna arrived", "violin over", "anna departed", "violin forgotten by anna"])
        }
    }

    @Test func `a phone that sleeps does not keep its owner away, and does not bring the owner back`() {
        var home = Self.home()
        home.depart([("phone", 20)])
        home.advance(by: 900)
        home.depart([("keys", 20)])
        #expect(home.story == ["anna departed"])
        home.advance(by: 900)
        home.arrive(["keys"])
        #expect(home.story == ["anna departed", "anna arrived"])
        home.advance(by: 900)
        home.arrive(["phone"])
        #expect(home.story == ["anna departed", "anna arrived"])
    }

    @Test func `the room is that of the item that walks, and not that of the one on the charger`() {
        var home = Self.home()
        home.move("keys", to: "Kitchen")
        #expect(home.location("anna")?.room == "Kitchen" && home.location("anna")?.item == "keys")
        home.move("keys", to: "Study")
        home.advance(by: 3600)
        #expect(home.location("anna")?.room == "Study")
        home.move("phone", to: "Bedroom")
        #expect(home.location("anna")?.room == "Study")
        home.move("phone", to: "Hall")
        home.move("phone", to: "Bedroom")
        #expect(home.location("anna")?.room == "Bedroom")
    }

    @Test func `a person whose items are unknown is unknown, and no event follows`() {
        var home = Self.home()
        for id in ["keys", "phone"] { home.items[id]!.presence = .unknown }
        home.advance(by: 5)
        #expect(home.location("anna")?.presence == .unknown)
        for id in ["keys", "phone"] { home.items[id]!.presence = .away }
        home.advance(by: 5)
        #expect(home.location("anna")?.presence == .away)
        #expect(home.story == [])
    }

    @Test(arguments: [Presence.home, .away])
    func `a person is where the other items are only if these move, each time that the person's own are unknown`(
        phone: Presence
    ) {
        // Anna went without the phone, or came back without it.
        var home = Self.home(["violin": Self.owned()])
        if phone == .home {
            home.items["keys"]!.hasFaded = true
            home.depart([("keys", 20)])
            home.advance(by: 300)
        } else {
            home.depart([("keys", 20), ("phone", 20)])
            home.advance(by: 60)
            home.arrive(["keys"])
            home.advance(by: 700)
        }
        let there: Presence = phone == .home ? .away : .home
        let story = home.story
        #expect(home.location("anna")?.presence == there)
        for round in 1...3 {
            home.items["keys"]!.presence = .unknown
            home.advance(by: 15)
            #expect(home.location("anna")?.presence == .unknown, "round \(round)")
            // The third time, another process continues meanwhile.
            if round == 3 { home.restart() }
            home.advance(by: 15)
            #expect(home.location("anna")?.presence == .unknown, "round \(round)")
            home.items["keys"]!.presence = there
            home.advance(by: 15)
            #expect(home.location("anna")?.presence == there, "round \(round)")
        }
        // Alarms are restored by the site.
        #expect(Set(home.story) == Set(story))
        guard phone == .home else { return }
        home.items["keys"]!.presence = .unknown
        home.advance(by: 5)
        home.items["phone"]!.presence = .away
        home.advance(by: 5)
        #expect(home.location("anna")?.presence == .away)
    }

    @Test func `a person whose items are unknown is where others are once only those are carried`() {
        for _ in 1...2 {
            var home = Self.home()
            home.depart([("keys", 20), ("phone", 20)])
            home.advance(by: 130)
            home.arrive(["keys"])
            home.advance(by: 700)
            #expect(home.location("anna")?.presence == .home)
            home.items["keys"]!.presence = .unknown
            home.advance(by: 5)
            #expect(home.location("anna")?.presence == .unknown)
            home.people.set(StoredPerson(person: Person(id: "anna", name: "Anna", carries: ["phone"])))
            home.advance(by: 5)
            #expect(home.location("anna")?.presence == .away)
        }
    }

    @Test func `whose bag is taken stays in the room where the bag was, until something else moves`() {
        var home = Self.home(["violin": Self.owned()])
        home.move("keys", to: "Kitchen")
        home.move("phone", to: "Study")
        home.move("keys", to: "Hall")
        home.move("keys", to: "Kitchen")
        #expect(home.location("anna")?.room == "Kitchen" && home.location("anna")?.item == "keys")
        let story = home.story
        home.depart([("keys", 20)])
        home.advance(by: 60)
        #expect(home.location("anna")?.room == "Kitchen")
        #expect(home.story == story)
        home.move("phone", to: "Bedroom")
        home.move("phone", to: "Study")
        home.move("phone", to: "Hall")
        #expect(home.location("anna")?.room == "Hall" && home.story.last == "anna moved")
    }

    @Test func `a phone that went along in silence does not bring its owner back, after a restart either`() {
        var home = Self.home()
        for times in 1...2 {
            home.silent["phone"] = home.now
            home.items["phone"]!.isSilent = true
            home.depart([("keys", 20)])
            home.advance(by: 100)
            home.restart()
            home.advance(by: 1000)
            #expect(home.location("anna")?.presence == .away)
            home.items["phone"]!.isSilent = false
            home.arrive(["keys", "phone"])
            home.advance(by: 1000)
            #expect(home.story.filter { $0.hasPrefix("anna") }.count == 2 * times)
        }
    }

    @Test func `a person is away with the confidence of what shows it, though something is silent or is not back yet`()
    {
        var home = Self.home()
        func expectNoDoubt(for seconds: Int) {
            for _ in 0..<seconds {
                home.advance(by: 1)
                for person in ["anna", "ben"] {
                    let location = home.location(person)
                    let isDoubtful = location?.presence == .away && location?.confidence ?? 1 < 0.8
                    #expect(!isDoubtful, "\(person) at \(home.now): \(location?.confidence ?? 1)")
                }
            }
        }
        for _ in 1...2 {
            // The phone went along, and is not away yet.
            home.silent["phone"] = home.now
            home.items["phone"]!.isSilent = true
            home.depart([("keys", 20)])
            #expect(home.location("anna")?.presence == .away)
            expectNoDoubt(for: 60)
            home.items["phone"]!.isSilent = false
            home.arrive(["keys", "phone"])
            // The purse is back so soon that it may have been at the edge of the range.
            home.depart([("purse", 20)])
            #expect(home.location("ben")?.presence == .away)
            home.arrive(["purse"])
            #expect(home.location("ben")?.presence == .away)
            expectNoDoubt(for: 1000)
            #expect(home.location("anna")?.presence == .home && home.location("ben")?.presence == .home)
        }
    }

    @Test func `an arrival is not dated before the departure, though the item that shows it never became away`() {
        var home = Self.home()
        for _ in 1...2 {
            home.items["phone"]!.since = home.moment.wall
            home.advance(by: 100)
            home.silent["phone"] = home.now
            home.items["phone"]!.isSilent = true
            home.depart([("keys", 20)])
            home.advance(by: 1000)
            home.items["phone"]!.isSilent = false
            home.silent["phone"] = nil
            home.advance(by: 2)
            #expect(home.location("anna")?.presence == .home)
            let times = home.outputs.compactMap { output -> WallTime? in
                if case .happened(_, "anna", let at) = output { at } else { nil }
            }
            #expect(times == times.sorted())
            home.arrive(["keys"])
            home.advance(by: 1000)
        }
    }

    // MARK: Forgotten

    @Test func `an item that its owner needs and leaves behind is forgotten within a minute`() {
        var home = Self.home(["violin": Self.owned()])
        let departure = home.now
        home.depart([("keys", 25), ("phone", 25)])
        home.advance(by: departure + 45 - home.now)
        #expect(home.story == ["anna departed", "violin forgotten by anna"])
        home.arrive(["keys", "phone"])
        #expect(home.story.suffix(2) == ["anna arrived", "violin over"])
        // The second time.
        home.advance(by: 1000)
        home.depart([("keys", 25), ("phone", 25)])
        home.advance(by: 60)
        #expect(home.story.last == "violin forgotten by anna")
    }

    @Test(arguments: [20.0, 60, 110])
    func `an item that goes along is not forgotten, however late its exit is decided`(exit: Double) {
        var home = Self.home(["violin": Self.owned()])
        home.depart([("keys", 25), ("phone", 25), ("violin", exit)])
        home.advance(by: 700)
        #expect(home.story.sorted() == ["anna departed", "violin accompanied"])
    }

    @Test func `an item is not forgotten while another owner is home, nor unless it is needed`() {
        var home = Self.home([
            "violin": Self.owned(["Anna", "ben"]), "swimsuit": Self.owned(needed: "thu 07:00-09:00"),
            "umbrella": Self.owned(needed: nil), "laptop": Self.owned(needed: "mon-fri 07:00-09:00"),
        ])
        home.depart([("keys", 25), ("phone", 25)])
        home.advance(by: 700)
        #expect(home.story == ["anna departed", "laptop forgotten by anna"])
        home.depart([("purse", 25)])
        home.advance(by: 700)
        #expect(home.story.suffix(2) == ["ben departed", "violin forgotten by ben"])
    }

    @Test func `those who leave together are notified together`() {
        var home = Self.home(["violin": Self.owned(["Anna", "ben"])])
        home.depart([("keys", 20), ("phone", 20), ("purse", 60)])
        home.advance(by: 60)
        #expect(home.story.last == "violin forgotten by anna+ben")
    }

    @Test func `unknown on either side raises nothing`() {
        var home = Self.home(["violin": Self.owned(["Anna", "ben"])])
        home.items["purse"]!.presence = .unknown
        home.advance(by: 2)
        home.depart([("keys", 20), ("phone", 20)])
        home.advance(by: 700)
        #expect(home.story == ["anna departed"])
        var other = Self.home(["violin": Self.owned()])
        other.items["violin"]!.presence = .unknown
        other.depart([("keys", 20), ("phone", 20)])
        other.advance(by: 700)
        #expect(other.story == ["anna departed"])
    }

    @Test func `what a departure leaves behind is decided once, although two starts come before the decision`() {
        var home = Self.home(["violin": Self.owned()])
        for times in 1...2 {
            home.depart([("keys", 5), ("phone", 5)])
            for _ in 1...2 {
                home.restart()
                for id in home.items.keys { home.items[id]!.presence = .unknown }
                home.advance(by: 5)
                for id in ["keys", "phone"] { home.items[id]!.presence = .away }
                home.advance(by: 5)
                #expect(home.location("anna")?.presence == .away)
                #expect(home.story.filter { $0.hasPrefix("violin forgotten") }.count == times - 1)
            }
            home.items["violin"]!.presence = .home
            home.advance(by: 60)
            #expect(home.story.filter { $0.hasPrefix("violin forgotten") }.count == times)
            home.advance(by: 900)
            home.restart()
            home.advance(by: 900)
            home.arrive(["keys", "phone"])
            home.advance(by: 900)
        }
        #expect(Set(home.story.filter { $0.hasPrefix("violin forgotten") }) == ["violin forgotten by anna"])
    }

    @Test func `nothing is forgotten after a start by somebody who departed long ago, or is back`() {
        for isBack in [true, false] {
            var home = Self.home(["violin": Self.owned()])
            home.items["violin"]!.presence = .unknown
            home.depart([("keys", 5), ("phone", 5)])
            home.restart()
            home.advance(by: isBack ? 60 : 620)
            if isBack { home.arrive(["keys", "phone"]) }
            home.items["violin"]!.presence = .home
            home.advance(by: 600)
            #expect(!home.story.contains { $0.hasPrefix("violin") })
        }
    }

    @Test func `an alarm that is over ends the item's sentence, so that the next message has only its own`() {
        var home = Self.home(["violin": Self.owned(), "bag": Self.owned()])
        for _ in 1...2 {
            home.depart([("keys", 25), ("phone", 25)])
            home.advance(by: 60)
            home.notify("violin", .forgotten)
            #expect(home.story.last == "to anna: Forgotten: Violin")
            home.arrive(["keys", "phone"])
            #expect(home.story.suffix(3).contains("to anna: no forgotten"))
            home.advance(by: 1000)
            home.depart([("keys", 25), ("phone", 25)])
            home.advance(by: 60)
            home.notify("bag", .forgotten)
            #expect(home.story.last == "to anna: Forgotten: Bag")
            home.arrive(["keys", "phone"])
            home.advance(by: 1000)
        }
    }

    @Test(arguments: [nil, Ownership()])
    func `what was forgotten is not forgotten any more once it is nobody's`(ownership: Ownership?) {
        var home = Self.home(["violin": Self.owned()])
        for _ in 1...2 {
            home.items["violin"]!.ownership = Self.owned()
            home.depart([("keys", 25), ("phone", 25)])
            home.advance(by: 60)
            #expect(home.story.last == "violin forgotten by anna")
            home.items["violin"]!.ownership = ownership
            home.advance(by: 2)
            #expect(home.story.last == "violin over")
            home.arrive(["keys", "phone"])
            home.advance(by: 1000)
        }
    }

    // MARK: Taken

    @Test func `an item that leaves while its owner is home is taken, and with an owner it is not`() {
        var home = Self.home(["violin": Self.owned()])
        home.depart([("violin", 30)])
        home.advance(by: 60)
        #expect(home.story == ["violin taken"])
        home.arrive(["violin"])
        #expect(home.story.last == "violin over")
        home.advance(by: 600)
        // The owner's beacons are sent rarely: their exits are decided late.
        home.depart([("violin", 20), ("keys", 100), ("phone", 110)])
        home.advance(by: 300)
        #expect(home.story.suffix(2) == ["anna departed", "violin accompanied"] || home.story.last == "anna departed")
        #expect(home.story.filter { $0 == "violin taken" }.count == 1)
    }

    @Test(arguments: [20.0, 60, 110])
    func `what somebody carries is accompanied when its carrier departs, however late the second exit is`(exit: Double)
    {
        var home = Self.home()
        for times in 1...2 {
            home.depart([("keys", 20), ("phone", exit)])
            home.depart([("purse", 20)])
            home.advance(by: 300)
            let carried = ["keys", "phone", "purse"].flatMap { Array(repeating: $0, count: times) }
            #expect(home.accompanied.sorted() == carried)
            home.arrive(["keys", "phone", "purse"])
            home.advance(by: 1000)
        }
        #expect(home.story.count { $0.hasSuffix("departed") } == 4)
    }

    @Test func `what leaves with somebody of whom nothing was stored is accompanied, in each order of the exits`() {
        for (first, second) in [("keys", "phone"), ("phone", "keys")] {
            var home = Self.home()
            home.advance(by: 20)
            for id in [first, second] { home.silent[id] = home.now }
            home.advance(by: 30)
            // The process ends before the person is on the disk; the next one learns of the exits one by one.
            home.people = Household()
            home.people.set(StoredPerson(person: Person(id: "anna", name: "Anna", carries: ["keys", "phone"])))
            for id in [first, second] {
                home.items[id]!.presence = .away
                home.people.ask(whoTook: home.items[id]!, from: "Hall", at: home.moment)
                home.advance(by: 3)
            }
            #expect(home.accompanied.sorted() == ["keys", "phone"])
            #expect(home.people.asked == [])
        }
    }

    @Test func `an item that is added soon after its owner left is not forgotten after a start, each time`() {
        var home = Self.home()
        for _ in 1...2 {
            home.depart([("keys", 5), ("phone", 5)])
            home.restart()
            home.items["violin"] = home.items["purse"]
            home.items["violin"]!.id = "violin"
            home.items["violin"]!.ownership = Self.owned()
            home.advance(by: 300)
            #expect(home.location("anna")?.presence == .away)
            #expect(!home.story.contains { $0.hasPrefix("violin") })
            home.items["violin"] = nil
            _ = home.people.handle(.removed(item: "violin"), at: home.moment)
            home.advance(by: 900)
            home.arrive(["keys", "phone"])
            home.advance(by: 900)
        }
    }

    @Test
    func `keys that leave while their carrier stays with the phone are not accompanied, and taken if they have owners`()
    {
        var home = Self.home(["keys": Self.owned(), "phone": nil])
        home.depart([("keys", 20)])
        home.advance(by: 100)
        #expect(home.story == ["keys taken"])
        var other = Self.home()
        other.depart([("keys", 20)])
        other.advance(by: 100)
        #expect(other.accompanied == [] && other.story == [] && other.people.asked == [])
    }

    @Test func `an item of one person that another one carries is not taken when that one departs with it`() {
        var home = Self.home(["purse": Self.owned(["Anna"])])
        home.depart([("purse", 20)])
        home.advance(by: 100)
        #expect(home.story == ["ben departed", "purse accompanied"])
    }

    // MARK: Alone

    @Test func `an item is alone if no owner is in its room or beside it for five minutes`() {
        var ownership = Self.owned(needed: nil)
        ownership.notAloneIn = ["Garden"]
        var home = Self.home(["dog": ownership])
        home.people.neighbours = ["Garden": ["Kitchen"], "Kitchen": ["Garden", "Hall"]]
        home.move("keys", to: "Kitchen")
        home.move("dog", to: "Garden")
        home.advance(by: 400)
        #expect(home.story == ["anna moved"])
        home.move("keys", to: "Hall")
        home.advance(by: 290)
        #expect(home.story.last == "anna moved")
        home.advance(by: 20)
        #expect(home.story.last == "dog alone")
        for _ in 1...2 {
            for id in ["keys", "phone"] { home.items[id]!.presence = .unknown }
            home.advance(by: 10)
            for id in ["keys", "phone"] { home.items[id]!.presence = .home }
            home.advance(by: 400)
            #expect(home.story.last == "dog alone", "an owner who is unknown is not back")
        }
        home.move("keys", to: "Garden")
        #expect(home.story.last == "dog over")
    }

    @Test
    func `an item whose battery is empty is not taken, and shows nothing of who carries it, the second time as well`() {
        var home = Self.home(["violin": Self.owned(), "keys": nil])
        for _ in 1...2 {
            for item in ["violin", "keys", "phone"] { home.items[item]!.hasEmptyBattery = true }
            home.depart([("violin", 30), ("keys", 60), ("phone", 61)])
            home.advance(by: 600)
            #expect(home.story.isEmpty, "nobody departed, and nothing was forgotten or taken")
            for item in ["violin", "keys", "phone"] { home.items[item]!.hasEmptyBattery = false }
            home.arrive(["violin", "keys", "phone"])
            home.advance(by: 1000)
        }
    }

    @Test func `an item whose battery seemed to be empty is accompanied if its owner departs as well`() {
        var home = Self.home(["violin": Self.owned()])
        home.items["violin"]!.hasEmptyBattery = true
        home.depart([("violin", 20), ("keys", 25), ("phone", 25)])
        home.advance(by: 300)
        #expect(
            home.story == ["violin accompanied", "anna departed"]
                || home.story == ["anna departed", "violin accompanied"])
    }

    // MARK: Messages

    @Test func `the title of a message is in the language of the site`() {
        var home = Self.home(["violin": Self.owned()], in: Texts(["Forgotten: {items}": "Vergessen: {items}"]))
        home.depart([("keys", 25), ("phone", 25)])
        home.advance(by: 60)
        home.notify("violin", .forgotten)
        #expect(home.story.last == "to anna: Vergessen: Violin")
    }

    @Test func `one message has all items that a person forgot, and is withdrawn with the last of them`() {
        var home = Self.home(["violin": Self.owned(), "bag": Self.owned()])
        home.depart([("keys", 25), ("phone", 25)])
        home.advance(by: 60)
        home.notify("violin", .forgotten)
        home.notify("bag", .forgotten)
        #expect(home.story.last == "to anna: Forgotten: Bag, Violin")
        #expect(home.people.handle(.ended(item: "bag", .forgotten), at: home.moment) == [])
        #expect(
            home.people.handle(.ended(item: "violin", .forgotten), at: home.moment) == [
                .message(.withdraw(person: "anna", key: "forgotten"))
            ])
        #expect(home.people.handle(.ended(item: "violin", .forgotten), at: home.moment) == [])
    }

    @Test(arguments: [2, 140, 160, 298], [false, true])
    func `a message that two items repeat is sent once in each pause, also after a restart`(
        offset: Double, isRestarted: Bool
    ) {
        var home = Self.home(["violin": Self.owned(), "bag": Self.owned()])
        home.depart([("keys", 25), ("phone", 25)])
        home.advance(by: 60)
        let start = home.now
        var (times, published): ([Double], [String: Notification]) = ([], [:])
        func notify(_ item: String, _ count: Int) {
            let before = home.outputs.count
            published[item] = home.notify(item, .forgotten, count: count)
            if home.outputs.count > before { times.append(home.now - start) }
        }
        for count in 1...7 {
            notify("violin", count)
            if isRestarted, count > 3 { home.restart(published) }
            home.now += offset
            notify("bag", count)
            home.now += 300 - offset
        }
        let pauses = zip(times.dropFirst(2), times.dropFirst()).map { $0 - $1 }
        #expect(times.prefix(2) == [0, offset] && pauses.allSatisfy { (150...450).contains($0) }, "\(times)")
        #expect(times.count == 8, "\(times)")
        // What is no longer true stands on the phone until the next message.
        for (count, ended) in [(8, "violin"), (9, "bag")] {
            notify("violin", count)
            notify("bag", count)
            _ = home.people.handle(.ended(item: ended, .forgotten), at: home.moment)
            home.now += 2
            let before = times.count
            notify(ended == "bag" ? "violin" : "bag", count + 1)
            #expect(times.count == before + 1, "\(times)")
        }
    }

    @Test func `a message is as old as its newest notification, whichever of them is learned of last`() {
        for order in [["violin", "bag"], ["bag", "violin"]] {
            var home = Self.home(["violin": Self.owned(), "bag": Self.owned()])
            home.depart([("keys", 25), ("phone", 25)])
            home.advance(by: 60)
            let stamps = ["violin": home.moment.wall - .seconds(20), "bag": home.moment.wall - .seconds(10)]
            for _ in 1...2 {
                for item in order { home.notify(item, .forgotten, at: stamps[item]!) }
                guard case .message(.send(let message))? = home.outputs.last else {
                    Issue.record("no message")
                    continue
                }
                #expect(message.at == stamps["bag"])
            }
        }
    }

    @Test func `a low battery is a message to all owners, wherever they are, beside the one of an alarm`() {
        var home = Self.home(["violin": Self.owned()])
        for _ in 1...2 {
            home.notify("violin", .low)
            #expect(home.story.last == "to anna: Low battery: Violin")
            #expect(home.people.handle(.ended(item: "violin", .forgotten), at: home.moment) == [])
            #expect(
                home.people.handle(.ended(item: "violin", .low), at: home.moment) == [
                    .message(.withdraw(person: "anna", key: "low"))
                ])
        }
    }

    // MARK: Rooms

    @Test func `a room has the people and items that are there, and the time since it has none`() {
        var home = Self.home()
        func contents(_ kind: RoomCounts.Kind, _ room: String) -> RoomContents {
            home.people.contents(of: [room], of: kind, stamp: home.location("anna")!.stamp)
        }
        #expect(contents(.people, "Hall").ids == ["anna", "ben"] && contents(.items, "Hall").count == 3)
        #expect(contents(.people, "Hall").names == ["Anna", "Ben"])
        for name in ["Mug", "Keys"] {
            let count = home.outputs.count
            home.items["keys"]!.name = name
            home.advance(by: 1)
            #expect(home.outputs.dropFirst(count).contains(.changed(room: "Hall")))
            #expect(contents(.items, "Hall").names.first == name)
        }
        #expect(contents(.people, "Kitchen").emptySince == nil)
        home.move("purse", to: "Kitchen")
        #expect(contents(.people, "Hall").ids == ["anna"] && contents(.people, "Kitchen").ids == ["ben"])
        home.move("purse", to: "Hall")
        #expect(contents(.people, "Kitchen").count == 0 && contents(.people, "Kitchen").emptySince == home.moment.wall)
    }

    @Test func `a person who is removed is in no room any more`() {
        var home = Self.home()
        for _ in 1...2 {
            #expect(home.people.remove(person: "ben", at: home.moment).contains(.changed(room: "Hall")))
            let stamp = home.location("anna")!.stamp
            #expect(home.people.contents(of: ["Hall"], of: .people, stamp: stamp).ids == ["anna"])
            home.people.set(StoredPerson(person: Self.ben))
            home.advance(by: 2)
            #expect(home.people.contents(of: ["Hall"], of: .people, stamp: stamp).ids == ["anna", "ben"])
        }
    }

    @Test func `rooms that share their topics are empty only if all of them are`() {
        var home = Self.home()
        func contents() -> RoomContents {
            home.people.contents(of: ["Kitchen", "Hall"], of: .people, stamp: home.location("anna")!.stamp)
        }
        for item in ["purse", "keys", "phone"] { home.move(item, to: "Study") }
        #expect(contents().count == 0 && contents().emptySince != nil && contents().room == "Kitchen")
        home.move("purse", to: "Hall")
        #expect(contents().ids == ["ben"] && contents().emptySince == nil)
        home.move("purse", to: "Kitchen")
        #expect(contents().ids == ["ben"])
    }
}

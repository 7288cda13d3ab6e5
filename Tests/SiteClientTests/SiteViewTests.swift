import Beacons
import Linux
import Messages
import Testing

@testable import SiteClient

/// What commands conclude from what the broker keeps.
struct SiteViewTests {
    private let now = Example.now

    private func stamp(_ age: Double, isSynchronised: Bool = true) -> Stamp {
        Stamp(
            at: Example.start - .seconds(age), boot: Boot("17.kfqx")!, uptime: .zero,
            isClockSynchronised: isSynchronised)
    }

    /// A view of an aggregator whose `info` came so.
    private func view(_ stamp: Stamp, _ arrival: Arrival, availability: Availability? = .online) -> SiteView {
        var view = SiteView()
        if let availability { view.receive(.aggregatorAvailability, availability.bytes, arrival, at: now) }
        let info = AggregatorInfo(
            version: "1.0.0", stamp: stamp, items: 3, gatewaysAlive: 2, gatewaysGone: 0, revision: 1)
        view.receive(.aggregatorInfo, info.bytes, arrival, at: now)
        return view
    }

    private func liveness(_ view: SiteView, after seconds: Double = 0) -> Heartbeat<AggregatorInfo>.Liveness {
        view.aggregator.liveness(at: now.instant + .seconds(seconds))
    }

    @Test func `an info that was published just now is valid for as long as it states, whatever its clock`() {
        let view = view(stamp(172_800), .live)
        #expect(liveness(view) == .alive && liveness(view, after: 74) == .alive && liveness(view, after: 76) == .dead)
    }

    @Test func `the table shows a distance to the gateway, or with a position on the plan a radius`() {
        var location = ItemLocation(
            item: "keys", name: "Keys", presence: .home, gateway: "hall", accuracy: 3.24, stamp: stamp(0))
        #expect(location.distance == "3.2 m")
        location.point = .init(x: 1, y: 2, floor: 0)
        #expect(location.distance == "± 3.2 m")
    }

    @Test func `the table has a column of batteries if the tag of any item reports one, and without one none`() {
        var view = view(stamp(0), .live)
        for name in ["keys", "bag"] {
            let location = ItemLocation(item: name, name: name, presence: .away, stamp: stamp(0))
            view.receive(.itemLocation(item: name), location.bytes)
        }
        func lines() -> [String] { LocationTable(view.sorted, of: view, at: Example.start).lines(width: nil) }
        for _ in 1...2 {
            #expect(lines().allSatisfy { !$0.contains("BATTERY") })
            for (readings, text) in [
                (TagReadings(batteryPercent: 12, batteryMillivolts: 2950), "12 %, low"),
                (TagReadings(batteryMillivolts: 2350), "2.4 V, low"), (TagReadings(batteryMillivolts: 2960), "3.0 V"),
            ] {
                let health = ItemHealth(item: "keys", readings: readings, wasLow: false, stamp: stamp(0))
                view.receive(.itemHealth(item: "keys"), health.bytes)
                #expect(lines().map { String($0.suffix(9)) }[0] == "  BATTERY".suffix(9))
                #expect(lines().first { $0.hasPrefix("keys") }?.hasSuffix(" \(text)") == true)
                #expect(lines().first { $0.hasPrefix("bag") }?.hasSuffix(" -") == true)
            }
            view.receive(.itemHealth(item: "keys"), [])
        }
    }

    @Test(arguments: [
        (ItemHealth.Reception(), ""), (.init(interval: 0.152), "sends every 0.2 s"),
        (
            .init(interval: 10.24, sightingsPerHour: 344, trend: -4.23),
            "sends every 10 s, received 344 times an hour, RSSI falls by 4.2 dB a week"
        ), (.init(trend: 5), "RSSI rises by 5.0 dB a week"),
    ])
    func `the reception of a tag is a sentence of what is known`(reception: ItemHealth.Reception, words: String) {
        #expect(reception.words == words)
    }

    @Test func `a view counts the entries that the manifest names and the broker did not deliver`() {
        var view = view(stamp(0), .live)
        let item = RegistryItem(id: "keys", name: "Keys", beacon: Example.bag)
        view.receive(.registryItem("keys"), item.bytes)
        #expect(view.missingEntries == 0, "without a manifest nothing is known to be missing")
        view.receive(
            .registryManifest, RegistryManifest(revision: 2, items: ["bag", "keys"], regions: ["bags"]).bytes)
        #expect(view.missingEntries == 2)
        #expect(status(.right, of: view) == .unavailable)
    }

    @Test func `a view counts the parts of a manifest that did not come, and the entries that parts name`() {
        var view = view(stamp(0), .live)
        let part = RegistryPart(items: ["bag", "keys"], regions: [])
        view.receive(
            .registryManifest, RegistryManifest(revision: 2, parts: [RegistryPart.digest(of: part.bytes), "x"]).bytes)
        #expect(view.missingEntries == 2)
        view.receive(.registryItem("keys"), RegistryItem(id: "keys", name: "Keys", beacon: Example.bag).bytes)
        view.receive(.registryPart(0), part.bytes)
        view.receive(.registryPart(1), RegistryPart(items: [], regions: []).bytes)
        #expect(view.missingEntries == 1)
    }

    @Test func `a retained info is valid for as long as the broker states, whatever its clock`() {
        let view = view(stamp(172_800), .retained(expiresInSeconds: 20))
        #expect(liveness(view) == .alive && liveness(view, after: 21) == .dead)
    }

    @Test func `a retained info without the broker's expiry is valid by its own time`() {
        let view = view(stamp(40), .retained(expiresInSeconds: nil))
        #expect(liveness(view) == .alive && liveness(view, after: 34) == .alive && liveness(view, after: 36) == .dead)
        #expect(view.requests(asksGateways: true, at: now.instant).isEmpty)
    }

    @Test(arguments: [(76, true), (172_800, true), (-31, true), (10, false)])
    func `an aggregator is asked if its retained info is old, or comes from a clock that is wrong`(
        age: Double, isSynchronised: Bool
    ) {
        var view = view(stamp(age, isSynchronised: isSynchronised), .retained(expiresInSeconds: nil))
        #expect(liveness(view) == .doubtful && !view.isAggregatorAlive(at: now.instant))
        #expect(
            view.requests(asksGateways: false, at: now.instant).map(\.topic) == [.aggregatorRequest(what: "alive")])
        let response = Response(.done(Nothing())).bytes
        view.receive(.aggregatorResponse(what: "alive"), response, .retained(expiresInSeconds: nil), at: now)
        #expect(liveness(view) == .doubtful)
        view.receive(.aggregatorResponse(what: "alive"), response, .live, at: now)
        #expect(liveness(view) == .alive && view.requests(asksGateways: false, at: now.instant).isEmpty)
    }

    @Test func `an aggregator that published offline is dead, and gets no request`() {
        for availability in [Availability.offline, nil] {
            let view = view(stamp(0), .retained(expiresInSeconds: nil), availability: availability)
            #expect(liveness(view) == .dead && view.requests(asksGateways: true, at: now.instant).isEmpty)
        }
    }

    @Test func `a doubtful location names the likeliest rooms, until they are more likely than not`() {
        func place(_ rooms: (String, Double)...) -> String {
            ItemLocation(
                item: "bag", name: "Bag", presence: .home, room: rooms[0].0, confidence: rooms[0].1,
                rooms: rooms.map { .init($0.0, $0.1) }, stamp: stamp(0)
            ).place
        }
        #expect(place(("Hall", 0.4), ("Kitchen", 0.35), ("Office", 0.25)) == "Hall or Kitchen")
        #expect(place(("Hall", 0.3), ("Kitchen", 0.25), ("Office", 0.2), ("Cellar", 0.1)) == "Hall, Kitchen or Office")
        #expect(place(("Hall", 0.6), ("Kitchen", 0.4)) == "Hall" && place(("Hall", 0.4)) == "Hall")
    }

    @Test
    func `how sure a person's place is comes from the room at home, and from the absence of a person who is away`() {
        var view = SiteView()
        let phone = ItemLocation(
            item: "phone", name: "Phone", presence: .home, room: "Hall", confidence: 0.36, stamp: stamp(0))
        view.receive(.itemLocation(item: "phone"), phone.bytes, .retained(expiresInSeconds: nil), at: now)
        func line(_ presence: Presence, _ room: String?) -> String {
            let person = PersonLocation(
                person: Person(id: "anna", name: "Anna"), presence: presence, room: room, confidence: 0.95,
                item: "phone", stamp: stamp(0))
            return LocationTable([], people: [person], of: view, at: now.wall).lines(width: nil).last ?? ""
        }
        #expect(line(.home, "Hall").contains("36 %") && line(.away, nil).contains("95 %"))
        // The item is elsewhere by now: so is the person.
        #expect(line(.home, "Kitchen").hasPrefix("Anna  Hall   36 %"))
    }

    @Test func `a person is where the item is that shows the person, with the same doubt`() {
        var view = SiteView()
        let person = PersonLocation(
            person: Person(id: "ben", name: "Ben"), presence: .home, room: "Office", item: "phone", stamp: stamp(0))
        var phone = ItemLocation(item: "phone", name: "Phone", presence: .home, stamp: stamp(0))
        (phone.nearest.gateway, phone.nearest.proximity) = ("office", .far)
        for (presence, room, share, shown) in [
            (Presence.home, "Office", 0.36, "Office or Living room"), (.home, "Office", 0.9, "Office"),
            (.home, nil, nil, "Office"), (.away, nil, nil, "Office"), (.home, "Office", 0.36, "Office or Living room"),
        ] as [(Presence, String?, Double?, String)] {
            (phone.presence, phone.room, phone.confidence) = (presence, room, share)
            phone.rooms = share.map { [.init("Office", $0), .init("Living room", 0.3)] }
            view.receive(.itemLocation(item: "phone"), phone.bytes, .live, at: now)
            let rows = LocationTable(view.sorted, people: [person], of: view, at: now.wall).lines(width: nil)
            #expect(rows.contains { $0.hasPrefix("Ben") && $0.contains(shown) }, "\(rows)")
            #expect(!rows.contains { $0.contains("(far)") }, "\(rows)")
        }
    }

    @Test func `a gateway works, is offline, or does not scan, with the reason, in the words of the page`() {
        func words(_ availability: Availability?, _ radio: RadioState, _ reason: String? = nil) -> String {
            state(availability, GatewayInfo.Radio(source: "bluez:hci0", state: radio, reason: reason))
        }
        #expect(words(.online, .poweredOn, "scanning through the kernel") == "working")
        #expect(words(.online, .poweredOff) == "does not scan: powered off")
        #expect(words(.online, .poweredOff, "rfkill blocks hci0") == "does not scan: rfkill blocks hci0")
        #expect(words(.offline, .poweredOn) == "offline" && words(nil, .poweredOn) == "unknown")
        #expect(state(.online, nil) == "unknown")
    }

    @Test func `names are in the order of the page: numbers by their value, whatever the case`() {
        var view = SiteView()
        let names = ["Bag 1002", "bag 106", "Bag 20b", "Bag 007", "Bag 20a", "Zebra", "7 keys", "70 keys"]
        for (number, name) in names.enumerated() {
            let location = ItemLocation(item: "\(number)", name: name, presence: .away, stamp: stamp(0))
            view.receive(.itemLocation(item: location.item), location.bytes, .live, at: now)
        }
        #expect(
            view.sorted.map(\.name) == [
                "7 keys", "70 keys", "Bag 007", "Bag 20a", "Bag 20b", "bag 106", "Bag 1002", "Zebra",
            ])
    }

    @Test func `an item is seen now while a gateway's ranged state holds, and else when that was sent`() throws {
        var view = SiteView()
        let item = RegistryItem(id: "bag", name: "Bag", beacon: Example.bag)
        let location = ItemLocation(
            item: "bag", name: "Bag", presence: .home, lastSeenAt: Example.start - .seconds(180), stamp: stamp(180))
        func take(_ age: Double, sightings: Int, _ beacon: BeaconIdentity = Example.bag) {
            let state = RangedState(
                gateway: "kitchen", proximity: sightings > 0 ? .near : .unknown, sightings: sightings, addresses: 1,
                stamp: stamp(age), validFor: 25)
            view.receive(.proximity(beacon, gateway: "kitchen"), state.bytes, .retained(expiresInSeconds: nil), at: now)
        }
        func words(after seconds: Double = 0) -> String? {
            view.lastSeen(location, at: now.instant + .seconds(seconds))?.words(at: now.wall + .seconds(seconds))
        }
        take(8, sightings: 3)
        #expect(words() == "3 min", "of what is no item's nothing is noted")
        view.receive(.registryItem("bag"), item.bytes, .live, at: now)
        take(8, sightings: 3)
        #expect(words() == "now" && words(after: 18) == "26 s")
        take(0, sightings: 0)
        #expect(words() == "8 s")
        take(2, sightings: 1)
        view.receive(.proximity(Example.bag, gateway: "kitchen"), [], .live, at: now)
        #expect(words() == "2 s")
    }

    @Test func `a gateway whose clock is ahead, or not synchronised, shows that an item is received, and not when`() {
        for isSynchronised in [true, false] {
            var view = SiteView()
            view.receive(
                .registryItem("bag"), RegistryItem(id: "bag", name: "Bag", beacon: Example.bag).bytes, .live, at: now)
            var stamp = stamp(isSynchronised ? -86_400 : 30)
            stamp.isClockSynchronised = isSynchronised
            let state = RangedState(
                gateway: "kitchen", proximity: .near, sightings: 9, addresses: 1, stamp: stamp, validFor: 25)
            var location = ItemLocation(item: "bag", name: "Bag", presence: .home, stamp: self.stamp(0))
            for age in [180.0, 120] {
                location.lastSeenAt = Example.start - .seconds(age)
                view.receive(.proximity(Example.bag, gateway: "kitchen"), state.bytes, .live, at: now)
                #expect(view.lastSeen(location, at: now.instant)?.at == location.lastSeenAt)
                #expect(view.lastSeen(location, at: now.instant)?.isNow == true)
                view.receive(.proximity(Example.bag, gateway: "kitchen"), [], .live, at: now)
                #expect(view.lastSeen(location, at: now.instant)?.isNow == false)
            }
        }
    }

    @Test func `on a terminal of 40 columns the table of items has whole names and rooms`() {
        var view = SiteView()
        for name in ["Anna's phone", "Ben's keys"] {
            let location = ItemLocation(
                item: String(name.prefix(3)).lowercased(), name: name, presence: .home, room: "Hall",
                since: Example.start, stamp: stamp(0))
            view.receive(.itemLocation(item: location.item), location.bytes)
        }
        let lines = LocationTable(view.sorted, of: view, at: Example.start).lines(width: 40)
        #expect(lines[0].hasPrefix("ITEM          WHERE  SURE"), "\(lines)")
        #expect(lines[1].hasPrefix("Anna's phone  Hall") && lines[2].hasPrefix("Ben's keys    Hall"), "\(lines)")
        #expect(lines.allSatisfy { $0.count <= 40 && !$0.contains("…") }, "\(lines)")
    }

    @Test func `a doubtful move shows when it has lasted, a clear one at once, and one to and fro not at all`() {
        var moves = SettledMoves()
        var shown: ItemLocation?
        /// The room that is shown `seconds` after the beginning.
        func room(_ room: String?, _ confidence: Double, at seconds: Double) -> String? {
            var location = ItemLocation(
                item: "keys", name: "Keys", presence: room == nil ? .away : .home, room: room, confidence: confidence,
                stamp: stamp(0))
            location.rooms = [.init("Hall", 1 - confidence), .init("Office", confidence)]
            let now = now.instant + .seconds(seconds)
            for lasting in moves.lasting(at: now) { shown = lasting }
            shown = moves.settled(location, after: shown, at: now)
            return shown?.room
        }
        func lastingRoom(at seconds: Double) -> String? {
            for lasting in moves.lasting(at: now.instant + .seconds(seconds)) { shown = lasting }
            return shown?.room
        }
        for begin in [0.0, 1000] {
            #expect(room("Hall", 0.9, at: begin) == "Hall")
            #expect(room("Office", 0.6, at: begin + 1) == "Hall")
            #expect(shown?.confidence == 0.4)
            // Back, and away from it again: the time begins anew.
            #expect(room("Hall", 0.6, at: begin + 9) == "Hall")
            #expect(room("Office", 0.6, at: begin + 10) == "Hall")
            #expect(room("Office", 0.7, at: begin + 15) == "Hall" && lastingRoom(at: begin + 19) == "Hall")
            #expect(lastingRoom(at: begin + 20) == "Office" && shown?.confidence == 0.7)
            #expect(lastingRoom(at: begin + 40) == "Office")
            // From the second room on, the move to a third one has the time of the first.
            #expect(room("Hall", 0.6, at: begin + 50) == "Office" && room("Attic", 0.6, at: begin + 59) == "Office")
            #expect(lastingRoom(at: begin + 60) == "Attic")
            #expect(room("Hall", 0.8, at: begin + 61) == "Hall")
            #expect(room("Office", 0.6, at: begin + 62) == "Hall" && room(nil, 0.9, at: begin + 63) == nil)
            #expect(lastingRoom(at: begin + 80) == nil)
        }
    }

    @Test func `without a terminal watch prints what people read when it changes, a second time as well`() {
        var view = SiteView()
        var lines = WatchLines()
        func line(_ topic: Topic, _ payload: [UInt8]) -> String? {
            view.receive(topic, payload)
            return lines.line(on: topic, of: view).map { String($0.dropFirst("2026-01-01 00:00:00  ".count)) }
        }
        func place(_ room: String?, confidence: Double = 0.9) -> String? {
            let location = ItemLocation(
                item: "keys", name: "Keys", presence: room == nil ? .away : .home, room: room, confidence: confidence,
                since: Example.start, stamp: stamp(0))
            return line(.itemLocation(item: "keys"), location.bytes)
        }
        func notification(_ number: UInt64) -> Notification {
            Notification(
                id: EventID(boot: Boot("17.kfqx")!, seq: number), kind: .left, message: "Keys left.", item: "keys",
                count: 1, since: Example.start, stamp: stamp(0))
        }
        func person(in room: String?) -> String? {
            let anna = Person(id: "anna", name: "Anna")
            let location = PersonLocation(
                person: anna, presence: room == nil ? .away : .home, room: room, stamp: stamp(0))
            return line(.personLocation(person: "anna"), location.bytes)
        }
        for round in 1...2 as ClosedRange<UInt64> {
            #expect(person(in: "Hall") == "Anna: Hall" && person(in: "Hall") == nil && person(in: nil) == "Anna: away")
            let left = notification(round)
            #expect(place("Hall") == "Keys: Hall")
            #expect(place("Hall", confidence: 0.95) == nil)
            // The same room reads otherwise when it is doubtful, and that is no other place.
            #expect(place("Hall", confidence: 0.35) == nil)
            #expect(place(nil) == "Keys: away")
            #expect(line(.itemNotification(item: "keys"), left.bytes) == "! Keys left. (forgetmenot acknowledge keys)")
            #expect(line(.itemNotification(item: "keys"), left.bytes) == nil)
        }
    }

    @Test func `on a narrow terminal a notification takes as many lines as it needs`() {
        var view = SiteView()
        for number in 1...2 as ClosedRange<UInt64> {
            let notification = Notification(
                id: EventID(boot: Boot("17.kfqx")!, seq: number), kind: .forgotten,
                message: "Anna went out. Violin \(number) is still at home, in the Bedroom of the children.",
                item: "violin-\(number)", count: 1, since: Example.start, stamp: stamp(0))
            view.receive(.itemNotification(item: notification.item), notification.bytes)
        }
        var rows = ScrolledRows()
        for width in [50, 30, 50] {
            let lines = liveLines(view, &rows, note: nil, width: width, height: 30)
            #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
            let text = lines.joined(separator: " ")
            for number in 1...2 {
                #expect(
                    text.contains("Violin \(number) is still at home, in the Bedroom of the children. (forgetmenot")
                        && text.contains("acknowledge violin-\(number))"), "\(lines)")
            }
        }
        // A third of the lines at most: the second one is counted.
        let low = liveLines(view, &rows, note: nil, width: 50, height: 12)
        #expect(low.contains("! and 1 more notification") && low.count <= 11, "\(low)")
    }

    @Test func `watch counts the items for which the terminal has no line`() throws {
        var view = SiteView()
        for number in 1...20 {
            let location = ItemLocation(
                item: "item-\(number)", name: "Item \(number)", presence: .away, since: Example.start, stamp: stamp(0))
            view.receive(.itemLocation(item: location.item), location.bytes)
        }
        var rows = ScrolledRows()
        func lines(_ height: Int, hasKeys: Bool = false) -> [String] {
            liveLines(view, &rows, note: nil, width: 80, height: height, hasKeys: hasKeys)
        }
        for _ in 0..<2 {
            let low = lines(10)
            // The header, five items, the rest, a blank line, the gateways; the cursor has the tenth.
            let rest = "and 15 more: make the terminal higher, or use \"forgetmenot where\""
            #expect(low.count == 9 && low[6] == rest, "\(low)")
            let high = lines(24)
            #expect(high.count == 23 && !high.contains { $0.hasPrefix("and ") }, "\(high)")
            #expect(lines(23).contains { $0.hasPrefix("and 2 more") })
        }
        // The keys move the rows, by lines and by pages, and not beyond the last.
        for _ in 0..<2 {
            for (key, first) in [
                (Key.home, 1), (.up, 1), (.down, 2), (.pageDown, 7), (.up, 6), (.pageUp, 1), (.end, 16),
                (.pageDown, 16), (.down, 16), (.up, 15),
            ] {
                rows.scroll(by: key)
                let shown = lines(10, hasKeys: true)
                let names = view.sorted.dropFirst(first - 1).prefix(5).map(\.name)
                #expect(shown[6].hasPrefix("\(first) to \(first + 4) of 20: ↑"), "\(key): \(shown)")
                #expect(zip(shown[1...5], names).allSatisfy { $0.hasPrefix($1) }, "\(key): \(shown)")
            }
            // A terminal that becomes higher shows all, and one that becomes lower the first rows.
            #expect(lines(24, hasKeys: true).count == 23)
            #expect(lines(10, hasKeys: true)[6].hasPrefix("1 to 5 of 20"))
        }
        // Many notifications leave lines for items.
        for number in 1...20 as ClosedRange<UInt64> {
            let notification = Notification(
                id: EventID(boot: Boot("17.kfqx")!, seq: number), kind: .left, message: "Item \(number) left.",
                item: "item-\(number)", count: 1, since: Example.start, stamp: stamp(0))
            view.receive(.itemNotification(item: "item-\(number)"), notification.bytes)
        }
        let noisy = lines(12, hasKeys: true)
        #expect(noisy.count == 11 && noisy.contains("! and 17 more notifications"), "\(noisy)")
        #expect(noisy[4].hasPrefix("1 to 3 of 20"), "\(noisy)")
    }

    @Test(
        arguments: [
            (3600, .retained(expiresInSeconds: 60), 15, "59 min behind"), (-3600, .live, 0, "1 h ahead"),
            (3600, .retained(expiresInSeconds: nil), 3600, nil), (20, .retained(expiresInSeconds: nil), 20, nil),
            (20, .retained(expiresInSeconds: 60), 15, nil),
        ] as [(Double, Arrival, Double, String?)])
    func
        `the age of a gateway's info is by its arrival where the broker shows that, and a clock that differs is a problem`(
            behind: Double, delivery: Arrival, age: Double, error: String?
        )
    {
        var stamp = stamp(behind)
        stamp.uptime = .zero + .seconds(1000)
        var info = GatewayInfo(
            gateway: "hall", version: "1", stamp: stamp, radio: .init(source: "bluez:hci0", state: .poweredOn),
            regions: 1)
        info.problems = ["one"]
        var view = SiteView()
        view.receive(.gatewayInfo(gateway: "hall"), info.bytes, delivery, at: now)
        let gateway = view.gateways["hall"]
        #expect(gateway?.age(at: now) == .seconds(age))
        let problems = gateway?.problems(at: now).map { String($0.prefix { $0 != ":" }) }
        #expect(problems == ["one"] + (error.map { ["the clock of hall is \($0)"] } ?? []))
        var unset = now
        unset.isSynchronised = false
        #expect(gateway?.problems(at: unset) == ["one"])
    }
}

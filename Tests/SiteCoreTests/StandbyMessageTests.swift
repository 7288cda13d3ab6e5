import Beacons
import Channels
import Testing

/// The messages to persons of a pair of aggregators: whichever is active, a phone shows what is true now.
struct StandbyMessageTests {
    private static let taken = ["keys", "phone"]
    private static let all = SharedSite.home

    /// A pair whose only gateway receives what Anna has.
    private struct Pair {
        var site = SharedSite(pair: "left", "right", tables: SitePeopleTests.toml())

        init() {
            site.advance(to: 8)
            site.change(.enter, of: StandbyMessageTests.all)
            advance(by: 30, StandbyMessageTests.all)
        }

        mutating func advance(by seconds: Double, _ present: [String]) {
            site.advance(by: seconds, ranging: present)
        }

        /// Anna goes without the violin, and the exits of what she carries are noticed.
        mutating func depart() {
            advance(by: 12, ["violin"])
            site.change(.exit, of: StandbyMessageTests.taken)
        }

        mutating func comeBack() {
            site.change(.enter, of: StandbyMessageTests.taken)
            advance(by: 60, StandbyMessageTests.all)
        }

        /// What each delivery brought to the phone, and by whom.
        func deliveries(since first: Int) -> [String] {
            site.deliveries[first...].map { member, delivery in
                "\(member) \(delivery.content == .nothing ? "removes" : "shows")"
            }
        }

        /// The names that the messages have on the phone.
        var tags: Set<String> { Set(site.deliveries.map(\.delivery.tag)) }
    }

    @Test func `the successor removes a message that its predecessor sent, each time`() throws {
        var pair = Pair()
        for time in 1...2 {
            let (first, before) = (try #require(pair.site.active.first), pair.site.deliveries.count)
            pair.depart()
            pair.advance(by: 120, ["violin"])
            #expect(pair.deliveries(since: before) == ["\(first) shows"], "time \(time)")
            pair.site.kill(first)
            pair.advance(by: 30, ["violin"])
            pair.comeBack()
            let next = pair.site.successor(of: first)
            #expect(pair.deliveries(since: before) == ["\(first) shows", "\(next) removes"], "time \(time)")
            pair.site.startMember(first)
            pair.advance(by: 90, Self.all)
            #expect(pair.deliveries(since: before).count == 2, "time \(time)")
        }
    }

    /// - Parameter second: how long after the departure the active one stops.
    @Test(arguments: [0, 10, 20, 25, 28, 30, 32, 35, 40])
    func `the successor sends a message that its predecessor did not live to send, each time`(second: Double) throws {
        var pair = Pair()
        for time in 1...2 {
            let (first, before) = (try #require(pair.site.active.first), pair.site.deliveries.count)
            let next = pair.site.successor(of: first)
            pair.depart()
            pair.advance(by: second, ["violin"])
            pair.site.stop(first)
            let sent = pair.deliveries(since: before)
            pair.advance(by: 120, ["violin"])
            // Nobody knows whether what was sent last has arrived: it is sent again, with the same tag.
            #expect(pair.deliveries(since: before) == sent + ["\(next) shows"], "time \(time)")
            pair.site.resume(first)
            pair.advance(by: 90, ["violin"])
            pair.comeBack()
            #expect(pair.deliveries(since: before) == sent + ["\(next) shows", "\(next) removes"], "time \(time)")
        }
        #expect(pair.tags.count == 1)
    }

    @Test func `a message is not sent again after both were restarted, each time`() throws {
        var pair = Pair()
        let before = pair.site.deliveries.count
        pair.depart()
        pair.advance(by: 120, ["violin"])
        #expect(pair.deliveries(since: before).count == 1)
        for time in 1...2 {
            for name in ["left", "right"] { pair.site.kill(name) }
            for name in ["left", "right"] { pair.site.startMember(name) }
            // Before the notification is repeated.
            pair.advance(by: 75, ["violin"])
            #expect(pair.deliveries(since: before).count == 1, "time \(time)")
        }
        pair.comeBack()
        #expect(pair.deliveries(since: before).count == 2 && pair.site.deliveries.last?.delivery.content == .nothing)
    }

    @Test func `a standby that started after a message removes it as the successor, each time`() throws {
        var pair = Pair()
        for time in 1...2 {
            let (first, before) = (try #require(pair.site.active.first), pair.site.deliveries.count)
            let next = pair.site.successor(of: first)
            pair.site.kill(next)
            pair.depart()
            pair.advance(by: 120, ["violin"])
            pair.site.dropQueue(of: next)
            pair.site.startMember(next)
            pair.advance(by: 60, ["violin"])
            pair.site.kill(first)
            pair.advance(by: 30, ["violin"])
            #expect(pair.deliveries(since: before) == ["\(first) shows"], "time \(time)")
            pair.comeBack()
            #expect(pair.deliveries(since: before) == ["\(first) shows", "\(next) removes"], "time \(time)")
            pair.site.startMember(first)
            pair.advance(by: 90, Self.all)
        }
    }

    /// - Parameter startsLater: whether the successor starts after the message.
    @Test(arguments: [false, true])
    func `the button of a message that the predecessor sent works with the successor, once, each time`(
        startsLater: Bool
    ) throws {
        var pair = Pair()
        for time in 1...2 {
            let (first, before) = (try #require(pair.site.active.first), pair.site.deliveries.count)
            let next = pair.site.successor(of: first)
            if startsLater { pair.site.kill(next) }
            pair.depart()
            pair.advance(by: 120, ["violin"])
            if startsLater {
                pair.site.dropQueue(of: next)
                pair.site.startMember(next)
                pair.advance(by: 60, ["violin"])
            }
            guard case .message(_, let token)? = pair.site.deliveries.last?.delivery.content else { return }
            pair.site.kill(first)
            pair.advance(by: 30, ["violin"])
            let request = #"{"token":"\#(token)"}"#
            #expect(pair.site.ask("people/acknowledge", request) == [#"\#(next): {"v":1,"ok":true}"#], "time \(time)")
            pair.advance(by: 5, ["violin"])
            #expect(pair.deliveries(since: before) == ["\(first) shows", "\(next) removes"], "time \(time)")
            #expect(pair.site.ask("people/acknowledge", request).first?.contains("There is no message") == true)
            pair.comeBack()
            pair.site.startMember(first)
            pair.advance(by: 90, Self.all)
        }
        #expect(!pair.site.retained.values.contains { String(decoding: $0, as: UTF8.self).contains("token") })
    }
}

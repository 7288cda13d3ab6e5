import Beacons
import Messages
import Testing

@testable import SiteCore

/// What the aggregator measures of the reception of tags, and how often it publishes that.
@Suite("The reception of an item's tag")
struct ReceptionTests {
    private static let topic = Topic.itemHealth(item: "laptop-bag")

    // MARK: The trend

    /// Daily means in tenths of a dBm around a level that changes like that, with a scatter of 1 dB.
    private static func days(_ count: Int, seed: UInt64 = 1, _ level: (Int) -> Double) -> [Int16?] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { day in
            let scatter = (0..<3).reduce(0.0) { sum, _ in sum + .random(in: -1...1, using: &random) }
            return Int16((level(day) + scatter) * 10)
        }
    }

    @Test(arguments: [-1, 1]) func `has a trend in dB a week while the RSSI changes day by day`(direction: Double)
        throws
    {
        for seed: UInt64 in 1...20 {
            var days = Self.days(14, seed: seed) { -60 + direction * 0.7 * Double($0) }
            #expect(abs(try #require(ReceptionMeter.trend(of: days)) - direction * 4.9) < 1.5)
            // Days without a mean count as days.
            (days[3], days[4]) = (nil, nil)
            #expect(abs(try #require(ReceptionMeter.trend(of: days)) - direction * 4.9) < 1.5)
        }
    }

    @Test func `has no trend by chance, in a few days, or of an item that got another place`() {
        for seed: UInt64 in 1...200 {
            #expect(ReceptionMeter.trend(of: Self.days(28, seed: seed) { _ in -60 }) == nil)
            #expect(ReceptionMeter.trend(of: Self.days(6, seed: seed) { -60 - 2 * Double($0) }) == nil)
            for day in [3, 7, 10] {
                for step in [-15.0, 15] {
                    let moved = Self.days(14, seed: seed) { $0 < day ? -60 : -60 + step }
                    #expect(ReceptionMeter.trend(of: moved) == nil, "moved on day \(day)")
                }
            }
        }
        #expect(ReceptionMeter.trend(of: []) == nil && ReceptionMeter.trend(of: [nil, nil]) == nil)
    }

    // MARK: The days

    /// A day at a gateway, of which `isNearest` the best one, a state every ten minutes.
    private static func day(
        _ day: Int64, _ meter: inout ReceptionMeter, at gateway: String = "hall", rssi: Double = -60,
        sightings: Int = 9,
        states: Int64 = 144, isSynchronised: Bool = true
    ) -> Int {
        (0..<states).count { number in
            let at = Instant.zero + .seconds(Double(day * 86_400 + number * 600))
            let state = RangedState(
                gateway: gateway, proximity: .near, rssi: rssi, sightings: sightings, addresses: 1, interval: 60,
                stamp: Stamp(at: TestSite.start, boot: Boot("17.kfqx")!, uptime: at), validFor: 700)
            return meter.note(state, of: "bag", from: gateway, day: day, isSynchronised: isSynchronised, at: at)
        }
    }

    @Test func `is due after the first hour and then once a day`() {
        var meter = ReceptionMeter(at: "hall", day: 1)
        #expect((Int64(1)...5).map { Self.day($0, &meter, rssi: -60 - Double($0)) } == [1, 1, 1, 1, 1])
        #expect(meter.reception.days == [-610, -620, -630, -640] && meter.reception.gateway == "hall")
        #expect(
            meter.reception.interval == 60 && meter.reception.sightingsPerHour.map { (53...55).contains($0) } == true)
    }

    @Test func `is due of many items over ten minutes after their first hour, not at once`() {
        var due: [Int: Int] = [:]
        for item in 0..<500 {
            var meter = ReceptionMeter(at: "hall", day: 1)
            for step in 0..<430 {
                let at = Instant.zero + .seconds(Double(step * 10))
                let state = RangedState(
                    gateway: "hall", proximity: .near, rssi: -60, sightings: 9, addresses: 1, interval: 1,
                    stamp: Stamp(at: TestSite.start, boot: Boot("17.kfqx")!, uptime: at), validFor: 25)
                if meter.note(state, of: "item-\(item)", from: "hall", day: 1, at: at) { due[step, default: 0] += 1 }
            }
        }
        #expect(due.values.reduce(0, +) == 500 && due.keys.allSatisfy { (360...420).contains($0) })
        // At once, it would be 500.
        #expect(due.values.max()! < 30, "\(due.values.max()!)")
    }

    @Test func `has no mean of a day with few sightings, nor of days without any, each time`() {
        var meter = ReceptionMeter(at: "hall", day: 0)
        for day: Int64 in [0, 1, 2, 3, 4, 5, 8, 9, 10] { _ = Self.day(day, &meter, sightings: day == 4 ? 0 : 9) }
        #expect(meter.reception.days == [-600, -600, -600, -600, nil, -600, nil, nil, -600, -600])
        for day: Int64 in 11...60 { _ = Self.day(day, &meter) }
        #expect(meter.reception.days.count == 28)
    }

    @Test func `begins anew at another gateway that the item is nearer to most days, the second time as well`() {
        var meter = ReceptionMeter(at: "hall", day: 0)
        var day: Int64 = 0
        for gateway in ["hall", "kitchen", "hall"] {
            for _ in 0..<5 {
                _ = Self.day(day, &meter, at: gateway)
                day += 1
            }
            for _ in 0..<7 where meter.reception.gateway != gateway {
                _ = Self.day(day, &meter, at: gateway)
                day += 1
            }
            #expect(meter.reception.gateway == gateway)
        }
    }

    @Test func `loses no day by a clock that is not set yet, the second time as well`() {
        var meter = ReceptionMeter(at: "hall", day: 20_000)
        for day: Int64 in 20_000...20_005 {
            _ = Self.day(0, &meter, states: 1, isSynchronised: false)
            _ = Self.day(day, &meter, isSynchronised: day % 2 == 0)
        }
        #expect(meter.reception.days == Array(repeating: -600, count: 5))
    }

    @Test func `survives numbers that no gateway sends`() {
        var meter = ReceptionMeter(at: "hall", day: 0)
        for day: Int64 in [0, 1, 100_000, 5] { _ = Self.day(day, &meter, sightings: 1 << 53) }
        #expect(meter.reception.days.count <= 28)
    }

    // MARK: Messages

    private static func receive(for seconds: Double, _ site: inout TestSite) {
        for turn in 0..<Int(seconds / 10) {
            if turn % 3 == 0 { site.heartbeat("kitchen", room: "Kitchen") }
            site.ranged(at: "kitchen", rssi: -60 - Double(turn % 7), interval: 1 + Double(turn % 3) / 10)
            site.advance(to: site.now + 10)
        }
    }

    private static func site(retained: [Message] = []) -> TestSite {
        var site = TestSite(retained: retained)
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        return site
    }

    private static func health(_ site: TestSite) throws -> [ItemHealth] {
        try site.published(on: topic).map { try ItemHealth(parsing: Array($0.utf8)) }
    }

    @Test func `is one message after the first hour, of a tag that reports nothing`() throws {
        var site = Self.site()
        Self.receive(for: 3500, &site)
        #expect(try Self.health(site).isEmpty)
        Self.receive(for: 1500, &site)
        let health = try Self.health(site)
        #expect(health.count == 1 && health[0].isLow == nil)
        #expect(health[0].reception.sightingsPerHour.map { (3200...3280).contains($0) } == true)
        #expect(health[0].reception.interval.map { (1...1.2).contains($0) } == true)
        #expect(health[0].reception.gateway == "kitchen" && health[0].reception.trend == nil)
    }

    @Test(arguments: [2, 6]) func `counts the time in which nobody receives the tag`(every turns: Int) throws {
        var site = Self.site()
        for turn in 0..<800 {
            if turn % 3 == 0 { site.heartbeat("kitchen", room: "Kitchen") }
            let isReceived = turn % turns == 0
            site.ranged(
                at: "kitchen", rssi: isReceived ? -60 : nil, proximity: isReceived ? .near : .unknown,
                sightings: isReceived ? 1 : 0)
            site.advance(to: site.now + 10)
        }
        let perHour = try #require(try Self.health(site).first?.reception.sightingsPerHour)
        #expect(abs(Double(perHour) - 360 / Double(turns)) <= 3)
    }

    @Test func `continues with the days that a former process has published, the second time as well`() throws {
        var days: [Int16?] = [-600, -610, -620, -630, -640, -650, -660]
        for round in 1...2 {
            let former = ItemHealth(
                item: "laptop-bag", readings: TagReadings(), isLow: nil,
                reception: .init(sightingsPerHour: 7, gateway: "kitchen", days: days),
                stamp: Stamp(at: TestSite.start - .seconds(86_400), boot: Boot("\(round).aggr")!, uptime: .zero))
            var site = Self.site(retained: [Message(Self.topic, former)])
            Self.receive(for: 900, &site)
            let health = try Self.health(site)
            // The rest of the day of the restart had no sightings.
            days = days + [nil]
            #expect(health.map(\.reception.days) == [days])
            #expect(health.first?.reception.trend.map { (-7.1 ... -6.9).contains($0) } == true)
            #expect(health.first?.reception.sightingsPerHour == 7, "this day has not had an hour yet")
        }
    }
}

import Beacons
import Testing

/// How many messages a house publishes.
struct FloodTests {
    @Test(arguments: [nil, 1000])
    func `50 items, 5 of them moving, and 8 gateways stay below 60 messages a second`(milliseconds: Int64?) throws {
        let interval = milliseconds.map { Interval.milliseconds($0) }
        var house = try BusySite(itemCount: 50, moving: 5, gateways: 8, interval: interval, seed: 1)
        // Everything is new at first.
        house.advance(by: 30)
        let before = house.messages
        house.advance(by: 60)
        let reported = house.messages.mapValues { Double($0) }.merging(
            before.mapValues { -Double($0) }, uniquingKeysWith: +)
        let rate = reported.values.reduce(0, +) / 60
        #expect(rate < 60, "\(rate) a second: \(reported.mapValues { $0 / 60 })")
        #expect(rate > 5, "they say something")
    }
}

import Beacons
import Testing

@testable import Locating

@Suite struct TagPowerTests {
    @Test func `the power of a tag is what its beacon claims before the tag was received`() {
        let unknown = TagPower().expectation(claimed: 0)
        #expect(unknown.offset == -14)
        #expect(unknown.variance > 100)
        #expect(TagPower().expectation(claimed: -8).offset == -22)
    }

    @Test func `the power of a tag is learned within a minute, and not from one observation`() {
        var power = TagPower()
        power.add(-24, seconds: 1)
        #expect(power.expectation(claimed: 0).offset > -18)
        for _ in 0..<60 { power.add(-24, seconds: 1) }
        let learned = power.expectation(claimed: 0)
        #expect(abs(learned.offset + 24) < 1)
        #expect(learned.variance < 30)
        for _ in 0..<3600 { power.add(-24, seconds: 1) }
        #expect(power.expectation(claimed: 0).variance > 25, "a body stays between tag and gateway")
    }

    /// One gateway receives an item first beside the gateway, and then less.
    private func roomAfter(faint rssi: Double, power: Double) -> String? {
        let row = Row(rooms: 3)
        let model = LocatorModel(site: row.plan)
        var locator = Locator(model: model)
        var now = Instant.zero
        for second in 0..<150 {
            now = .zero + .seconds(Double(second))
            // At first all gateways receive the item, which is beside gateway 0.
            guard second < 120 else {
                locator.report(gateway: 0, rssi: rssi + power, at: now)
                continue
            }
            for gateway in 0..<3 {
                let waver = Double(second / 10 % 2) * 8
                locator.report(gateway: gateway, rssi: power + waver - 48 - 13 * Double(gateway), at: now)
            }
        }
        return locator.estimate(at: now).room
    }

    @Test func `an item that one gateway receives weakly is far away, unless its tag is weak`() {
        #expect(roomAfter(faint: -48, power: 0) == "room 0")
        #expect(roomAfter(faint: -48, power: -12) == "room 0")
        #expect(roomAfter(faint: -84, power: 0) != "room 0")
    }
}

import Beacons
import Testing

@testable import Locating

/// What the belief makes of messages rather than of sightings: a mean when it moved, and else every ten seconds.
@Suite struct LiveTests {
    @Test func `a gateway that repeats its message every ten seconds counts all the time`() {
        let model = LocatorModel(site: Row(rooms: 3).site)
        var locator = Locator(model: model)
        var confidences: [Double] = []
        for second in 0..<300 {
            let now = Instant(milliseconds: Int64(second) * 1000)
            // Each gateway's message comes in a second of its own.
            for (gateway, rssi) in [(0, -62.0), (1, -51.0), (2, -64.0)] where second % 10 == gateway * 3 {
                locator.report(gateway: gateway, rssi: rssi, at: now, holds: Locator.messageHolds)
            }
            let estimate = locator.estimate(at: now)
            if second > 30 {
                #expect(estimate.room == "room 1")
                confidences.append(estimate.confidence)
            }
        }
        #expect(confidences.min()! > 0.8)
    }

    @Test func `a message with another RSSI moves the item within seconds`() {
        let model = LocatorModel(site: Row(rooms: 2).site)
        var locator = Locator(model: model)
        for second in 0..<60 where second % 10 == 0 {
            let now = Instant(milliseconds: Int64(second) * 1000)
            locator.report(gateway: 0, rssi: -50, at: now, holds: Locator.messageHolds)
            locator.report(gateway: 1, rssi: -62, at: now, holds: Locator.messageHolds)
        }
        #expect(locator.estimate(at: Instant(milliseconds: 60_000)).room == "room 0")
        locator.report(gateway: 0, rssi: -63, at: Instant(milliseconds: 61_000), holds: Locator.messageHolds)
        locator.report(gateway: 1, rssi: -51, at: Instant(milliseconds: 61_000), holds: Locator.messageHolds)
        #expect(locator.estimate(at: Instant(milliseconds: 66_000)).room == "room 1")
    }

    @Test func `a year of silence is no more work than a minute`() {
        var row = Row(rooms: 3)
        var locator = Locator(model: LocatorModel(site: row.plan))
        for gateway in 0..<3 { locator.report(gateway: gateway, rssi: row.rssi(gateway, from: 1), at: .zero) }
        let year = Instant.zero + .seconds(365 * 86_400)
        let shares = locator.estimate(at: year).rooms.map(\.confidence)
        #expect(shares.max()! < 0.6)
        #expect(abs(shares.reduce(0, +) - 1) < 1e-9)
    }

    @Test func `a history survives as text`() {
        var row = Row(rooms: 3)
        let history = row.recording([(0, 20), (1, 20)]).histories(site: row.site)[0]
        let read = RSSIHistory(text: history.text)
        #expect(read.gateways == history.gateways)
        #expect(read.samples.map(\.at) == history.samples.map(\.at))
        #expect(read.text == history.text)
    }

    @Test(arguments: ["", "\n", "a,b\nrubbish\n", "a\n9223372036854775807,-500\n", "a\n0,-99999\n", "a\n0,1,2\n"])
    func `a damaged history is what can be read of it`(text: String) {
        #expect(RSSIHistory(text: text).samples.isEmpty)
    }
}

import Beacons
import Testing

@testable import Locating

/// Files of numbers that no recording has.
@Suite struct HostileFileTests {
    @Test(arguments: [Int64.min, .min + 1, .max, 4_000_000_000_001, -4_000_000_000_001])
    func `a time beyond every recording is refused with its line, in sightings and in truth`(milliseconds: Int64) {
        let sightings = #expect(throws: MalformedRow.self) {
            try Recording(csv: "0,a,bag,-60\n\(milliseconds),a,bag,-60")
        }
        #expect(sightings?.line == 2)
        let truth = #expect(throws: MalformedRow.self) { try Truth(csv: "0,bag,Hall\n\(milliseconds),bag,Hall") }
        #expect(truth?.line == 2)
    }

    @Test func `rows that are further apart than 31 days are refused, and both lines are named`() throws {
        let month: Int64 = 31 * 86_400_000
        for (first, second) in [(-4_000_000_000_000, 4_000_000_000_000), (0, month + 1), (month + 1, 0)] {
            let text = "t_ms,gateway,beacon,rssi\n\(first),a,bag,-60\n\(second),a,bag,127\n"
            let refusal = #expect(throws: MalformedRow.self) { try Recording(csv: text) }
            #expect(refusal?.line == 3 && refusal?.reason.contains("line 2") == true, "\(String(describing: refusal))")
        }
        #expect(try Recording(csv: "0,a,bag,-60\n\(month),a,bag,-60").rows.count == 2)
    }

    @Test func `a past whose times are beyond every clock is left out, and what remains can be learned from`() {
        let times = [Int64.min, .min + 1, -4_000_000_000_000, 0, 4_000_000_000_000, .max]
        let text = "item bag\nkitchen,hall\n" + times.map { "\($0),-600,-700\n" }.joined() + "\n"
        let model = LocatorModel(site: Row(rooms: 2).site)
        for end in [Instant.zero, Instant(nanoseconds: 1 << 60)] {
            var past = TrainingHistory(text: text, endingAt: end)
            #expect(past.count == 3 && past.all.map(\.seconds) == [2])
            var locator = Locator(model: model)
            locator.report(gateway: 0, rssi: -50, at: end + .seconds(1))
            past.add(locator, of: "bag", at: end + .seconds(1))
            #expect(past.text.contains("item bag"))
            _ = Learned.learn(site: Row(rooms: 2).site, from: past.all)
        }
    }
}

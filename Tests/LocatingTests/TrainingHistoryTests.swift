import Beacons
import Testing

@testable import Locating

/// What is stored to learn from.
@Suite struct TrainingHistoryTests {
    private let model = LocatorModel(site: Row(rooms: 2).site)

    private func locator(_ rssiValues: [Double?], at now: Instant, scanning: [Int] = [0, 1]) -> Locator {
        var locator = Locator(model: model)
        for gateway in scanning { locator.scans(gateway: gateway, since: .zero) }
        for (gateway, rssi) in rssiValues.enumerated() {
            if let rssi { locator.report(gateway: gateway, rssi: rssi, at: now) }
        }
        return locator
    }

    private func second(_ count: Int) -> Instant { Instant(milliseconds: Int64(count) * 1000) }

    @Test func `a still item adds a sample every eight seconds, a moving item every second`() {
        var past = TrainingHistory()
        for count in 0..<80 { past.add(locator([-50, -60], at: second(count)), of: "bag", at: second(count)) }
        #expect(past.count == 10)
        for count in 80..<90 {
            past.add(locator([-50 - 5 * Double(count % 2), -60], at: second(count)), of: "bag", at: second(count))
        }
        #expect((19...20).contains(past.count))
    }

    @Test func `an item that no gateway receives adds no sample`() {
        var past = TrainingHistory()
        past.add(locator([nil, nil], at: .zero), of: "bag", at: .zero)
        #expect(past.count == 0 && past.all.isEmpty)
    }

    @Test func `the history is bounded, and the item with most observations makes room`() {
        var past = TrainingHistory()
        let steady = locator([-50, -60], at: .zero)
        past.add(steady, of: "rare", at: .zero)
        for count in 0..<TrainingHistory.limit + 5000 {
            let now = second(count)
            past.add(locator([count % 2 == 0 ? -50 : -70, -60], at: now), of: "bag", at: now)
        }
        #expect(past.count <= TrainingHistory.limit)
        #expect(past.count == past.all.reduce(0) { $0 + $1.count })
        #expect(past.all.map(\.count).contains(1))
        #expect(past.added == TrainingHistory.limit + 5001)
        for count in 0..<2000 {
            past.add(locator([-50, -60], at: second(count)), of: "item \(count)", at: second(count))
        }
        #expect(past.all.count == 500)
    }

    @Test func `a training history survives as text, and ends at the given moment`() {
        var past = TrainingHistory()
        for count in 0..<40 {
            let now = second(count)
            past.add(locator([-50 - 4 * Double(count % 2), nil], at: now, scanning: [0]), of: "bag", at: now)
            past.add(locator([nil, -61.5], at: now), of: "cat", at: now)
        }
        let read = TrainingHistory(text: past.text, endingAt: second(-60))
        #expect(read.count == past.count)
        #expect(read.all.map(\.gateways) == past.all.map(\.gateways))
        for (one, other) in zip(read.all, past.all) {
            #expect(one.samples.last?.at == second(-60))
            #expect(one.samples.map { "\($0.rssiValues)" } == other.samples.map { "\($0.rssiValues)" })
        }
        // A gateway that did not scan differs from one that did not receive the item.
        #expect(past.all[0].samples[0].rssiValues[1].isInfinite && past.all[1].samples[0].rssiValues[0].isNaN)
    }

    @Test(arguments: ["", "item bag\n", "rubbish\n\n\n", "item bag\na,b\nx\n\n", "item \n\nitem a\n\u{0}"])
    func `the readable part of a damaged text is restored`(text: String) {
        #expect(TrainingHistory(text: text, endingAt: .zero).count == 0)
    }

    @Test func `of a text with damage in its middle, all other samples are read, and the damage is counted`() {
        var past = TrainingHistory()
        for number in 0..<40 {
            let now = second(number * 9)
            past.add(locator([Double(-50 - number % 7), -60], at: now), of: number % 2 == 0 ? "bag" : "cat", at: now)
        }
        let lines = past.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(past.lineCount == 46 && TrainingHistory(text: past.text, endingAt: .zero).lineCount == 46)
        // A sample of the first item, two of the second one, and the blank line between them.
        for (damaged, lost) in [([5], 1), ([30, 31], 2), ([23], 0), ([2, 5, 23], 1)] {
            var lines = lines
            for line in damaged { lines[line] = "\u{fffd}#" }
            let text = lines.joined(separator: "\n")
            let read = TrainingHistory(text: text, endingAt: .zero)
            #expect(read.count == 40 - lost, "\(damaged)")
            #expect(text.split(separator: "\n").count - read.lineCount == damaged.count, "\(damaged)")
        }
    }

    @Test func `a gateway that the site has not yet, as after a restart, keeps its past, each time`() {
        var past = TrainingHistory()
        past.add(locator([-50, -60], at: .zero), of: "bag", at: .zero)
        for time in 1...2 {
            var other = Locator(model: LocatorModel(site: Site(gateways: [Site.Gateway(id: "g1", room: "room 1")])))
            other.report(gateway: 0, rssi: -70 - Double(time), at: second(20 * time))
            past.add(other, of: "bag", at: second(20 * time))
            past = TrainingHistory(text: past.text, endingAt: second(20 * time))
            past.add(locator([-51, -61], at: second(20 * time + 9)), of: "bag", at: second(20 * time + 9))
            let history = past.all[0]
            #expect(Set(history.gateways) == ["g0", "g1"])
            let columns = ["g0", "g1"].map { history.gateways.firstIndex(of: $0)! }
            let rssiValues = history.samples.map { sample in columns.map { sample.rssiValues[$0] } }
            #expect(rssiValues[0] == [-50, -60] && rssiValues[2 * time - 1] == [.infinity, -70 - Float(time)])
            #expect(rssiValues[2 * time] == [-51, -61])
        }
    }

    @Test
    func `a corrected receiver offset corrects the past too, each time, and a file without offsets has the present`() {
        var past = TrainingHistory()
        past.add(locator([-50, -60], at: .zero), of: "bag", at: .zero)
        let earlier = past.text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("offset,") }.joined(separator: "\n")
        var site = model.site
        func rssiValues(_ past: TrainingHistory) -> [Float] { past.all.flatMap { $0.samples[0].rssiValues } }
        for offset in [6.5, -3] {
            site.gateways[1].rssiOffset = offset
            past = TrainingHistory(text: past.text, endingAt: .zero)
            past.follow(offsetsOf: LocatorModel(site: site))
            #expect(rssiValues(past) == [-50, -60 + Float(offset)])
            var locator = Locator(model: LocatorModel(site: site))
            for gateway in 0..<2 { locator.report(gateway: gateway, rssi: -70, at: second(20)) }
            past.add(locator, of: "bag", at: second(20))
            #expect(past.all[0].samples.last?.rssiValues == [-70, -70 + Float(offset)])
            // After a restart a learned offset is not known for a while.
            past = TrainingHistory(text: past.text, endingAt: .zero)
            past.follow(offsetsOf: model)
            #expect(rssiValues(past) == [-50, -60])
        }
        var read = TrainingHistory(text: earlier, endingAt: .zero)
        for offset in [6.5, 7.5] {
            site.gateways[1].rssiOffset = offset
            read.follow(offsetsOf: LocatorModel(site: site))
            #expect(rssiValues(read) == [-50, -66.5 + Float(offset)])
        }
    }

    @Test func `a gateway that hangs elsewhere now takes its past with it`() {
        var past = TrainingHistory()
        past.add(locator([-50, -60], at: .zero), of: "bag", at: .zero)
        past.forget(gateway: "g1")
        #expect(past.all[0].samples[0].rssiValues[0] == -50 && past.all[0].samples[0].rssiValues[1].isInfinite)
    }

    @Test func `a gateway's downtime is not learned as silence`() throws {
        var row = Row(rooms: 3)
        let stays = [(0, 60), (1, 60), (2, 60), (1, 60)].map { (room: $0.0, seconds: $0.1) }
        let site = row.site
        // All of the past, the gateway of room 2 was dead.
        let lived = (0..<3).flatMap { _ in
            row.recording(stays).histories(site: site).map { history in
                var history = history
                history.forget(gateway: "g2")
                return history
            }
        }
        let learned = try #require(Learned.learn(site: site, from: lived))
        let now = row.recording([(2, 60)])
        #expect(Set(replayed(LocatorModel(site: site, learned: learned), now).dropFirst(5).map(\.room)) == ["room 2"])
    }
}

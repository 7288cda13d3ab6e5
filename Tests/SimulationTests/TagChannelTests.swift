import Beacons
import Simulation
import SimulationTestSupport
import Testing

struct TagChannelTests {
    /// What was received in so many seconds, and for how long the tag was there.
    private struct Tally {
        var received: [(at: Double, dBm: Double)] = []
        var present = 0.0
        var absences: [Double] = []

        init(_ conditions: TagChannel.Conditions, seed: UInt64 = 1, seconds: Double) {
            var channel = TagChannel(conditions, seed: seed)
            var (since, left) = (Double?.some(0), 0.0)
            var last = Instant.zero
            while last < .zero + .seconds(seconds) {
                switch channel.next() {
                case .received(let rssi, let at):
                    #expect(at >= last && since != nil && channel.isPresent)
                    received.append(((at - .zero).seconds, Double(rssi.dBm)))
                    last = at
                case .left(let at):
                    #expect(at >= last && since != nil && !channel.isPresent)
                    last = at
                    left = (at - .zero).seconds
                    present += left - (since ?? left)
                    since = nil
                case .returned(let at):
                    #expect(at > last && since == nil && channel.isPresent)
                    last = at
                    since = (at - .zero).seconds
                    absences.append((at - .zero).seconds - left)
                }
            }
            if let since { present += seconds - since }
        }

        /// Which part of the advertisements sent in its presence came through, if they are `interval` apart.
        func reception(interval: Double) -> Double { Double(received.count) * interval / present }

        var gaps: [Double] { zip(received, received.dropFirst()).map { $1.at - $0.at } }
    }

    @Test(arguments: [0.1, 1, 5], [0.3, 0.6, 0.9])
    func `independent losses leave their share, and gaps of whole intervals`(interval: Double, share: Double) {
        let conditions = TagChannel.Conditions(interval: .seconds(interval), reception: share)
        let tally = Tally(conditions, seconds: interval * 5000)
        #expect(abs(tally.reception(interval: interval + 0.005) - share) < 0.03)
        // Of the gaps, `share` is one interval, and so on: geometric.
        let shortest = tally.gaps.count { $0 < interval + 0.0101 }
        #expect(abs(Double(shortest) / Double(tally.gaps.count) - share) < 0.04)
        #expect(tally.gaps.allSatisfy { $0 >= interval - 1e-9 })
        for gap in tally.gaps {
            let events = (gap / (interval + 0.01)).rounded(.up)
            #expect(gap >= events * interval - 1e-9 || gap > 16 * interval)
        }
    }

    @Test func `odds that are reckoned anew every second stay what they are`() {
        var conditions = TagChannel.Conditions(interval: .seconds(1), reception: 0.9)
        conditions.drift = TagChannel.Drift(depth: 0, time: .seconds(16))
        #expect(abs(Tally(conditions, seconds: 5000).reception(interval: 1.005) - 0.9) < 0.02)
    }

    @Test func `all received is one gap after the other`() {
        let tally = Tally(TagChannel.Conditions(interval: .seconds(1), reception: 1), seconds: 1000)
        #expect(tally.gaps.allSatisfy { $0 >= 1 && $0 <= 1.01 })
    }

    @Test func `nothing received is only comings and goings`() {
        var conditions = TagChannel.Conditions(interval: .seconds(10), reception: 0)
        conditions.absences = .perDay(6, length: .seconds(600)...(.seconds(3600)))
        let tally = Tally(conditions, seconds: 30 * 86_400)
        #expect(tally.received.isEmpty)
        #expect((140...220).contains(tally.absences.count))
        #expect(tally.absences.allSatisfy { $0 >= 600 && $0 <= 3600 })
    }

    @Test(arguments: [5.0, 30]) func `bursts take their share, together`(length: Double) {
        var conditions = TagChannel.Conditions(interval: .milliseconds(100), reception: 0.6)
        conditions.bursts = Bursts(share: 0.1, meanLength: .seconds(length), loss: 1)
        let tally = Tally(conditions, seconds: 2500 * length / 5)
        #expect(abs(tally.reception(interval: 0.105) - 0.6 * 0.9) < 0.03)
        // Gaps as long as half a burst: one per burst at most, as independent losses leave none; e^-0.5 of all bursts.
        let bursts = tally.present * 0.1 / length
        let long = Double(tally.gaps.count { $0 > length / 2 + 0.2 })
        #expect(abs(long / bursts - 0.6) < 0.25)
    }

    @Test func `a body makes it fainter and rarer`() {
        var conditions = TagChannel.Conditions(interval: .milliseconds(100), reception: 0.9)
        conditions.body = TagChannel.Interruption(pause: .seconds(60), length: .seconds(60)...(.seconds(60)))
        let tally = Tally(conditions, seconds: 10_000)
        let faint = tally.received.count { $0.dBm < -90 }
        #expect(abs(tally.reception(interval: 0.105) - 0.9 * 0.525) < 0.06)
        #expect((0.02...0.12).contains(Double(faint) / Double(tally.received.count)))
    }

    @Test func `reception drifts between its bounds, slowly`() {
        var conditions = TagChannel.Conditions(interval: .milliseconds(100), reception: 0.9)
        conditions.drift = TagChannel.Drift(depth: 0.8, time: .seconds(600))
        let tally = Tally(conditions, seconds: 18_000)
        var minutes = [Double](repeating: 0, count: 300)
        for row in tally.received where row.at < 18_000 { minutes[Int(row.at / 60)] += 0.105 / 60 }
        #expect(minutes.min()! > 0.14 && minutes.min()! < 0.35)
        #expect(minutes.max()! < 0.95 && minutes.max()! > 0.75)
        let steps = zip(minutes, minutes.dropFirst()).map { abs($1 - $0) }
        #expect(steps.max()! < 0.3)
        #expect(abs(minutes.reduce(0, +) / 300 - 0.54) < 0.13)
    }

    @Test func `scan window and interval can beat`() {
        var conditions = TagChannel.Conditions(interval: .seconds(5), reception: 1)
        conditions.scan = ScanDuty(window: .milliseconds(512), interval: .milliseconds(5120))
        let tally = Tally(conditions, seconds: 86_400)
        #expect(abs(tally.reception(interval: 5.005) - 0.1) < 0.03)
        // 115 ms earlier each time: 4 or 5 in a window, then none for more than three minutes.
        #expect(tally.gaps.max()! > 150)
    }

    @Test func `a seed is one stream`() {
        var conditions = TagChannel.Conditions(interval: .seconds(1), reception: 0.6)
        conditions.bursts = Bursts(every: .seconds(60), lasting: .seconds(5))
        conditions.body = TagChannel.Interruption(pause: .seconds(600), length: .seconds(10)...(.seconds(60)))
        conditions.absences = .perDay(100, length: .seconds(100)...(.seconds(600)))
        var (first, second, other) = (
            TagChannel(conditions, seed: 1), TagChannel(conditions, seed: 1), TagChannel(conditions, seed: 2)
        )
        let events = (0..<2000).map { _ in first.next() }
        #expect(events == (0..<2000).map { _ in second.next() })
        #expect(events != (0..<2000).map { _ in other.next() })
    }
}

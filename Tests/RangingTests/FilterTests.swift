import Beacons
import Glibc
import Testing

@testable import Ranging

struct FilterTests {
    /// The RSSI behind the distances that a ranger reports with this filter, window by window.
    private func levels(_ filter: Filter, _ rssi: [Int8], every seconds: Double = 1) -> [Double] {
        var ranger = ranger(filter: filter, pathLoss: .logDistance(exponent: 10))
        return ranger.ranged(bag(received: rssi, every: seconds)).compactMap(\.accuracyMetres).map {
            ((-59 - 100 * log10($0)) * 1000).rounded() / 1000
        }
    }

    @Test func `without a filter each window's mean is the level`() {
        #expect(levels(.none, [-60, -70, -62]) == [-60, -70, -62])
        #expect(levels(.none, [-60, -70, -62, -64], every: 0.5) == [-65, -63])
    }

    @Test func `the median of a few seconds does not move for a single absurd value`() {
        let reported = levels(.median(window: .seconds(5)), [-60, -61, -60, -20, -61, -60, -127, -60])
        #expect(reported.allSatisfy { (-61 ... -60).contains($0) })
    }

    @Test func `the median is that of its window, and of two in the middle the mean`() {
        #expect(levels(.median(window: .seconds(2)), [-60, -70]) == [-60, -65])
        let reported = levels(.median(window: .seconds(3)), Array(repeating: -60, count: 9) + [-80, -80, -80, -80])
        #expect(reported.suffix(4) == [-60, -80, -80, -80])
    }

    @Test func `of more than sixty-four values in its window the median is that of the newest`() {
        let reported = levels(
            .median(window: .seconds(60)), Array(repeating: -60, count: 500) + Array(repeating: -80, count: 64),
            every: 0.05)
        #expect(reported.dropLast(4).allSatisfy { $0 == -60 })
        #expect(reported.last == -80)
    }

    @Test func `a Kalman filter moves by a little for a single absurd value, and follows a level that stays`() {
        let still = Array(repeating: Int8(-60), count: 60)
        let disturbed = levels(.standard, still + [-127] + still)
        #expect(disturbed.min()! > -66)
        #expect(disturbed.last! > -60.1)
        let moved = levels(.standard, still + Array(repeating: -80, count: 30))
        #expect(moved[60] > -66)
        #expect(moved.last! < -79)
    }

    @Test func `a Kalman filter is steadier with more noise and less drift in its settings`() {
        func swing(_ filter: Filter) -> Double {
            var seeded = SplitMix64(seed: 7)
            let reported = levels(filter, (0..<400).map { _ in Int8.random(in: -70 ... -50, using: &seeded) }).suffix(
                300)
            return reported.max()! - reported.min()!
        }
        let standard = swing(.standard)
        #expect(swing(.kalman(drift: 2, noise: 300)) < standard / 1.5)
        #expect(swing(.kalman(drift: 20, noise: 30)) > standard * 1.3)
        #expect(swing(.none) > standard * 1.5)
    }

    @Test func `a ring of samples survives the wrap of its milliseconds`() {
        var ring = SampleRing()
        let wrap = Int64(1) << 32
        for (at, level) in [(wrap - 3000, -90), (wrap - 900, -60), (wrap - 400, -62), (wrap + 100, -64)] {
            ring.append(RSSI(dBm: Int8(level))!, from: 0, at: Instant(milliseconds: at))
        }
        #expect(ring.median(of: nil, within: .seconds(1), at: Instant(milliseconds: wrap + 100)) == -62)
        #expect(ring.median(of: 1, within: .seconds(1), at: Instant(milliseconds: wrap + 100)) == nil)
    }
}

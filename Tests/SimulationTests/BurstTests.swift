import Beacons
import Testing

@testable import Simulation
import SimulationTestSupport

struct BurstTests {
    @Test(arguments: [5.0, 30.0]) func `bad states of Gilbert and Elliott have their share and length`(seconds: Double)
    {
        let bursts = Bursts(share: 0.1, meanLength: .seconds(seconds), loss: 0.95)
        var process = GilbertElliott(bursts, seed: 1)
        var (bad, good) = ([Double](), [Double]())
        var start = Instant.zero
        for _ in 0..<20_000 {
            let length = (process.end - start).seconds
            if process.isBad { bad.append(length) } else { good.append(length) }
            start = process.end
            process.advance()
        }
        let (sumBad, sumGood) = (bad.reduce(0, +), good.reduce(0, +))
        #expect(abs(sumBad / (sumBad + sumGood) - 0.1) < 0.005)
        #expect(abs(sumBad / Double(bad.count) / seconds - 1) < 0.04)
        // Exponential: one in e is longer than the mean.
        #expect(abs(Double(bad.count { $0 > seconds }) / Double(bad.count) - 0.368) < 0.02)
    }

    @Test func `bursts begin in the bad state as often as they are in it`() {
        let bursts = Bursts(share: 0.25, meanLength: .seconds(5), loss: 1)
        let bad = (0..<4000).count { GilbertElliott(bursts, seed: $0).isBad }
        #expect(abs(Double(bad) / 4000 - 0.25) < 0.03)
    }

    @Test func `bursts can be given by their period`() {
        let bursts = Bursts(every: .seconds(60), lasting: .seconds(6))
        #expect(abs(bursts.share - 0.1) < 1e-12)
        #expect(abs(bursts.meanPause.seconds - 54) < 1e-6)
    }

    @Test func `bursts without a past have the same share and length`() {
        let bursts = Bursts(share: 0.1, meanLength: .seconds(5), loss: 0.95)
        let clock = BurstClock(bursts, seed: Seed(3))
        let step = Interval.milliseconds(200)
        var (bad, changes) = (0, 0)
        var last = false
        let count = 300_000
        for index in 0..<count {
            let isBad = clock.isBad(at: .zero + Interval(nanoseconds: Int64(index) * step.nanoseconds))
            if isBad { bad += 1 }
            if isBad, !last { changes += 1 }
            last = isBad
        }
        #expect(abs(Double(bad) / Double(count) - 0.1) < 0.012)
        let mean = Double(bad) * step.seconds / Double(changes)
        #expect(abs(mean / 5 - 1) < 0.1)
    }
}

import Beacons
import Glibc
import Testing

@testable import Ranging

struct SilenceModelTests {
    /// The silence that a model requires, in seconds and without floor and ceiling, after so many hours of scanning a tag of this interval.
    private func required(
        every interval: Double, share: Double, hours: Double = 4, perDay: Double = 0.05,
        bursts: (every: Double, lasting: Double)? = nil
    ) -> Double {
        learned(every: interval, share: share, hours: hours, perDay: perDay, bursts: bursts).estimate
    }

    private func learned(
        every interval: Double, share: Double, hours: Double = 4, perDay: Double = 0.05,
        bursts: (every: Double, lasting: Double)? = nil
    ) -> SilenceModel {
        var model = SilenceModel(falseExitsPerDay: perDay)
        var seeded = SplitMix64(seed: 1)
        var (time, last, burstEnd) = (0.0, 0.0, 0.0)
        var burst = bursts?.every ?? .infinity
        while time < hours * 3600 {
            time += interval + Double.random(in: 0...0.01, using: &seeded)
            if let bursts, time > burst {
                burstEnd = burst - bursts.lasting * log(Double.random(in: 1e-9...1, using: &seeded))
                burst = burstEnd + bursts.every
            }
            guard time > burstEnd, Double.random(in: 0...1, using: &seeded) < share else { continue }
            model.learn(.seconds(time - last))
            last = time
        }
        return model
    }

    @Test func `two minutes are required of a beacon of which nothing is known`() {
        #expect(SilenceModel(falseExitsPerDay: 0.05).requiredSilence == .seconds(120))
    }

    @Test func `the longer a regular beacon is received, the shorter is its wait`() {
        let minutes = [3.0, 10, 30, 60, 180, 600].map { required(every: 1, share: 0.9, hours: $0 / 60) }
        #expect(minutes[0] < 120 && minutes[0] > 80)
        #expect(minutes[2] < 70 && minutes[4] < 30 && minutes[5] < 20)
        #expect(zip(minutes, minutes.dropFirst()).allSatisfy { $0 > $1 }, "\(minutes)")
    }

    // Where each advertisement is lost by itself, the least that any rule could require: in seconds, by interval and share.
    @Test(arguments: [
        (0.1, 0.3, 4.6), (0.1, 0.9, 0.8), (1, 0.3, 37), (1, 0.6, 16), (1, 0.9, 7), (5, 0.3, 165), (5, 0.9, 30),
    ])
    func `a beacon is waited for not much longer than the least there is`(
        interval: Double, share: Double, least: Double
    ) {
        let required = required(every: interval, share: share, hours: interval < 1 ? 3.1 : 7)
        #expect(required > least && required < max(11, 2.2 * least))
    }

    @Test func `where losses come in bursts, the wait is that for the bursts`() {
        let alone = required(every: 0.1, share: 0.6)
        let bursts = required(every: 0.1, share: 0.6, bursts: (every: 55, lasting: 5))
        #expect(alone < 11)
        #expect(bursts > 20 && bursts < 80)
    }

    @Test(arguments: [(0.1, 0.9), (1, 0.3), (1, 0.9), (5, 0.6)])
    func `a silence is the rarer the longer it lasts, and as rare as false exits may be when it is as long as required`(
        interval: Double, share: Double
    ) throws {
        let model = learned(every: interval, share: share)
        let rates = try stride(from: 0.2, through: 1, by: 0.2).map {
            try #require(model.silencesPerDay(after: model.requiredSilence * $0))
        }
        #expect(zip(rates, rates.dropFirst()).allSatisfy { $0 > $1 }, "\(rates)")
        #expect(rates.last! <= 0.05 && rates.last! > 0.001)
        #expect(rates[0] > 50)
    }

    @Test func `how rare a silence is remains unknown while nothing was learned`() {
        #expect(SilenceModel(falseExitsPerDay: 0.05).silencesPerDay(after: .seconds(60)) == nil)
    }

    @Test func `fewer false exits take a longer wait`() {
        let (often, seldom) = (
            required(every: 1, share: 0.6, perDay: 5), required(every: 1, share: 0.6, perDay: 0.0005)
        )
        #expect(often < seldom - 6)
    }

    @Test func `no silence shorter than eleven seconds is required, and none longer than fifteen minutes`() {
        let fast = learned(every: 0.1, share: 0.9)
        #expect(fast.estimate < 11 && fast.requiredSilence >= .seconds(11) && fast.requiredSilence < .seconds(11.2))
        let slow = learned(every: 60, share: 0.3, hours: 24)
        #expect(slow.estimate > 900 && slow.requiredSilence <= .seconds(900))
        #expect(slow.requiredSilence > .seconds(830))
    }

    @Test func `a tag whose bursts are so long apart that only one fits in fifteen minutes is waited for so long`() {
        var model = SilenceModel(falseExitsPerDay: 0.05)
        for _ in 0..<60 { for gap in [1.0, 1, 848] { model.learn(.seconds(gap)) } }
        #expect(abs(model.interval - 850) < 1)
        #expect(model.requiredSilence == .seconds(900))
    }

    /// A tag that is not yet known, one that is learned, and one whose silence is the least or the most.
    @Test(arguments: [0.5, 1, 2, 5, 10, 30, 60], [0.02, 1, 24])
    func `a silence ends half an interval after an advertisement was due, never right before one`(
        interval: Double, hours: Double
    ) {
        for share in [0.3, 0.9] {
            let model = learned(every: interval, share: share, hours: hours)
            guard model.interval > 0 else { continue }
            let intervals = model.requiredSilence.seconds / model.interval
            #expect(
                abs(intervals - intervals.rounded(.down) - 0.5) < 0.01, "\(model.requiredSilence) \(model.interval)")
        }
    }

    @Test func `a tag that sends once a minute is learned, too`() {
        let model = learned(every: 60, share: 0.9, hours: 24)
        #expect(model.interval > 59 && model.interval < 61)
        #expect(model.estimate > 180)
    }

    @Test func `an absence is not learned, and hours of them change nothing`() {
        var model = learned(every: 1, share: 0.6)
        let before = model.estimate
        for _ in 0..<50 {
            model.learn(.seconds(3600))
            for _ in 0..<20 { model.learn(.seconds(1)) }
        }
        #expect(model.estimate < 1.2 * before)
    }

    @Test func `a silence of ninety seconds without fading counts as a loss, one of three minutes as an absence`() {
        // Once every ten minutes it is silent for 90 s, from the first hour on, when two minutes are still required.
        var model = SilenceModel(falseExitsPerDay: 0.05)
        for _ in 0..<100 {
            for _ in 0..<510 { model.learn(.seconds(1)) }
            model.learn(.seconds(90))
        }
        #expect(model.estimate > 90)
        let before = model.estimate
        for _ in 0..<100 {
            for _ in 0..<510 { model.learn(.seconds(1)) }
            model.learn(.seconds(max(190, before + 1)))
        }
        #expect(model.estimate <= before)
    }

    @Test func `a beacon that fades again and again is at the edge of the range, and its silences there are losses`() {
        var model = learned(every: 5, share: 0.9)
        var seeded = SplitMix64(seed: 3)
        for stay in 1...2 {
            for _ in 1...70 {
                let missed = (log(Double.random(in: 1e-9...1, using: &seeded)) / log(0.9)).rounded(.down)
                model.learn(.seconds(5 * (missed + 1)), isFaded: true)
            }
            #expect(model.requiredSilence > .seconds(200), "after stay \(stay)")
        }
    }

    @Test func `a minute's body in the way is not forgotten when it has passed`() {
        // What arrived recently does not change how much a body was seen to take: a memory of minutes does not follow it.
        let model = learned(every: 1, share: 0.9, hours: 24, bursts: (every: 1740, lasting: 20))
        #expect(model.estimate > 60)
    }

    @Test func `a silence of more than three minutes counts as an absence, though no exit was published`() {
        // A tag of 5 s is waited for five minutes at first.
        var model = SilenceModel(falseExitsPerDay: 0.05)
        for _ in 0..<20 {
            for _ in 0..<10 { model.learn(.seconds(5)) }
            model.learn(.seconds(200))
        }
        for _ in 0..<3000 { model.learn(.seconds(5)) }
        #expect(model.estimate < 60)
    }

    @Test func `learned silences count half after fourteen days`() {
        var model = SilenceModel(falseExitsPerDay: 0.05)
        for _ in 0..<40_000 { model.learn(.seconds(60)) }
        let counted = model.memory[15]
        #expect(counted > 20_000 && counted < 31_000)
    }

    @Test func `reports of one advertising event are one`() {
        var (once, twice) = (learned(every: 1, share: 0.6, hours: 1), learned(every: 1, share: 0.6, hours: 1))
        for _ in 0..<1000 {
            once.learn(.seconds(1))
            twice.learn(.seconds(1))
            twice.learn(.milliseconds(2))
        }
        #expect(once.estimate == twice.estimate)
        #expect(twice.interval > 0.9)
    }

    @Test func `the interval is that between advertisements, though most of them are missed`() {
        for interval in [0.1, 1, 5] {
            let model = learned(every: interval, share: 0.3, hours: 1)
            #expect(abs(model.interval - interval - 0.005) < 0.02 * interval + 0.003)
        }
    }

    @Test func `the required silence has room for a tag that is received less often than before`() {
        var model = learned(every: 1, share: 0.9)
        let before = model.estimate
        var seeded = SplitMix64(seed: 2)
        for _ in 0..<200 {
            var gap = 1.0
            while Double.random(in: 0...1, using: &seeded) > 0.3 { gap += 1 }
            model.learn(.seconds(gap))
        }
        #expect(model.estimate > 2 * before)
    }

    @Test func `a rate beyond reason is one within it`() {
        #expect(SilenceModel(falseExitsPerDay: 0).falseExitsPerDay == 1e-6)
        #expect(SilenceModel(falseExitsPerDay: .infinity).falseExitsPerDay == 1000)
    }

    @Test func `learned silences can be stored, and continue where they were`() {
        let model = learned(every: 1, share: 0.6, bursts: (every: 300, lasting: 20))
        var again = SilenceModel(falseExitsPerDay: 0.05)
        again.recall(model.memory)
        #expect(abs(again.estimate / model.estimate - 1) < 0.1)
        #expect(again.interval == model.interval && again.scannedSeconds == model.scannedSeconds)
        #expect(model.memory.count < 120)
    }

    @Test(arguments: Array(0...10))
    func `numbers that cannot have been learned are left out as a whole`(place: Int) {
        let model = learned(every: 1, share: 0.6, hours: 1)
        for nonsense in [-1, .nan, .infinity, 1e300] {
            var memory = model.memory
            memory[place] = nonsense
            var again = SilenceModel(falseExitsPerDay: 0.05)
            again.recall(memory)
            #expect(again.scannedSeconds == 0 && again.requiredSilence == .seconds(120))
        }
        var again = SilenceModel(falseExitsPerDay: 0.05)
        again.recall(Array(model.memory.prefix(place)))
        #expect(again.scannedSeconds == 0)
    }

    /// So many advertisements, ten a second, again and again after so many seconds; this share of them arrives.
    private func bursts(
        every period: Double, of adverts: Int = 10, share: Double, hours: Double,
        after former: SilenceModel = SilenceModel(falseExitsPerDay: 0.05)
    ) -> SilenceModel {
        var model = former
        var seeded = SplitMix64(seed: 4)
        var last = 0.0
        for burst in 0..<Int(hours * 3600 / period) {
            for number in 0..<adverts where Double.random(in: 0...1, using: &seeded) < share {
                let now = Double(burst) * period + Double(number) / 10
                model.learn(.seconds(now - last))
                last = now
            }
        }
        return model
    }

    @Test(arguments: [10.0, 30]) func `a burst of advertisements counts as one`(period: Double) {
        let model = bursts(every: period, share: 0.9, hours: 4)
        #expect(abs(model.interval / period - 1) < 0.1)
        #expect(model.estimate > 1.4 * period && model.estimate < 2.6 * period)
        // Where a tenth of the bursts is lost as a whole, more of them are waited for.
        let weak = bursts(every: period, share: 0.2, hours: 4)
        #expect(weak.estimate > 3.4 * period && weak.estimate < 12 * period)
    }

    @Test(arguments: [10, 20, 30]) func `bursts of any length are known still after each restart`(adverts: Int) {
        var model = bursts(every: 30, of: adverts, share: 0.9, hours: 8)
        let losses = model.memory.count
        for _ in 1...2 {
            var again = SilenceModel(falseExitsPerDay: 0.05)
            again.recall(model.memory)
            for minutes in 1...20 {
                again = bursts(every: 30, of: adverts, share: 0.9, hours: 1.0 / 60, after: again)
                #expect(abs(again.interval / 30 - 1) < 0.1, "\(minutes)")
                #expect(again.memory.count >= losses - 8, "\(minutes)")
            }
            model = again
        }
    }

    @Test func `the wait for a burst ends soon after the burst was due, once the bursts' times are known`() {
        let model = bursts(every: 30, share: 0.9, hours: 4)
        #expect(model.requiredSilence > .seconds(61) && model.requiredSilence < .seconds(66))
    }

    @Test func `losses of any length do not look like bursts`() {
        for (interval, lasting) in [(0.1, 5.0), (0.1, 30), (1, 5), (1, 20), (1, 60), (5, 30), (5, 60)] {
            let model = learned(every: interval, share: 0.9, bursts: (every: 300, lasting: lasting))
            #expect(model.interval < 1.2 * interval + 0.01, "\(interval) \(lasting)")
        }
    }

    @Test func `a beacon that ceases to send in bursts is learned anew, and waited for as a new one`() {
        var model = bursts(every: 10, share: 0.9, hours: 4)
        var gaps = 0
        while model.interval > 1.01, gaps < 8000 {
            model.learn(.seconds(1))
            gaps += 1
        }
        #expect(gaps < 8000)
        #expect(model.estimate > 60)
    }

    @Test func `a longer interval is allowed for after one silence, and known after a hundred`() {
        var model = learned(every: 1, share: 0.9, hours: 9)
        let before = model.estimate
        model.learn(.seconds(10))
        // One more may be lost.
        #expect(model.estimate >= 25)
        for _ in 0..<110 { model.learn(.seconds(10)) }
        #expect(abs(model.interval - 10) < 0.1)
        #expect(model.estimate > 25 && model.estimate < 12 * before)
        model.learn(.seconds(1))
        #expect(model.interval < 1.1)
    }

    @Test func `each gap that confirms a longer interval lets more advertisements of it be lost`() {
        var model = learned(every: 1, share: 0.6, hours: 9)
        model.learn(.seconds(15))
        let suspected = model.estimate
        for _ in 0..<2 { model.learn(.seconds(15)) }
        #expect(suspected < 5 * 15)
        #expect(model.estimate > 8 * 15)
    }

    @Test func `a loss after which the beacon goes on as before is no change of its interval`() {
        var model = learned(every: 1, share: 0.9, hours: 9)
        model.learn(.seconds(10))
        for _ in 0..<10 { model.learn(.seconds(1)) }
        // One loss of 10 s may be the first of its kind.
        #expect(model.interval < 1.1 && model.estimate < 60)
    }

    @Test func `losses that last as long each time are waited for, and for ten minutes at most`() {
        var model = SilenceModel(falseExitsPerDay: 0.05)
        for _ in 0..<24 {
            for _ in 0..<7110 { model.learn(.seconds(1)) }
            model.learn(.seconds(90))
        }
        #expect(model.estimate > 95 && model.estimate < 700)
    }

    @Test
    func `a silence of two minutes of a tag that is received well is an absence, whether the signal faded or not`() {
        var (faded, sudden) = (learned(every: 1, share: 0.9), learned(every: 1, share: 0.9))
        let before = faded.estimate
        for number in 0..<40 {
            for _ in 0..<600 {
                faded.learn(.seconds(1))
                sudden.learn(.seconds(1))
            }
            // One in ten comes and goes too fast.
            faded.learn(.seconds(120), isFaded: number % 10 != 9)
            sudden.learn(.seconds(120), isFaded: false)
        }
        // Two advertisements more at most.
        #expect(faded.estimate < before + 2.5)
        #expect(sudden.estimate < before + 2.5)
    }

    /// A tag at the edge of the range is received now and then while it is away: its silences are parts of the absence.
    @Test(arguments: [180.0, 420])
    func `a second and a third absence at the edge of the range wait no longer than the first`(
        away: Double
    ) {
        var model = SilenceModel(falseExitsPerDay: 0.05)
        var seeded = SplitMix64(seed: 6)
        for absence in 0..<3 {
            for _ in 0..<600 { model.learn(.seconds(Double.random(in: 0...1, using: &seeded) < 0.9 ? 1 : 2)) }
            #expect(model.estimate < 0.7 * away, "before absence \(absence)")
            for gap in [3.0, 5, 8, away * 0.7, away * 0.3 - 16, 6, 2] { model.learn(.seconds(gap), isFaded: true) }
        }
    }
}

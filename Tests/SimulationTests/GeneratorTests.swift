import Beacons
import Simulation
import SimulationTestSupport
import Testing

struct GeneratorTests {
    @Test func `SplitMix64 gives the values that its authors published`() {
        var generator = SplitMix64(seed: 1_234_567)
        let values = (0..<5).map { _ in generator.next() }
        #expect(
            values == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test func `xoshiro256 gives the values that its authors published`() {
        var generator = Xoshiro256(state: (1, 2, 3, 4))
        let values = (0..<6).map { _ in generator.next() }
        #expect(
            values == [
                11520, 0, 1_509_978_240, 1_215_971_899_390_074_240, 1_216_172_134_540_287_360,
                607_988_272_756_665_600,
            ])
    }

    @Test func `streams of one seed are one stream, of two seeds two`() {
        var (first, second, other) = (Xoshiro256(seed: 7), Xoshiro256(seed: 7), Xoshiro256(seed: 8))
        let values = (0..<100).map { _ in first.next() }
        #expect(values == (0..<100).map { _ in second.next() })
        #expect(values != (0..<100).map { _ in other.next() })
    }

    @Test func `normal values have mean 0, variance 1 and a twentieth beyond 1.96`() {
        var generator = Xoshiro256(seed: 1)
        let values = (0..<20_000).map { _ in generator.gaussian() }
        let mean = values.reduce(0, +) / 20_000
        let variance = values.reduce(0) { $0 + $1 * $1 } / 20_000
        let beyond = values.count { abs($0) > 1.96 }
        #expect(abs(mean) < 0.03)
        #expect(abs(variance - 1) < 0.04)
        #expect((900...1100).contains(beyond))
    }

    @Test func `exponential times have their mean and no memory`() {
        var generator = Xoshiro256(seed: 3)
        let times = (0..<20_000).map { _ in generator.exponential(mean: .seconds(10)).seconds }
        let late = times.filter { $0 > 10 }
        #expect(abs(times.reduce(0, +) / 20_000 - 10) < 0.3)
        #expect(abs(late.reduce(0, +) / Double(late.count) - 20) < 0.6)
    }
}

import Beacons
import Testing

@testable import Locating

@Suite("Gateways that hear each other")
struct MutualHearingTests {
    /// Gateways with ears of these dB, each hearing each over a way of some loss.
    private func heard(_ ears: [String: Double], sightings: Int = 1000, without: [(String, String)] = [])
        -> MutualHearing
    {
        var chance = SplitMix64(seed: 3)
        var hearing = MutualHearing()
        let names = ears.keys.sorted()
        for (index, from) in names.enumerated() {
            for to in names[(index + 1)...] where !without.contains(where: { $0 == (from, to) }) {
                let loss = Double.random(in: 5...30, using: &chance)
                for _ in 0..<10 {
                    let noise = Double.random(in: -1...1, using: &chance)
                    hearing.hear(
                        from, by: to, rssi: -59 - loss + ears[to]! + noise, of: sightings / 10, measuredPower: -59)
                    hearing.hear(
                        to, by: from, rssi: -62 - loss + ears[from]! - noise, of: sightings / 10, measuredPower: -62)
                }
            }
        }
        return hearing
    }

    @Test func `what one hears worse than the others is added to it`() {
        let offsets = heard(["a": 0, "b": -6, "c": 3]).offsets
        #expect(abs(offsets["b"]! - offsets["a"]! - 6) < 1)
        #expect(abs(offsets["c"]! - offsets["a"]! + 3) < 1)
        #expect(abs(offsets.values.reduce(0, +)) < 1e-6)
    }

    @Test func `two that do not hear each other are compared by those between`() {
        let offsets = heard(["a": 0, "b": 2, "c": -4], without: [("a", "c")]).offsets
        #expect(abs(offsets["c"]! - offsets["a"]! - 4) < 1.5)
    }

    @Test func `a few sightings, one direction alone, and one's own beacon say nothing`() {
        #expect(heard(["a": 0, "b": -6], sightings: 100).offsets.isEmpty)
        var hearing = MutualHearing()
        hearing.hear("a", by: "b", rssi: -70, of: 10_000, measuredPower: -59)
        hearing.hear("a", by: "a", rssi: -30, of: 10_000, measuredPower: -59)
        #expect(hearing.offsets.isEmpty)
    }

    @Test func `a difference that no antenna explains is a wrong claim, and left out`() {
        #expect(heard(["a": 0, "b": -40]).offsets.isEmpty)
    }

    @Test func `one that hangs elsewhere is forgotten`() {
        var hearing = heard(["a": 0, "b": -6, "c": 3])
        hearing.forget("b")
        #expect(Set(hearing.offsets.keys) == ["a", "c"])
    }
}

import Beacons
import Testing

@testable import Locating

@Suite("Gateways that receive each other")
struct MutualReceptionTests {
    /// Gateways with these receiver offsets in dB. Each receives each other one with some loss.
    private func mutual(_ offsets: [String: Double], sightings: Int = 1000, without: [(String, String)] = [])
        -> MutualReception
    {
        var chance = SplitMix64(seed: 3)
        var observation = MutualReception()
        let names = offsets.keys.sorted()
        for (index, from) in names.enumerated() {
            for to in names[(index + 1)...] where !without.contains(where: { $0 == (from, to) }) {
                let loss = Double.random(in: 5...30, using: &chance)
                for _ in 0..<10 {
                    let noise = Double.random(in: -1...1, using: &chance)
                    observation.add(
                        from, by: to, rssi: -59 - loss + offsets[to]! + noise, of: sightings / 10, measuredPower: -59)
                    observation.add(
                        to, by: from, rssi: -62 - loss + offsets[from]! - noise, of: sightings / 10, measuredPower: -62)
                }
            }
        }
        return observation
    }

    @Test func `the offset of a gateway is what it receives worse than the others`() {
        let offsets = mutual(["a": 0, "b": -6, "c": 3]).offsets()
        #expect(abs(offsets["b"]! - offsets["a"]! - 6) < 1)
        #expect(abs(offsets["c"]! - offsets["a"]! + 3) < 1)
        #expect(abs(offsets.values.reduce(0, +)) < 1e-6)
    }

    @Test func `two gateways that do not receive each other are compared by those between`() {
        let offsets = mutual(["a": 0, "b": 2, "c": -4], without: [("a", "c")]).offsets()
        #expect(abs(offsets["c"]! - offsets["a"]! - 4) < 1.5)
    }

    @Test func `a few sightings, one direction alone, and a gateway's own beacon give no offset`() {
        #expect(mutual(["a": 0, "b": -6], sightings: 100).offsets().isEmpty)
        var observation = MutualReception()
        observation.add("a", by: "b", rssi: -70, of: 10_000, measuredPower: -59)
        observation.add("a", by: "a", rssi: -30, of: 10_000, measuredPower: -59)
        #expect(observation.offsets().isEmpty)
    }

    @Test func `a difference that no antenna explains is a wrong claim, and left out`() {
        #expect(mutual(["a": 0, "b": -40]).offsets().isEmpty)
    }

    @Test func `the other gateways follow those whose offsets are set, also over gateways between`() {
        let mutual = mutual(["a": 0, "b": 2, "c": -4, "d": 1], without: [("a", "c"), ("a", "d")])
        for set in [["a": 10.0], ["a": -3]] {
            let offsets = mutual.offsets(besides: set)
            #expect(offsets["a"] == nil && offsets.count == 3)
            #expect(abs(offsets["b"]! - set["a"]! + 2) < 1)
            #expect(abs(offsets["c"]! - set["a"]! - 4) < 1.5)
        }
        #expect(mutual.offsets(besides: ["a": 0, "b": 0, "c": 0, "d": 0]).isEmpty)
    }

    @Test func `gateways that receive only each other are compared among themselves, whatever is set elsewhere`() {
        let far = mutual(
            ["a": 0, "b": -6, "x": 5, "y": 1], without: [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")])
        let offsets = far.offsets(besides: ["a": 10])
        #expect(abs(offsets["b"]! - 16) < 1)
        #expect(abs(offsets["x"]! + 2) < 1 && abs(offsets["x"]! + offsets["y"]!) < 1e-6)
    }

    @Test func `one that hangs elsewhere is forgotten`() {
        var observation = mutual(["a": 0, "b": -6, "c": 3])
        observation.forget("b")
        #expect(Set(observation.offsets().keys) == ["a", "c"])
    }
}

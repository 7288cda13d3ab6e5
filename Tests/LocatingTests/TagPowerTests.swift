import Testing

@testable import Locating

@Suite struct TagPowerTests {
    @Test func `the power of a tag is what its beacon claims before the tag was received`() {
        let unknown = TagPower().expectation(claimed: 0)
        #expect(unknown.offset == -14)
        #expect(unknown.variance > 100)
        #expect(TagPower().expectation(claimed: -8).offset == -22)
    }

    @Test func `the power of a tag is learned within a minute, and not from one observation`() {
        var power = TagPower()
        power.add(-24, seconds: 1)
        #expect(power.expectation(claimed: 0).offset > -18)
        for _ in 0..<60 { power.add(-24, seconds: 1) }
        let learned = power.expectation(claimed: 0)
        #expect(abs(learned.offset + 24) < 1)
        #expect(learned.variance < 30)
        for _ in 0..<3600 { power.add(-24, seconds: 1) }
        #expect(power.expectation(claimed: 0).variance > 25, "a body stays between tag and gateway")
    }

    /// In nats a second, how much likelier the room of the only gateway that receives an item is than the farthest room.
    private func advantageOfRoomZero(rssi: Double, learned excess: Double) -> Double {
        let model = LocatorModel(site: Row(rooms: 3).plan)
        var power = TagPower()
        for _ in 0..<600 { power.add(excess, seconds: 1) }
        var observation = Observation(received: [(gateway: 0, rssi: rssi)])
        observation.power = power
        let places = model.stateSpace.places
        var likelihoods = [Double](repeating: 0, count: places.count)
        model.weigh(observation, into: &likelihoods)
        func best(in room: Int) -> Double {
            places.indices.lazy.filter { places[$0] == room }.map { likelihoods[$0] }.max() ?? -.infinity
        }
        return best(in: 0) - best(in: 2)
    }

    @Test func `an item that one gateway receives weakly is far away, unless its tag is weak`() {
        #expect(advantageOfRoomZero(rssi: -54, learned: -14) > 0)
        #expect(advantageOfRoomZero(rssi: -84, learned: -14) < 0)
        #expect(advantageOfRoomZero(rssi: -84, learned: -44) > 0)
    }
}

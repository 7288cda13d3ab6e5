import Beacons
import Messages
import Ranging
import Testing

@testable import GatewayCore

/// A gateway that was killed, or lost its power: the next one has states of some minutes ago, and the events since.
struct KilledGatewayTests {
    private let state = Topic.regionState(region: "bags", gateway: "kitchen")
    private let one = TestGateway.bagRegion + "\nmajor = 1\nminor = 2\n"

    @Test func `a region that was added while its beacon was inside does not enter again`() throws {
        let both = one + one.suffix(from: one.firstRange(of: "[[region]]")!.lowerBound).replacing("Bags", with: "New")
        var first = TestGateway(one)
        first.receive(from: 1, to: 20)
        let states = first.pipeline.storedStates(machine: "m")
        _ = first.pipeline.reload(TestGateway(both).pipeline.configuration, at: TestGateway.moment(21))
        first.receive(from: 22, to: 24)
        #expect(first.story == ["enter 1/2", "enter bags", "enter new"])
        var second = try restarted(from: states, events: Array(first.events.suffix(1)), at: 25, toml: both)
        second.receive(from: 26, to: 40)
        #expect(second.story == [])
        let new = second.states(on: .regionState(region: "new", gateway: "kitchen"), RegionState.self).last
        #expect(new?.state == .inside)
        #expect(new?.since == first.events.last?.stamp.at)
        second.receiveOthers(from: 41, to: 60)
        #expect(second.story == ["exit 1/2", "exit bags", "exit new"])
    }

    @Test func `an event of a region whose beacons were changed since does not count for its new ones`() throws {
        let others = TestGateway.bagRegion.replacing("e2c56db5", with: "e2c56db6")
        var first = TestGateway()
        first.receiveOthers(from: 1, to: 15)
        let states = first.pipeline.storedStates(machine: "m")
        first.receive(from: 16, to: 20)
        var second = try restarted(from: states, events: first.events, at: 25, toml: others)
        second.receiveOthers(from: 26, to: 60)
        #expect(second.story == [])
    }

    @Test func `a region that left and came back after the states were stored is inside since it came back`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        let states = first.pipeline.storedStates(machine: "m")
        first.receiveOthers(from: 21, to: 40)
        first.receive(from: 41, to: 43)
        var second = try restarted(from: states, events: Array(first.events.dropFirst(2)), at: 45)
        second.receive(from: 46, to: 47)
        #expect(second.story == [])
        #expect(second.states(on: state, RegionState.self).last?.since == TestGateway.start + .seconds(41))
    }

    @Test func `a region is outside since the exit, also if the exit was before the run that noticed it`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        var second = try restarted(from: first.pipeline.storedStates(machine: "m"), at: 60)
        second.receiveOthers(from: 61, to: 65)
        let states = second.pipeline.storedStates(machine: "m")
        second.receiveOthers(from: 66, to: 75)
        #expect(second.story == ["exit 1/2", "exit bags"])
        #expect(second.states(on: state, RegionState.self).last?.since == TestGateway.start + .seconds(30))
        var third = try restarted(from: states, events: second.events, at: 78)
        third.receiveOthers(from: 79, to: 100)
        #expect(third.story == [])
        #expect(third.states(on: state, RegionState.self).last?.state == .outside)
        #expect(third.states(on: state, RegionState.self).last?.since == TestGateway.start + .seconds(30))
    }

    @Test func `after a kill an exit does not have how long a beacon was inside, if it was not received since`() throws
    {
        for isKilled in [true, false] {
            var first = TestGateway()
            first.receive(from: 1, to: 20)
            let states = first.pipeline.storedStates(machine: "m", isFinal: !isKilled)
            var gone = try restarted(from: states, at: 60)
            gone.receiveOthers(from: 61, to: 80)
            #expect(gone.insideFor == (isKilled ? [nil] : [19]))
            var here = try restarted(from: states, at: 60)
            here.receive(from: 61, to: 70)
            here.receiveOthers(from: 71, to: 90)
            #expect(here.insideFor == [69])
            // Stopped after the kill, before the exit.
            var between = try restarted(from: states, at: 60)
            between.receiveOthers(from: 61, to: 62)
            var last = try restarted(from: between.pipeline.storedStates(machine: "m", isFinal: true), at: 63)
            last.receiveOthers(from: 64, to: 90)
            #expect(last.insideFor == (isKilled ? [nil] : [19]))
        }
    }

    // MARK: Ids

    private func region(_ name: String, minor: Int, id: String? = nil) -> String {
        """
        [[region]]
        identifier = "\(name)"
        uuid = "\(TestGateway.bag.uuid)"
        major = 1
        minor = \(minor)
        \(id.map { "id = \"\($0)\"" } ?? "")

        """
    }

    private func ids(_ gateway: TestGateway) -> [String] { gateway.pipeline.configuration.regions.map(\.id) }

    @Test func `a region keeps its id when another one of the same kind of name goes, or comes before it`() throws {
        let (bag, other) = (region("Bag", minor: 1), region("Bag!", minor: 2))
        var first = TestGateway(bag + other)
        first.receive(from: 1, to: 200)
        #expect(ids(first) == ["bag", "bag-2"])
        #expect(first.story == ["enter 1/2", "enter bag-2"])
        let states = try #require(first.pipeline.storedStates(machine: "m"))
        #expect(Set(states.snapshot.regions.map(\.id)) == ["bag", "bag-2"])
        for (toml, expected) in [
            (other, ["bag-2"]), (other + bag, ["bag-2", "bag"]), (bag, ["bag"]),
            (other + region("Case", minor: 3, id: "bag-2"), ["bag", "bag-2"]),
            (region("Bag", minor: 4) + other, ["bag", "bag-2"]),
            (region("Case", minor: 2), ["case"]), (region("Bag!", minor: 3), ["bag"]),
        ] {
            var second = try restarted(from: states, at: 201, toml: toml)
            second.receive(from: 202, to: 204)
            #expect(ids(second) == expected)
            if expected.contains("bag-2"), expected != ["bag", "bag-2"] { #expect(second.story == []) }
            var same = first
            _ = same.pipeline.reload(TestGateway(toml).pipeline.configuration, at: TestGateway.moment(201))
            #expect(ids(same) == expected, "by a reload")
        }
    }

    // MARK: What the broker has

    private let proximity = Topic.proximity(TestGateway.bag, gateway: "kitchen")

    @Test func `a beacon that left while the gateway was killed is cleared at the broker`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        let states = first.pipeline.storedStates(machine: "m")
        var second = try restarted(from: states, at: 60)
        second.receiveOthers(from: 61, to: 65)
        #expect(!second.published(on: proximity).contains(""))
        second.receiveOthers(from: 66, to: 80)
        #expect(second.published(on: proximity).filter(\.isEmpty) == [""])
        // The exit was published, and what follows from it was not.
        first.receiveOthers(from: 21, to: 40)
        var third = try restarted(from: states, events: Array(first.events.suffix(2)), at: 45)
        third.advance(to: 46)
        #expect(third.published(on: proximity) == [""])
        // It is still here.
        var fourth = try restarted(from: states, at: 60)
        fourth.receive(from: 61, to: 80)
        #expect(!fourth.published(on: proximity).isEmpty && !fourth.published(on: proximity).contains(""))
    }

    @Test func `a region that is gone from the file is cleared at the broker, and so are its beacons`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        let before = TestGateway("").pipeline.storedStates(machine: "m")
        for states in [first.pipeline.storedStates(machine: "m"), before] {
            var second = try restarted(from: states, events: states == before ? first.events : [], at: 60, toml: "")
            second.advance(to: 61)
            #expect(second.published(on: state) == [""])
            #expect(second.published(on: proximity) == [""])
        }
        var same = try restarted(from: first.pipeline.storedStates(machine: "m"), at: 60)
        same.receive(from: 61, to: 62)
        #expect(!same.published(on: state).contains(""))
    }

    @Test func `a region of which no state was known is cleared at the broker once it is gone, each time`() throws {
        var gateway = TestGateway()
        for start in [0.0, 100] {
            gateway = try restarted(from: gateway.pipeline.storedStates(machine: "m"), at: start)
            gateway.connect(at: start)
            gateway.receiveOthers(from: start + 1, to: start + 3)
            #expect(gateway.states(on: state, RegionState.self).last?.state == .unknown)
            gateway = try restarted(from: gateway.pipeline.storedStates(machine: "m"), at: start + 4)
            gateway.connect(at: start + 4)
            gateway.receiveOthers(from: start + 5, to: start + 7)
            #expect(!gateway.published(on: state).contains(""), "it is still in the file")
            gateway = try restarted(from: gateway.pipeline.storedStates(machine: "m"), at: start + 8, toml: "")
            gateway.advance(to: start + 9)
            #expect(gateway.published(on: state) == [""])
        }
    }
}

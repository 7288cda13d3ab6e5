import Beacons
import EventLogs
import Messages
import Ranging
import Testing

@testable import GatewayCore

@Suite("A restart is no event")
struct RestartTests {
    @Test func `silences that could not be written are written again after five minutes`() {
        var gateway = TestGateway("[[region]]\nidentifier = \"Bags\"\nuuid = \"\(TestGateway.bag.uuid)\"\n")
        gateway.receive(from: 1, to: 60)
        var files = GatewayFiles(isLive: true, at: TestGateway.moment(0).instant)
        func areWritten(at seconds: Double) -> Bool {
            let now = TestGateway.moment(seconds).instant
            _ = files.areDue(upcoming: 1, at: now)
            var found = false
            while let (file, _) = files.next(of: gateway.pipeline, machine: "machine", at: now) {
                found = found || file == .silences
            }
            return found
        }
        files.wrote(.silences, problem: "the disk is full", at: TestGateway.moment(60).instant)
        #expect(!areWritten(at: 359))
        #expect(areWritten(at: 361))
    }

    @Test func `of a long log only the last events are read, also if one run has all of them`() {
        let spans = [
            EventSpan(boot: "1.aaaa", seqs: 1...50), EventSpan(boot: "2.bbbb", seqs: 1...7),
            EventSpan(boot: "3.cccc", seqs: 90...99),
        ]
        #expect(
            EventLog.last(20, of: spans) == [
                EventSpan(boot: "1.aaaa", seqs: 48...50), EventSpan(boot: "2.bbbb", seqs: 1...7),
                EventSpan(boot: "3.cccc", seqs: 90...99),
            ])
        #expect(EventLog.last(4, of: spans) == [EventSpan(boot: "3.cccc", seqs: 96...99)])
        #expect(EventLog.last(1000, of: spans) == spans)
    }

    @Test func `events follow the stored states by the log's order, also if the counter of starts was lost since`()
        throws
    {
        let spans = [
            EventSpan(boot: "5.aaaa", seqs: 1...9), EventSpan(boot: "6.bbbb", seqs: 1...7),
            EventSpan(boot: "1.cccc", seqs: 1...3), EventSpan(boot: "2.dddd", seqs: 1...2),
        ]
        func after(_ boot: String, _ seq: UInt64) throws -> [EventSpan] {
            EventLog.spans(spans, after: try #require(Boot(boot)), seq)
        }
        #expect(try after("6.bbbb", 4) == [EventSpan(boot: "6.bbbb", seqs: 5...7)] + spans[2...])
        #expect(try after("6.bbbb", 7) == Array(spans[2...]))
        #expect(try after("1.cccc", 3) == [spans[3]])
        #expect(try after("2.dddd", 2).isEmpty)
        // A run without events.
        #expect(try after("4.eeee", 0) == [spans[0], spans[1]])
    }

    private let state = Topic.regionState(region: "bags", gateway: "kitchen")

    @Test func `a beacon that was inside is published as inside as soon as the radio scans, and does not enter again`()
        throws
    {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        #expect(first.story == ["enter 1/2", "enter bags"])
        var second = try restarted(from: first.pipeline.storedStates(machine: "m"), at: 60)
        second.advance(to: 60)
        #expect(second.states(on: state, RegionState.self).last?.state == .inside)
        #expect(second.states(on: state, RegionState.self).last?.since == TestGateway.start + .seconds(1))
        second.receive(from: 61, to: 80)
        #expect(second.story == [])
    }

    @Test func `a region keeps the id under which its state is on disk, however ids are made now`() throws {
        func region(_ more: String) -> String {
            """
            [monitoring]
            exit_after = "10s"
            [[region]]
            identifier = "Büro"
            uuid = "\(TestGateway.bag.uuid)"
            \(more)
            """
        }
        var first = TestGateway(region("id = \"bu-ro\""))
        first.receive(from: 1, to: 20)
        var second = try restarted(
            from: first.pipeline.storedStates(machine: "m"), at: 60, toml: region(""))
        second.receive(from: 61, to: 80)
        #expect(second.story == [], "it is inside as before")
        #expect(second.pipeline.configuration.regions.map(\.id) == ["bu-ro"])
        _ = second.pipeline.reload(TestGateway(region("")).pipeline.configuration, at: TestGateway.moment(81))
        #expect(second.pipeline.configuration.regions.map(\.id) == ["bu-ro"])
        #expect(TestGateway(region("")).pipeline.configuration.regions.map(\.id) == ["buro"])
    }

    @Test
    func `a beacon that left while the gateway was down exits after a full exit time, dated by its last sighting`()
        throws
    {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        var second = try restarted(from: first.pipeline.storedStates(machine: "m", isFinal: true), at: 60)
        second.receiveOthers(from: 61, to: 69)
        #expect(second.story == [])
        second.receiveOthers(from: 70, to: 75)
        #expect(second.story == ["exit 1/2", "exit bags"])
        guard case .beacon(let exit) = try #require(second.events.first) else { throw Unexpected() }
        #expect(exit.lastSeenAt == TestGateway.start + .seconds(20))
        #expect(exit.stamp.at == TestGateway.start + .seconds(30))
        // Before its run began, which payloads cannot express.
        #expect(exit.stamp.uptime == .zero)
        #expect(exit.insideForSeconds == 19)
    }

    @Test func `what was inside before a restart is published until it is received or exits, after the second as well`()
        throws
    {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        var states = first.pipeline.storedStates(machine: "m", isFinal: true)
        let topic = Topic.proximity(TestGateway.bag, gateway: "kitchen")
        for (isReceived, start) in [(false, 60.0), (true, 120), (false, 180)] {
            var second = try restarted(from: states, at: start)
            second.receiveOthers(from: start + 1, to: start + 5)
            let early = second.states(on: topic, RangedState.self)
            #expect(!early.isEmpty && early.allSatisfy { $0.sightings == 0 && $0.validFor == 75 })
            if isReceived {
                second.receive(from: start + 6, to: start + 40)
                let late = second.states(on: topic, RangedState.self).dropFirst(early.count)
                #expect(!late.isEmpty && late.allSatisfy { $0.sightings > 0 })
            } else {
                states = second.pipeline.storedStates(machine: "m", isFinal: true)
                second.receiveOthers(from: start + 6, to: start + 40)
                #expect(second.published(on: topic).last == "")
                #expect(second.story == ["exit 1/2", "exit bags"])
            }
        }
    }

    @Test func `an enter that the states do not know yet is known from the log`() throws {
        var first = TestGateway()
        first.receiveOthers(from: 1, to: 15)
        let states = first.pipeline.storedStates(machine: "m")
        first.receive(from: 16, to: 20)
        var second = try restarted(from: states, events: first.events, at: 60)
        second.advance(to: 60)
        #expect(second.states(on: state, RegionState.self).last?.state == .inside)
        #expect(second.states(on: state, RegionState.self).last?.since == TestGateway.start + .seconds(16))
        second.receiveOthers(from: 61, to: 75)
        #expect(second.story == ["exit 1/2", "exit bags"])
        guard case .beacon(let exit) = try #require(second.events.first) else { throw Unexpected() }
        #expect(exit.lastSeenAt == TestGateway.start + .seconds(16))
    }

    @Test func `an exit that the stored states do not contain yet is not published again`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        let states = first.pipeline.storedStates(machine: "m")
        first.receiveOthers(from: 21, to: 40)
        let after = Array(first.events.suffix(2))
        #expect(after.count == 2)
        var second = try restarted(from: states, events: after, at: 60)
        second.receiveOthers(from: 61, to: 80)
        #expect(second.story == [])
        #expect(second.states(on: state, RegionState.self).last?.state == .outside)
        second.receive(from: 81, to: 82)
        #expect(second.story == ["enter 1/2", "enter bags"])
    }

    @Test func `without stored states the log alone shows which beacons are inside, and not since when`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        var second = try restarted(from: nil, events: first.events, at: 60)
        second.advance(to: 60)
        #expect(second.states(on: state, RegionState.self).last?.state == .unknown)
        second.receive(from: 61, to: 62)
        #expect(second.states(on: state, RegionState.self).last?.state == .inside)
        #expect(second.story == [])
        second.receiveOthers(from: 63, to: 80)
        #expect(second.story == ["exit 1/2", "exit bags"])
        guard case .beacon(let exit) = try #require(second.events.first) else { throw Unexpected() }
        #expect(exit.insideForSeconds == nil)
    }

    @Test func `older states are determined anew, without events for what turns out unchanged`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        var second = try restarted(from: first.pipeline.storedStates(machine: "m"), at: 20 + 901)
        second.advance(to: 922)
        #expect(second.states(on: state, RegionState.self).last?.state == .unknown)
        second.receive(from: 923, to: 930)
        #expect(second.states(on: state, RegionState.self).last?.state == .inside)
        #expect(second.story == [])
    }

    @Test func `a gateway that was blind before it stopped knows no more after it`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        first.pipeline.handle(.state(.poweredOff, reason: "test"), at: TestGateway.moment(21))
        first.advance(to: 1500)
        // The restart is a second long, the blindness 25 minutes.
        var second = try restarted(from: first.pipeline.storedStates(machine: "m"), at: 1501)
        second.advance(to: 1502)
        #expect(second.states(on: state, RegionState.self).last?.state == .unknown)
        second.receive(from: 1503, to: 1510)
        #expect(second.story == [])
    }

    @Test func `a quick second restart makes old states no younger`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        var second = try restarted(from: first.pipeline.storedStates(machine: "m"), at: 2000)
        second.advance(to: 2001)
        let third = try restarted(from: second.pipeline.storedStates(machine: "m"), at: 2002)
        #expect(third.pipeline.monitor.regionStatuses[0].state == .unknown)
    }

    @Test func `a gateway writes no states before the radio has scanned, because those on the disk are better`() {
        var generator = SystemRandomNumberGenerator()
        let configuration = TestGateway().pipeline.configuration
        var pipeline = GatewayPipeline(
            configuration, boot: Boot(epoch: 1, using: &generator), at: TestGateway.moment(0))
        pipeline.advance(to: TestGateway.moment(5))
        #expect(pipeline.storedStates(machine: "m") == nil)
    }

    @Test func `the learned silences survive a restart`() throws {
        let toml = TestGateway.bagRegion.replacing("exit_after = \"10s\"", with: "exit_after = \"auto\"")
        var first = TestGateway(toml)
        first.receive(from: 1, to: 15_000)
        let before = try #require(first.pipeline.monitor.beaconStatuses.first).requiredSilence
        #expect(before < .seconds(30))
        let second = try restarted(
            from: first.pipeline.storedStates(machine: "m"), first.pipeline.storedSilences, at: 15_010, toml: toml)
        let after = try #require(second.pipeline.monitor.beaconStatuses.first).requiredSilence
        #expect(abs((before - after).seconds) < 0.1)
    }

    @Test func `the age of the states is known by the machine's clock, else by two right wall clocks, else not at all`()
    {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        let stored = first.pipeline.storedStates(machine: "m")!
        func age(_ seconds: Double, machine: String, uptime: Double = 5, isSynchronised: Bool = true) -> Interval? {
            let wall = TestGateway.start + .seconds(seconds)
            let now = Moment(
                instant: .zero + .seconds(machine == "m" ? 1000 + seconds : uptime), wall: wall,
                isSynchronised: isSynchronised)
            return stored.age(at: now, machine: machine)
        }
        #expect(age(60, machine: "m", isSynchronised: false) == .seconds(40))
        #expect(age(10, machine: "m") == nil)
        #expect(age(60, machine: "other") == .seconds(40))
        #expect(age(60, machine: "other", isSynchronised: false) == nil)
        #expect(age(-3600, machine: "other") == nil)
        // That machine has run for longer than the age of the states by its clock.
        #expect(age(60, machine: "other", uptime: 50) == nil)
    }

    @Test func `states of any damage do no harm`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        let original = first.pipeline.storedStates(machine: "m")!.bytes
        var random = SystemRandomNumberGenerator()
        var read = 0
        for _ in 0..<2000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 32...126, using: &random)
            }
            guard let states = try? StoredStates(parsing: bytes) else { continue }
            read += 1
            var second = TestGateway(boot: "18.abcd", at: 30) { $0.restore(states, nil, events: [], machine: "m") }
            second.receive(from: 31, to: 32)
        }
        #expect(read > 0)
    }

    // MARK: When nobody knows how long it was down

    @Test func `after a downtime of unknown length a region has no time since when it is inside`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        // Another start of the machine, which has run for longer than the age of the states by its clock.
        var second = try restarted(from: first.pipeline.storedStates(machine: "m"), at: 60, machine: "n")
        second.receive(from: 61, to: 62)
        #expect(second.states(on: state, RegionState.self).last?.state == .inside)
        #expect(second.states(on: state, RegionState.self).last?.since == nil)
        // A restart of which the downtime is known makes it no better known.
        var third = try restarted(from: second.pipeline.storedStates(machine: "n"), at: 70, machine: "n")
        third.advance(to: 71)
        #expect(third.states(on: state, RegionState.self).last?.state == .inside)
        #expect(third.states(on: state, RegionState.self).last?.since == nil)
        third.receiveOthers(from: 72, to: 90)
        third.receive(from: 91, to: 92)
        #expect(third.states(on: state, RegionState.self).last?.since == TestGateway.start + .seconds(91))
    }

    /// A machine without a battery for its clock starts ten minutes after `states`, and has the time from the network eight seconds later.
    private func afterPowerCut(_ states: StoredStates?, isHere: Bool) throws -> TestGateway {
        let power = TestGateway.start + .seconds(620)
        func moment(_ seconds: Double) -> Moment {
            let isRight = seconds >= 8
            return Moment(
                instant: .zero + .seconds(5 + seconds),
                wall: isRight ? power + .seconds(seconds) : WallTime(milliseconds: Int64(seconds * 1000)),
                isSynchronised: isRight)
        }
        var gateway = TestGateway(boot: "18.abcd")
        gateway.pipeline = GatewayPipeline(gateway.pipeline.configuration, boot: Boot("18.abcd")!, at: moment(0))
        gateway.pipeline.restore(states, nil, events: [], machine: "n")
        gateway.pipeline.handle(.state(.poweredOn, reason: "test"), at: moment(0))
        for second in stride(from: 0.0, through: 40, by: 1) {
            gateway.receive(isHere ? TestGateway.bag : stranger, instant: moment(second).instant)
            gateway.advance(to: moment(second))
        }
        return gateway
    }

    private let stranger = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)

    @Test func `a clock that is set after a power cut dates what was inside before`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        let here = try afterPowerCut(first.pipeline.storedStates(machine: "m"), isHere: true)
        #expect(here.story == [])
        let states = here.states(on: state, RegionState.self).filter { $0.state == .inside }
        #expect(states.first?.since == nil)
        #expect(states.last?.since == TestGateway.start + .seconds(1))
    }

    @Test func `a beacon that left during a power cut is dated by its last sighting, if the clock was set in time`()
        throws
    {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        let gone = try afterPowerCut(first.pipeline.storedStates(machine: "m", isFinal: true), isHere: false)
        #expect(gone.story == ["exit 1/2", "exit bags"])
        guard case .beacon(let exit) = try #require(gone.events.first) else { throw Unexpected() }
        #expect(exit.lastSeenAt == TestGateway.start + .seconds(20))
        #expect(exit.stamp.at == TestGateway.start + .seconds(30))
        #expect(exit.insideForSeconds == 19)
    }

    @Test func `a region whose beacons were changed in the file begins anew at the start, without an exit`() throws {
        let changed = TestGateway.bagRegion.replacing("e2c56db5", with: "e2c56db6")
        for restart in 1...2 {
            var first = TestGateway()
            first.receive(from: 1, to: 20)
            var second = try restarted(
                from: first.pipeline.storedStates(machine: "m"), at: 60,
                toml: restart == 1 ? changed : TestGateway.bagRegion)
            second.receiveOthers(from: 61, to: 90)
            #expect(second.story == (restart == 1 ? [] : ["exit 1/2", "exit bags"]))
        }
    }

    @Test func `states of an earlier version, which do not have the beacons of a region, are used`() throws {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        var states = try #require(first.pipeline.storedStates(machine: "m"))
        let written = String(decoding: states.bytes, as: UTF8.self)
        #expect(written.contains("\"scope\":{\"uuid\":\"\(TestGateway.bag.uuid)\"}"), "\(written)")
        states.snapshot.regions[0].scope = nil
        #expect(!String(decoding: states.bytes, as: UTF8.self).contains("scope"))
        var second = try restarted(from: states, at: 60)
        second.receive(from: 61, to: 80)
        #expect(second.story == [])
    }
}

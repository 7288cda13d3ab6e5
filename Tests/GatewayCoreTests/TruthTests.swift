import Beacons
import Messages
import Testing

@testable import GatewayCore

@Suite("What a gateway says is so")
struct TruthTests {
    private let state = Topic.regionState(region: "bags", gateway: "kitchen")
    private static let inside = ["enter 1/2", "enter bags"]

    // MARK: Outages

    enum Outage: CaseIterable {
        case radioOff, radioDies, stopped, killed, withoutPower
    }

    private static func asksForProof(_ outputs: ArraySlice<GatewayOutput>) -> Bool {
        outputs.contains { if case .perform(.proveRadio) = $0 { true } else { false } }
    }

    @Test(arguments: Outage.allCases, [1, 5, 12, 30, 90, 300, 600])
    func `no outage makes what stays exit, or enter again`(outage: Outage, seconds: Double) throws {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 10)
        let early = gateway.pipeline.storedStates(machine: "m")
        gateway.receive(from: 11, to: 20)
        let end = 20 + seconds
        var story: [String] = []
        switch outage {
        case .radioOff:
            gateway.pipeline.handle(.state(.poweredOff, reason: "test"), at: TestGateway.moment(20.5))
            for second in stride(from: 21, to: end, by: 1) { gateway.advance(to: second) }
            gateway.pipeline.handle(.state(.poweredOn, reason: "test"), at: TestGateway.moment(end))
        case .radioDies:
            var reported = gateway.outputs.count
            for second in stride(from: 21, to: end, by: 1) {
                gateway.advance(to: second)
                let asks = Self.asksForProof(gateway.outputs[reported...])
                reported = gateway.outputs.count
                guard asks || second == 34 else { continue }
                gateway.pipeline.handle(.state(.resetting, reason: "test"), at: TestGateway.moment(second + 0.5))
            }
            gateway.pipeline.handle(.state(.poweredOn, reason: "test"), at: TestGateway.moment(end))
        case .stopped, .killed, .withoutPower:
            if outage == .stopped { _ = gateway.pipeline.farewell(at: TestGateway.moment(20.5)) }
            let states = outage == .stopped ? gateway.pipeline.storedStates(machine: "m") : early
            story = gateway.story
            // A power cut starts the machine again; its clock cannot show how long the power was off.
            gateway = TestGateway(boot: "18.abcd", at: end) {
                $0.restore(states, nil, events: [], machine: outage == .withoutPower ? "n" : "m")
            }
        }
        gateway.receive(from: end + 1, to: end + 40)
        #expect(story + gateway.story == Self.inside)
        #expect(gateway.states(on: state, RegionState.self).last?.state == .inside)
    }

    @Test(arguments: [5, 60, 3600])
    func `a machine that sleeps makes nothing exit, and what left meanwhile exits later`(seconds: Double) {
        var gateway = TestGateway()
        gateway.connect()
        var now = 20.0
        gateway.receive(from: 1, to: now)
        for _ in 0..<2 {
            now += seconds
            // What comes first after the sleep may have set the time already.
            gateway.pipeline.wake(at: TestGateway.moment(now))
            gateway.pipeline.slept(until: TestGateway.moment(now))
            gateway.advance(to: now)
            gateway.pipeline.handle(.proven, at: TestGateway.moment(now + 0.1))
            gateway.receive(from: now + 1, to: now + 20)
            now += 20
        }
        #expect(gateway.story == Self.inside)
        #expect(gateway.states(on: state, RegionState.self).last?.state == .inside)
        gateway.pipeline.slept(until: TestGateway.moment(now + seconds))
        gateway.receiveOthers(from: now + seconds + 1, to: now + seconds + 12)
        #expect(gateway.story == Self.inside + ["exit 1/2", "exit bags"])
    }

    @Test
    func
        `a beacon that stays silent after a blindness exits after a full exit time of scanning, dated by its last sighting`()
        throws
    {
        var gateway = TestGateway()
        gateway.receive(from: 1, to: 5)
        gateway.pipeline.handle(.state(.poweredOff, reason: "test"), at: TestGateway.moment(6))
        gateway.pipeline.handle(.state(.poweredOn, reason: "test"), at: TestGateway.moment(101))
        gateway.receiveOthers(from: 102, to: 110)
        #expect(gateway.story == Self.inside)
        gateway.receiveOthers(from: 111, to: 112)
        #expect(gateway.story == Self.inside + ["exit 1/2", "exit bags"])
        guard case .beacon(let exit) = gateway.events[2] else { throw Unexpected() }
        #expect(exit.lastSeenAt == TestGateway.start + .seconds(5))
        #expect(exit.stamp.at == TestGateway.start + .seconds(15.5))
    }

    @Test func `a quiet house is never unknown, as its controller responds`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        var reported = gateway.outputs.count
        for second in 6...3600 {
            gateway.advance(to: Double(second))
            let asks = Self.asksForProof(gateway.outputs[reported...])
            reported = gateway.outputs.count
            if asks { gateway.pipeline.handle(.proven, at: TestGateway.moment(Double(second) + 0.1)) }
        }
        #expect(gateway.story == Self.inside + ["exit 1/2", "exit bags"])
        let states = gateway.states(on: state, RegionState.self).map(\.state)
        #expect(states.last == .outside)
        #expect(states.drop { $0 != .inside }.allSatisfy { $0 != .unknown })
    }

    @Test func `a process that stood still makes nothing exit, and learns nothing from it, twice`() throws {
        var gateway = TestGateway(
            TestGateway.bagRegion.replacing("exit_after = \"10s\"", with: "exit_after = \"auto\""))
        var now = 4000.0
        gateway.receive(from: 1, to: now)
        let learned = try #require(gateway.pipeline.monitor.beaconStatuses.first).requiredSilence
        for _ in 0..<2 {
            now += 300
            // As the service does it: what waits in the kernel's buffer is received at one moment.
            gateway.pipeline.slept(until: TestGateway.moment(now))
            for _ in 0..<300 { gateway.receive(at: now) }
            gateway.receive(from: now + 1, to: now + 100)
            now += 100
        }
        #expect(gateway.story == Self.inside)
        #expect(try #require(gateway.pipeline.monitor.beaconStatuses.first).requiredSilence <= learned)
    }

    @Test func `a radio that scans again is logged each time, though with the same reason`() {
        var gateway = TestGateway()
        for round in 1...3 {
            gateway.pipeline.handle(.state(.poweredOn, reason: "restored"), at: TestGateway.moment(Double(round)))
            gateway.pipeline.handle(.state(.poweredOff, reason: "off"), at: TestGateway.moment(Double(round) + 0.1))
            gateway.pipeline.handle(.state(.poweredOff, reason: "off"), at: TestGateway.moment(Double(round) + 0.2))
            gateway.pipeline.handle(.state(.poweredOn, reason: "restored"), at: TestGateway.moment(Double(round) + 0.3))
            gateway.advance(to: Double(round) + 0.5)
        }
        let notes = gateway.outputs.compactMap { if case .perform(.log(.notice, let line)) = $0 { line } else { nil } }
        #expect(notes.count { $0.hasSuffix("restored") } == 6)
        #expect(notes.count { $0.hasSuffix("off") } == 3)
    }

    // MARK: Silence

    /// The problems of silence in the last `info`.
    private func silences(_ gateway: TestGateway) -> [String] {
        let info = gateway.states(on: .gatewayInfo(gateway: "kitchen"), GatewayInfo.self).last
        return info?.problems.filter { $0.hasPrefix("nothing was received") } ?? []
    }

    @Test func `a silence is a problem after ten minutes, and then only if it lasts twice as long as one before`() {
        var gateway = TestGateway()
        gateway.connect()
        var now = 0.0
        for limit in [600.0, 2000, 4000] {
            gateway.receive(from: now + 1, to: now + 20)
            gateway.advance(to: now + 20.5)
            #expect(silences(gateway).isEmpty)
            gateway.advance(to: now + 20 + limit - 1)
            #expect(silences(gateway).isEmpty)
            gateway.advance(to: now + 20 + limit)
            #expect(silences(gateway).count == 1 && silences(gateway)[0].contains(" \(Int(limit) / 60) min"))
            // The next limit is twice this silence.
            now += limit == 600 ? 1019 : 2019
        }
    }

    @Test func `a silence since the start is a problem after an hour, and none while the radio does not scan, twice`() {
        var gateway = TestGateway()
        gateway.connect()
        for start in [0.0, 100_000] {
            gateway.pipeline.handle(.state(.poweredOff, reason: "off"), at: TestGateway.moment(start))
            gateway.advance(to: start + 50_000)
            #expect(silences(gateway).isEmpty)
            gateway.pipeline.handle(.state(.poweredOn, reason: "on"), at: TestGateway.moment(start + 50_000))
            gateway.advance(to: start + 53_599)
            #expect(silences(gateway).isEmpty)
            gateway.advance(to: start + 53_600)
            #expect(silences(gateway).count == 1)
        }
    }

    @Test func `a gateway that receives nothing but empty advertisements receives nothing, twice`() {
        var gateway = TestGateway()
        gateway.connect()
        let nothing: [UInt8] = []
        for round in 0..<2 {
            let start = Double(round) * 10_000
            gateway.receive(from: start + 1, to: start + 20)
            for second in 21...3000 {
                let now = TestGateway.moment(start + Double(second))
                let empty = Advertisement(
                    address: DeviceAddress(bits: 1, kind: .public), rssi: RSSI(dBm: -70), at: now.instant)
                gateway.pipeline.receive(empty, nothing.span.bytes)
                gateway.advance(to: now)
            }
            #expect(silences(gateway).count == 1 - round, "the second silence is shorter than twice the first")
        }
    }

    // MARK: Starts

    @Test
    func `after a start without state outside is first published after a full exit time of scanning, and is no event`()
    {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receiveOthers(from: 1, to: 9)
        #expect(gateway.states(on: state, RegionState.self).allSatisfy { $0.state == .unknown })
        gateway.receiveOthers(from: 10, to: 11)
        #expect(gateway.states(on: state, RegionState.self).last?.state == .outside)
        #expect(gateway.story == [])
    }

    @Test func `a region that was outside long before a restart is outside again, since then, without an event`() throws
    {
        var first = TestGateway()
        first.receive(from: 1, to: 20)
        first.receiveOthers(from: 21, to: 60)
        let states = try #require(first.pipeline.storedStates(machine: "m"))
        var second = TestGateway(boot: "18.abcd", at: 2000) { $0.restore(states, nil, events: [], machine: "m") }
        second.receiveOthers(from: 2001, to: 2009)
        #expect(second.states(on: state, RegionState.self).last?.state == .unknown)
        second.receiveOthers(from: 2010, to: 2011)
        #expect(second.states(on: state, RegionState.self).last?.state == .outside)
        #expect(second.states(on: state, RegionState.self).last?.since == TestGateway.start + .seconds(30.5))
        #expect(second.story == [])
    }

    // MARK: Flapping

    @Test func `a sighting before its exit was due keeps it inside, however late it is looked at`() {
        var gateway = TestGateway()
        gateway.receive(from: 1, to: 5)
        gateway.receiveOthers(from: 6, to: 14)
        gateway.receive(at: 14.9)
        gateway.advance(to: 24.5)
        #expect(gateway.story == Self.inside)
    }
}

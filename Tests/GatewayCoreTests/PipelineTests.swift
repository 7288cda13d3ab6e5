import Beacons
import Messages
import Testing

@testable import GatewayCore

@Suite("The gateway's pipeline")
struct PipelineTests {
    private let proximity = Topic.proximity(TestGateway.bag, gateway: "kitchen")
    private let state = Topic.regionState(region: "bags", gateway: "kitchen")

    @Test func `a beacon enters, is ranged, and exits once, dated when it happened`() throws {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 20)
        gateway.receiveOthers(from: 21, to: 60)
        #expect(gateway.story == ["enter 1/2", "enter bags", "exit 1/2", "exit bags"])
        guard case .beacon(let exit) = gateway.events[2] else { throw Unexpected() }
        #expect(exit.stamp.at.description == "2026-11-21T05:40:30.500Z")
        #expect(exit.stamp.uptime.milliseconds == 30_500)
        #expect(exit.lastSeenAt?.description == "2026-11-21T05:40:20.000Z")
        #expect(exit.insideForSeconds == 19)
        #expect(exit.id.description == "17.kfqx-3")
        #expect(exit.regions == ["bags"])
    }

    @Test(arguments: [
        ("notify_on_entry", ["enter 1/2", "exit 1/2", "exit bags"]),
        ("notify_on_exit", ["enter 1/2", "enter bags", "exit 1/2"]),
    ])
    func `a region without notifications publishes its state but no event, and its beacons publish theirs`(
        key: String, story: [String]
    ) {
        var gateway = TestGateway(TestGateway.bagRegion + "\n\(key) = false\n")
        gateway.connect()
        gateway.receive(from: 1, to: 20)
        gateway.receiveOthers(from: 21, to: 60)
        #expect(gateway.story == story)
        let reported = gateway.states(on: state, RegionState.self).map(\.state)
        #expect(reported.contains(.inside) && reported.last == .outside)
    }

    @Test func `a beacon of no region is counted and never published`() {
        var gateway = TestGateway()
        gateway.connect()
        let stranger = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 2)
        for second in 1...10 {
            gateway.receive(stranger, at: Double(second))
            gateway.advance(to: Double(second))
        }
        #expect(gateway.events.isEmpty)
        #expect(gateway.published(on: .proximity(stranger, gateway: "kitchen")).isEmpty)
        #expect(gateway.pipeline.monitoring.reader.counters.sightings == 10)
    }

    @Test func `a still beacon is published at each heartbeat, and not more often`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 61)
        let reported = gateway.states(on: proximity, RangedState.self)
        #expect((6...8).contains(reported.count))
        #expect(reported.allSatisfy { $0.rssi == -60 && $0.validFor == 25 })
        // Nothing is lost between two messages: the sightings add up.
        #expect(reported.dropFirst().allSatisfy { $0.sightings == 10 })
    }

    @Test func `a move of 3 dB is published within a second or two, once`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 12)
        let before = gateway.states(on: proximity, RangedState.self).count
        gateway.receive(from: 13, to: 14, rssi: -70)
        let after = gateway.states(on: proximity, RangedState.self)
        #expect(after.count == before + 1)
        #expect(after.last!.rssi! < -63)
        #expect(after.last!.current?.rssi == -70)
    }

    @Test func `info gives the reason for the interface, and the beacon's problem as long as it lasts`() throws {
        var gateway = TestGateway()
        gateway.connect()
        let fallback = "listening through the raw socket (the kernel has no advertisement monitor)"
        gateway.pipeline.handle(.state(.poweredOn, reason: fallback), at: TestGateway.moment(1))
        gateway.pipeline.replace(problem: nil, by: "the beacon is not sent: a", at: TestGateway.moment(2))
        gateway.pipeline.replace(
            problem: "the beacon is not sent: a", by: "the beacon is not sent: b", at: TestGateway.moment(3))
        gateway.pipeline.replace(problem: "the beacon is not sent: b", by: nil, at: TestGateway.moment(4))
        gateway.advance(to: 5)
        let infos = gateway.states(on: .gatewayInfo(gateway: "kitchen"), GatewayInfo.self)
        #expect(infos.last?.radio.reason == fallback)
        #expect(
            infos.suffix(4).map(\.problems) == [[], ["the beacon is not sent: a"], ["the beacon is not sent: b"], []])
    }

    @Test func `a gateway that goes blind publishes unknown, clears the state, and reports no exit`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        gateway.pipeline.handle(.state(.poweredOff, reason: "the adapter is off"), at: TestGateway.moment(6))
        for second in 6...300 { gateway.advance(to: Double(second)) }
        #expect(gateway.story == ["enter 1/2", "enter bags"])
        #expect(
            gateway.published(on: proximity).suffix(2).map { $0.contains(#""proximity":"unknown""#) || $0.isEmpty } == [
                true, true,
            ])
        #expect(gateway.published(on: proximity).last == "")
        #expect(gateway.states(on: state, RegionState.self).last?.state == .unknown)
        let info = gateway.states(on: .gatewayInfo(gateway: "kitchen"), GatewayInfo.self).last
        #expect(info?.radio.state == .poweredOff)
    }

    @Test func `if nothing at all was received the radio is proven before any beacon exits`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        for second in 6...60 { gateway.advance(to: Double(second)) }
        #expect(gateway.story == ["enter 1/2", "enter bags"])
        #expect(gateway.outputs.contains { if case .perform(.proveRadio) = $0 { true } else { false } })
        gateway.pipeline.handle(.proven, at: TestGateway.moment(61))
        // Three quarters of the silence are to be received after the first proof, and the end of it is proven, too.
        for second in 61...68 { gateway.advance(to: Double(second)) }
        #expect(gateway.story.count == 2)
        gateway.pipeline.handle(.proven, at: TestGateway.moment(68))
        gateway.advance(to: 69)
        #expect(gateway.story == ["enter 1/2", "enter bags", "exit 1/2", "exit bags"])
    }

    @Test func `after a blindness a received beacon stays inside without a second enter`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        gateway.pipeline.handle(.state(.poweredOff, reason: "off"), at: TestGateway.moment(6))
        gateway.advance(to: 100)
        gateway.pipeline.handle(.state(.poweredOn, reason: "on"), at: TestGateway.moment(101))
        gateway.receive(from: 102, to: 110)
        #expect(gateway.story == ["enter 1/2", "enter bags"])
        #expect(gateway.states(on: state, RegionState.self).last?.state == .inside)
        #expect(gateway.states(on: proximity, RangedState.self).last?.proximity != .unknown)
    }

    @Test func `an exit clears the retained states of the beacon`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        gateway.receiveOthers(from: 6, to: 30)
        #expect(gateway.story.last == "exit bags")
        #expect(gateway.published(on: proximity).last == "")
        #expect(gateway.states(on: state, RegionState.self).last?.state == .outside)
    }

    @Test func `after a new connection all retained topics are published again`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 4)
        gateway.pipeline.disconnected(at: TestGateway.moment(5))
        let before = gateway.published(on: proximity).count
        gateway.connect(at: 6)
        gateway.receive(from: 6, to: 7)
        #expect(gateway.published(on: .gatewayAvailability(gateway: "kitchen")) == ["online", "online"])
        #expect(gateway.published(on: proximity).count == before + 1)
        #expect(gateway.states(on: state, RegionState.self).last?.state == .inside)
    }

    @Test func `a gateway repeats that it is online after each connect, as an offline of it may come late`() {
        var gateway = TestGateway()
        let topic = Topic.gatewayAvailability(gateway: "kitchen")
        for began in [0, 21] {
            let before = gateway.published(on: topic).count
            gateway.connect(at: Double(began))
            for (second, count) in [(4, 1), (5, 2), (14, 2), (15, 3), (18, 3)] {
                gateway.advance(to: Double(began + second))
                #expect(gateway.published(on: topic).dropFirst(before) == Array(repeating: "online", count: count)[...])
            }
            gateway.pipeline.disconnected(at: TestGateway.moment(Double(began + 20)))
        }
        // Without a connection there is nothing to repeat.
        gateway.connect(at: 61)
        gateway.pipeline.disconnected(at: TestGateway.moment(62))
        for second in 63...90 { gateway.advance(to: Double(second)) }
        #expect(gateway.published(on: topic).count == 7)
    }

    @Test func `the farewell publishes unknown states, clears them, and ends with offline`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        let farewell = gateway.pipeline.farewell(at: TestGateway.moment(6))
        #expect(farewell.last == Message(.gatewayAvailability(gateway: "kitchen"), .offline))
        #expect(farewell.filter { $0.topic == proximity }.map(\.payload.isEmpty) == [false, true])
        #expect(gateway.story == ["enter 1/2", "enter bags"])
    }

    @Test func `a clock that jumps by years changes nothing`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 5)
        for (step, years) in [(6.0, 30.0), (7, -40), (8, 0)] {
            var moment = TestGateway.moment(step)
            moment.wall = moment.wall + .seconds(years * 31_557_600)
            gateway.receive(at: step)
            gateway.pipeline.advance(to: moment)
        }
        gateway.receive(from: 9, to: 20)
        #expect(gateway.story == ["enter 1/2", "enter bags"])
    }

    @Test func `telemetry counts every advertisement once`() {
        var gateway = TestGateway()
        gateway.connect()
        gateway.receive(from: 1, to: 10)
        let nonsense: [UInt8] = [2, 1, 6]
        for _ in 0..<5 {
            gateway.pipeline.receive(
                Advertisement(
                    address: DeviceAddress(bits: 1, kind: .public), rssi: nil, at: TestGateway.moment(11).instant),
                nonsense.span.bytes)
        }
        let readings = TelemetryMeter.Readings(
            processorTime: .seconds(0.5), residentBytes: 8 << 20, radio: ScanCounters(), outbox: 2, reconnects: 1)
        gateway.pipeline.publishTelemetry(readings, at: TestGateway.moment(20))
        gateway.advance(to: 20)
        let telemetry = gateway.states(on: .gatewayTelemetry(gateway: "kitchen"), Telemetry.self).last
        #expect(telemetry?.adverts == 15)
        #expect(telemetry?.sightings == 10)
        #expect(telemetry?.refused == ["not_a_beacon": 5])
        #expect(telemetry?.advertsPerSecond == 0.8)
        #expect(telemetry?.cpuPercent == 2.5)
        #expect(telemetry?.beacons == 1)
    }

    @Test func `a power supply that becomes too weak is a problem at once, until it is strong enough, each time`() {
        var gateway = TestGateway()
        gateway.connect()
        func infos() -> [GatewayInfo] { gateway.states(on: .gatewayInfo(gateway: "kitchen"), GatewayInfo.self) }
        gateway.pipeline.note(GatewayInfo.Machine(temperature: 45), at: TestGateway.moment(1))
        gateway.advance(to: 1)
        let (problems, count) = (infos().last?.problems ?? [], infos().count)
        var seconds = 2.0
        for _ in 0..<2 {
            for isWeak in [true, true, false, false] {
                gateway.pipeline.note(
                    GatewayInfo.Machine(temperature: 45, isUndervolted: isWeak), at: TestGateway.moment(seconds))
                gateway.advance(to: seconds)
                seconds += 1
                let last = infos().last
                #expect(last?.machine?.isUndervolted == isWeak && last?.machine?.temperature == 45)
                #expect(last?.problems.filter { $0.contains("undervoltage") }.count == (isWeak ? 1 : 0))
            }
        }
        #expect(infos().count == count + 4 && infos().last?.problems == problems)
    }

    @Test func `a beacon is published at most once a second, however late its windows end`() {
        var gateway = TestGateway()
        gateway.connect()
        for step in 0..<200 {
            let second = Double(step) * 0.3
            gateway.receive(rssi: step / 17 % 2 == 0 ? -50 : -80, at: second)
            // Now and then the process is busy elsewhere.
            if step % 5 != 3 { gateway.advance(to: second) }
        }
        let reported: [RangedState] = gateway.states(on: .proximity(TestGateway.bag, gateway: "kitchen"))
        let gaps = zip(reported, reported.dropFirst()).map { $1.stamp.uptime - $0.stamp.uptime }
        #expect(reported.count > 5)
        #expect(gaps.allSatisfy { $0 >= .seconds(1) }, "\(gaps.map(\.seconds))")
    }

    @Test func `a region's text is in its events`() {
        var gateway = TestGateway(
            TestGateway.bagRegion + "\nentry_text = \"Welcome\"\nexit_text = \"Come back soon\"\n")
        gateway.connect()
        gateway.receive(from: 0, to: 3)
        gateway.receiveOthers(from: 4, to: 30)
        let messages = gateway.events.compactMap { event -> String? in
            if case .region(let event) = event { event.message } else { nil }
        }
        #expect(messages == ["Welcome", "Come back soon"])
    }

    @Test func `a still beacon that scatters is published at each heartbeat, and a real move soon`() {
        var gateway = TestGateway()
        gateway.connect()
        let topic = Topic.proximity(TestGateway.bag, gateway: "kitchen")
        // Some 5 dB, as indoors; always the same.
        let scatter: [Int8] = [0, 7, -4, 2, -8, 5, -1, 3, -6, 4, 8, -5, -2, 6, -7, 1, -3]
        for second in 0..<100 {
            gateway.receive(from: Double(second), to: Double(second), rssi: -70 + scatter[second % 17])
        }
        let still: [RangedState] = gateway.states(on: topic)
        #expect((10...20).contains(still.count), "\(still.count) in 100 s")
        for second in 100..<104 {
            gateway.receive(from: Double(second), to: Double(second), rssi: -50 + scatter[second % 17])
        }
        let moved: [RangedState] = gateway.states(on: topic)
        #expect(moved.dropFirst(still.count).contains { ($0.current?.rssi ?? -99) > -60 })
    }

    @Test func `a thousand false identities of a region are a problem in info, until ten minutes after the last`() {
        let info = Topic.gatewayInfo(gateway: "kitchen")
        func problems(_ gateway: TestGateway) -> [String] {
            gateway.states(on: info, GatewayInfo.self).last?.problems ?? ["no info"]
        }
        var gateway = TestGateway()
        gateway.connect()
        for number in 0..<1000 {
            gateway.receive(BeaconIdentity(uuid: TestGateway.bag.uuid, major: 9, minor: UInt16(number)), at: 1)
        }
        gateway.advance(to: 1)
        #expect(problems(gateway) == [])
        gateway.receive(at: 2)
        gateway.advance(to: 2)
        #expect(gateway.story.last == "enter 1/2")
        #expect(problems(gateway).count == 1)
        #expect(problems(gateway)[0].hasPrefix("more than 1000 beacons of wildcard regions are in range"))
        gateway.receiveOthers(from: 3, to: 600)
        #expect(problems(gateway).count == 1)
        gateway.receiveOthers(from: 601, to: 610)
        #expect(problems(gateway) == [])
    }

    /// A gateway with six beacons of 1 s that all stop after five minutes.
    private func stopped() -> TestGateway {
        var gateway = TestGateway(
            TestGateway.bagRegion.replacing("exit_after = \"10s\"", with: "exit_after = \"auto\""))
        gateway.connect()
        for second in 0..<300 {
            for beacon in sixBeacons { gateway.receive(beacon, at: Double(second)) }
            gateway.advance(to: Double(second))
        }
        return gateway
    }

    private var sixBeacons: [BeaconIdentity] {
        (1...6).map { BeaconIdentity(uuid: TestGateway.bag.uuid, major: 9, minor: $0) }
    }

    /// Lets seconds pass without an advertisement; the adapter responds.
    private func pass(_ seconds: ClosedRange<Int>, in gateway: inout TestGateway) {
        for second in seconds {
            gateway.advance(to: Double(second))
            gateway.pipeline.handle(.proven, at: TestGateway.moment(Double(second)))
        }
    }

    private func problems(_ gateway: TestGateway) -> [String] {
        gateway.states(on: .gatewayInfo(gateway: "kitchen"), GatewayInfo.self).last?.problems ?? ["no info"]
    }

    @Test func `six beacons that stop at one moment are a problem in info and no exit, until a beacon is received`() {
        var gateway = stopped()
        #expect(problems(gateway) == [])
        pass(300...460, in: &gateway)
        #expect(problems(gateway) == [RegionMonitoring.outageProblem])
        gateway.receive(sixBeacons[0], at: 461)
        gateway.advance(to: 461)
        #expect(problems(gateway) == [])
        #expect(gateway.story.allSatisfy { $0.hasPrefix("enter") })
    }

    @Test func `after three minutes of receiving nothing exits are published, and the problem stays in info`() {
        var gateway = stopped()
        pass(300...490, in: &gateway)
        #expect(gateway.story.count { $0.hasPrefix("exit 9/") } == 6)
        pass(491...600, in: &gateway)
        #expect(problems(gateway) == [RegionMonitoring.outageProblem])
        gateway.receiveOthers(from: 601, to: 602)
        #expect(problems(gateway) == [])
    }
}

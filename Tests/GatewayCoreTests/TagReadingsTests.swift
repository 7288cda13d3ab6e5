import Beacons
import Messages
import Testing

@testable import GatewayCore

/// What tags report about their batteries, in the ranged states of a gateway.
@Suite("A tag that reports its battery")
struct TagReadingsTests {
    private static let tag = DeviceAddress("C0:00:00:00:00:01", kind: .random)!
    private static let other = DeviceAddress("C0:00:00:00:00:02", kind: .random)!
    private static let iBeacon = BeaconFrame(
        format: .iBeacon, identity: TestGateway.bag, measuredPower: MeasuredPower(dBm: -59)
    ).advertisingData

    /// Battery Service data of a percentage.
    private static func battery(_ percent: UInt8) -> [UInt8] { [0x04, 0x16, 0x0F, 0x18, percent] }

    /// Eddystone-TLM of 2,350 mV and 21.5 °C.
    private static let telemetry: [UInt8] =
        [0x11, 0x16, 0xAA, 0xFE, 0x20, 0x00, 0x09, 0x2E, 0x15, 0x80] + [UInt8](repeating: 0, count: 8)

    private static func receive(
        _ data: [UInt8], from address: DeviceAddress = tag, rssi: Int8 = -60, at second: Double,
        _ gateway: inout TestGateway
    ) {
        let advertisement = Advertisement(
            address: address, rssi: RSSI(dBm: rssi), at: TestGateway.moment(second).instant)
        gateway.pipeline.receive(advertisement, data.span.bytes)
    }

    /// The readings of each ranged state of the bag that was published.
    private static func readings(_ gateway: TestGateway) -> [TagReadings] {
        gateway.states(on: .proximity(TestGateway.bag, gateway: "kitchen"), RangedState.self).map(\.readings)
    }

    /// A gateway that receives the bag each second for half a minute, and `extra` after the first of them.
    private static func gateway(
        _ extra: [(data: [UInt8], address: DeviceAddress)], sendsFrom address: DeviceAddress = tag,
        frame: [UInt8] = iBeacon
    ) -> TestGateway {
        var gateway = TestGateway()
        for second in 1...30 {
            receive(frame, from: address, at: Double(second), &gateway)
            if second == 1 {
                for (data, address) in extra { receive(data, from: address, at: 1, &gateway) }
            }
            gateway.advance(to: Double(second))
        }
        return gateway
    }

    @Test func `from the beacon's address is known with each further state, and newer values replace older ones`() {
        var gateway = Self.gateway([(Self.telemetry, Self.tag), (Self.battery(12), Self.tag)])
        let readings = Self.readings(gateway)
        let expected = TagReadings(batteryPercent: 12, batteryMillivolts: 2350, temperatureTenths: 215)
        #expect(readings.count > 2 && readings.allSatisfy { $0 == expected })
        Self.receive(Self.battery(11), at: 31, &gateway)
        gateway.receive(from: 31, to: 60)
        #expect(Self.readings(gateway).last?.batteryPercent == 11)
        #expect(Self.readings(gateway).last?.batteryMillivolts == 2350)
        let states = gateway.states(on: .proximity(TestGateway.bag, gateway: "kitchen"), RangedState.self)
        #expect(states.allSatisfy { $0.batteryAge != nil } && states.map { $0.batteryAge! }.max()! >= 20)
        #expect(states.last!.batteryAge! <= 29, "the newer value begins a new age")
    }

    /// A percentage decides whether a battery is low, so its age counts, and not that of the voltage.
    @Test func `in per cent now and then and its voltage all the time has the age of the percentage, each time`() {
        var gateway = TestGateway()
        for second in 1...60 {
            Self.receive(Self.iBeacon, at: Double(second), &gateway)
            Self.receive(Self.telemetry, at: Double(second), &gateway)
            if second % 30 == 1 { Self.receive(Self.battery(12), at: Double(second), &gateway) }
            gateway.advance(to: Double(second))
        }
        let states = gateway.states(on: .proximity(TestGateway.bag, gateway: "kitchen"), RangedState.self)
        for start in [1.0, 31.0] {
            let ages = states.filter { (start + 1..<start + 29).contains(($0.stamp.at - TestGateway.start).seconds) }
                .map { ($0.batteryAge ?? 0, ($0.stamp.at - TestGateway.start).seconds - start) }
            #expect(ages.count >= 2 && ages.allSatisfy { abs(Double($0.0) - $0.1) <= 1 }, "\(ages)")
        }
    }

    @Test func `and any other has its interval in the ranged states, once the gateway has learned it`() throws {
        func intervals(_ exitAfter: String) -> [Double?] {
            var gateway = TestGateway(TestGateway.bagRegion.replacing("10s", with: exitAfter))
            gateway.receive(from: 1, to: 300)
            return gateway.states(on: .proximity(TestGateway.bag, gateway: "kitchen"), RangedState.self).map(\.interval)
        }
        let learned = intervals("auto")
        #expect(learned.count > 20)
        #expect((0.9...1.1).contains(try #require(learned.last ?? nil)))
        #expect(intervals("10s").allSatisfy { $0 == nil }, "nothing is learned")
    }

    @Test func `in the beacon's own advertisement is known`() {
        let gateway = Self.gateway([], frame: Self.iBeacon + Self.battery(12))
        #expect(Self.readings(gateway).last == TagReadings(batteryPercent: 12))
    }

    /// A phone's advertisement has no beacon's frame, and so has room for readings.
    @Test func `in the advertisement of a phone is known`() throws {
        let phone = try #require(IdentityKey(PhoneTests.key)).beacon
        var gateway = TestGateway("[[region]]\nidentifier = \"Phones\"\nuuid = \"\(phone.uuid)\"\n")
        gateway.pipeline.recognise(try IdentityKeys(file: "\(PhoneTests.key) Anna's phone"))
        for second in 1...30 {
            Self.receive(Self.battery(12), from: PhoneTests.address, at: Double(second), &gateway)
            gateway.advance(to: Double(second))
        }
        let states = gateway.states(on: .proximity(phone, gateway: "kitchen"), RangedState.self)
        #expect(states.last?.readings == TagReadings(batteryPercent: 12))
    }

    @Test func `before the beacon was received is known`() {
        var gateway = TestGateway()
        Self.receive(Self.telemetry, at: 1, &gateway)
        gateway.receive(from: 5, to: 10)
        #expect(Self.readings(gateway).last?.batteryMillivolts == 2350)
    }

    @Test(arguments: [
        other, DeviceAddress(bits: tag.bits, kind: .public), DeviceAddress(bits: tag.bits, kind: .anonymous),
    ])
    func `from another address, or one of another kind, is not the beacon's`(address: DeviceAddress) {
        let readings = Self.readings(Self.gateway([(Self.telemetry, address)]))
        #expect(readings.count > 2 && readings.allSatisfy { !$0.hasAny })
    }

    @Test func `anonymously is not known, because all anonymous senders are one`() {
        let anonymous = DeviceAddress(bits: 0, kind: .anonymous)
        let gateway = Self.gateway([(Self.telemetry, anonymous)], sendsFrom: anonymous)
        #expect(Self.readings(gateway).last?.hasAny == false)
    }

    @Test func `and shares its identity with another tag is known if it is the stronger one`() {
        var gateway = TestGateway()
        for second in 1...30 {
            let at = Double(second)
            Self.receive(Self.iBeacon + Self.battery(12), from: Self.tag, rssi: -85, at: at, &gateway)
            Self.receive(Self.iBeacon + Self.battery(90), from: Self.other, rssi: -50, at: at, &gateway)
            Self.receive(Self.iBeacon + Self.battery(12), from: Self.tag, rssi: -85, at: at + 0.5, &gateway)
            gateway.advance(to: at + 0.6)
        }
        #expect(Self.readings(gateway).last == TagReadings(batteryPercent: 90))
    }

    @Test func `causes no message of its own, and is counted as before`() {
        let silent = Self.gateway([])
        let reporting = Self.gateway([(Self.telemetry, Self.tag)])
        #expect(Self.readings(silent).count == Self.readings(reporting).count)
        let counters = reporting.pipeline.monitoring.reader.counters
        #expect(counters[refused: .unsupportedFrame] == 1 && counters.adverts == 31)
        #expect(silent.pipeline.monitoring.readings.count == 0)
    }

    @Test func `among thousands of strangers takes no more memory than the limit`() {
        var gateway = Self.gateway([])
        for number in 0..<10_000 {
            let stranger = DeviceAddress(bits: UInt64(number) + 1000, kind: .random)
            Self.receive(Self.telemetry, from: stranger, at: 31, &gateway)
        }
        Self.receive(Self.telemetry, at: 31, &gateway)
        gateway.receive(from: 31, to: 60)
        #expect(gateway.pipeline.monitoring.readings.count == RegionMonitoring.mostReadings)
        #expect(Self.readings(gateway).last?.batteryMillivolts == 2350)
    }
}

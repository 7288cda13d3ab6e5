import Beacons
import Testing

@testable import Locating

@Suite struct OccupancySensorsTests {
    /// How the sensors of a row of rooms behave.
    enum Behaviour: CaseIterable {
        case right, random, alwaysOn, alwaysOff, ofNextRoom
    }

    /// Two rooms, an item that is carried to and fro for some minutes, and what the sensors show meanwhile.
    private func learned(_ behaviour: Behaviour, minutes: Int = 20) -> OccupancySensors {
        var row = Row(rooms: 3)
        let model = LocatorModel(site: row.site)
        var locator = Locator(model: model)
        var sensors = OccupancySensors()
        var random = SplitMix64(seed: 5)
        for second in 0..<minutes * 60 {
            let now = Instant(milliseconds: Int64(second) * 1000)
            let room = second / 45 % 3
            for gateway in 0..<3 { locator.report(gateway: gateway, rssi: row.rssi(gateway, from: room), at: now) }
            for sensor in 0..<3 {
                let isOn =
                    switch behaviour {
                    case .right: sensor == room
                    case .random: second % 17 == 0 ? Bool.random(using: &random) : nil
                    case .alwaysOn: true
                    case .alwaysOff: false
                    case .ofNextRoom: sensor == (room + 1) % 3
                    }
                if let isOn { sensors.set(isOn: isOn, of: "\(sensor)", since: now) }
            }
            if second == 0 { sensors.assign { "room \($0)" } }
            _ = locator.estimate(at: now)
            sensors.learn(from: locator, at: now)
        }
        return sensors
    }

    /// Nats by room, once a sensor has just been switched on, and the others are off.
    private func evidence(_ sensors: OccupancySensors, on id: Int, after seconds: Double = 1) -> [String: Double] {
        var sensors = sensors
        let now = Instant(milliseconds: 10_000_000)
        for sensor in 0..<3 {
            sensors.set(isOn: sensor != id, of: "\(sensor)", since: now)
            sensors.set(isOn: sensor == id, of: "\(sensor)", since: now)
        }
        var evidence: [String: Double] = [:]
        sensors.forEachRoom(at: now + .seconds(seconds)) { evidence[$0] = $1 }
        return evidence
    }

    @Test
    func `a sensor that was right makes its room likelier, and the others less likely, by a factor of three at most`()
        throws
    {
        let evidence = evidence(learned(.right), on: 1)
        let (on, off) = (try #require(evidence["room 1"]), try #require(evidence["room 0"]))
        #expect(on > 0.7 && on <= 1.0987, "\(evidence)")
        #expect(off < -0.5 && off >= -1.0987, "\(evidence)")
    }

    @Test(arguments: Behaviour.allCases.filter { $0 != .right })
    func `a sensor that is wrong does not make its room likelier`(behaviour: Behaviour) throws {
        for room in 0..<3 {
            let evidence = try #require(evidence(learned(behaviour, minutes: 180), on: room)["room \(room)"])
            #expect(evidence < 0.35, "\(behaviour): \(evidence)")
        }
    }

    @Test func `a sensor of which nothing was learned counts nothing`() {
        var sensors = OccupancySensors()
        sensors.set(isOn: true, of: "0", since: .zero)
        sensors.assign { "room \($0)" }
        #expect(evidence(sensors, on: 0)["room 0"] == 0)
    }

    @Test func `a sensor counts less a while after it switched on, and is against its room after five minutes`() throws
    {
        let sensors = learned(.right)
        func after(_ seconds: Double) throws -> Double {
            try #require(evidence(sensors, on: 1, after: seconds)["room 1"])
        }
        #expect(try after(39) > 0.7)
        #expect(try after(41) < after(39))
        #expect(try after(301) < 0)
    }

    @Test func `a state of unknown age counts like a sensor that is off, and the same state again changes nothing`()
        throws
    {
        var sensors = learned(.right)
        let now = Instant(milliseconds: 10_000_000)
        sensors.set(isOn: false, of: "1", since: now)
        sensors.set(isOn: true, of: "1", since: nil)
        sensors.set(isOn: true, of: "1", since: now)
        var found: Double?
        sensors.forEachRoom(at: now + .seconds(1)) { if $0 == "room 1" { found = $1 } }
        #expect(try #require(found) < 0)
    }

    @Test func `a sensor's reliability in one room does not count for another room`() {
        var sensors = learned(.right)
        sensors.assign { _ in "another" }
        #expect(evidence(sensors, on: 1)["another"] == 0)
        sensors.assign { _ in nil }
        #expect(evidence(sensors, on: 1).isEmpty)
        #expect(sensors.withoutRoom == ["0", "1", "2"])
    }

    /// The estimate of an item that came to where two gateways receive it alike, once the sensor of the second one's room shows somebody, or no
    /// sensor counts.
    private func estimate(after wait: Int, hasSensors: Bool = true) -> RoomEstimate {
        let model = LocatorModel(site: Row(rooms: 3).site)
        var locator = Locator(model: model)
        var sensors = learned(.right)
        for sensor in 0..<3 { sensors.set(isOn: false, of: "\(sensor)", since: nil) }
        func now(_ second: Int) -> Instant { Instant(milliseconds: 10_000_000 + Int64(second) * 1000) }
        for second in 0..<wait + 50 {
            if second == 40 + wait, hasSensors {
                sensors.set(isOn: true, of: "1", since: now(second))
                locator.sensors = sensors
            }
            let rssiValues = second < 40 ? [-90.0, -80, -50] : [-60, -60.5, -85]
            for gateway in 0..<3 { locator.report(gateway: gateway, rssi: rssiValues[gateway], at: now(second)) }
            _ = locator.estimate(at: now(second))
        }
        return locator.estimate(at: now(wait + 50))
    }

    @Test func `a sensor decides between two rooms for an item that moves, and not for a still one`() {
        #expect(estimate(after: 10).room == "room 1")
        #expect(estimate(after: 10, hasSensors: false).room == "room 0")
        #expect(estimate(after: 300) == estimate(after: 300, hasSensors: false))
    }
}

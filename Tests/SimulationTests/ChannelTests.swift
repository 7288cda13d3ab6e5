import Beacons
import Testing

@testable import Simulation

struct ChannelTests {
    private let channel = House.Channel()

    private func loss(at metres: Double, through walls: [House.Wall] = [], up height: Double = 0) -> Double {
        channel.attenuation(
            from: House.Position(x: 0, y: 0, z: 1), to: House.Position(x: metres, y: 0, z: 1 + height), through: walls)
    }

    @Test func `the level falls by 20 dB per tenfold distance, and faster far away`() {
        #expect(abs(loss(at: 1)) < 1e-9)
        #expect(abs(loss(at: 5) - loss(at: 0.5) - 20) < 1e-9)
        #expect(abs(loss(at: 80) - loss(at: 8) - 40) < 1e-9)
        #expect(loss(at: 0) == loss(at: 0.1))
    }

    @Test func `walls and floors take what they are made of`() {
        func wall(_ kind: House.Wall.Kind, at x: Double) -> House.Wall {
            House.Wall(kind: kind, floor: 0, hasOneX: true, line: x, span: -1...1)
        }
        #expect(abs(loss(at: 5, through: [wall(.inner, at: 1), wall(.inner, at: 2)]) - loss(at: 5) - 8) < 1e-9)
        #expect(abs(loss(at: 5, through: [wall(.outer, at: 1), wall(.outer, at: 6)]) - loss(at: 5) - 10) < 1e-9)
        #expect(abs(loss(at: 0, up: 2.8) - loss(at: 2.8) - 14) < 1e-9)
    }

    @Test func `shadowing is smooth in space, and has the standard deviation of the channel`() {
        let seed = Seed(4)
        var (sum, squares, steps) = (0.0, 0.0, 0.0)
        for index in 0..<20_000 {
            let at = House.Position(x: Double(index) * 0.713, y: Double(index % 100) * 1.37, z: Double(index % 7) * 0.9)
            let value = Noise.at(at, size: 1.5, seed: seed)
            let near = Noise.at(House.Position(x: at.x + 0.01, y: at.y, z: at.z), size: 1.5, seed: seed)
            sum += value
            squares += value * value
            steps = max(steps, abs(near - value))
        }
        #expect(abs(sum / 20_000) < 0.05)
        #expect(abs(squares / 20_000 - 1) < 0.05)
        #expect(steps < 0.1)
    }

    @Test func `flutter is smooth in time, also before 1970`() {
        let seed = Seed(4)
        var (squares, steps) = (0.0, 0.0)
        for index in 0..<20_000 {
            let time = Int64(index - 10_000) * 7_130_000_000
            let value = Noise.along(time, length: 15_000_000_000, seed: seed)
            squares += value * value
            steps = max(steps, abs(Noise.along(time + 100_000_000, length: 15_000_000_000, seed: seed) - value))
        }
        #expect(abs(squares / 20_000 - 1) < 0.05)
        #expect(steps < 0.1)
    }

    /// Everything in one room of 40 m with one gateway at its end, to which a tag sends from places that differ in nothing but distance.
    private func hall(with tags: [House.Transmitter.Motion], people: Int = 0) -> House {
        let room = House.Room(name: "Hall", x: 0...40, y: -2...2)
        let transmitters = tags.map {
            House.Transmitter(
                interval: .milliseconds(20), power: -59, motion: $0,
                address: .fixed(DeviceAddress(bits: 1, kind: .public)))
        }
        return House(
            seed: 1, plan: House.Plan(rooms: [room], doors: []),
            gateways: [House.Gateway(id: "hall", room: "Hall", position: House.Position(x: 0, y: 0, z: 1))],
            people: Array(repeating: House.Person(goesOut: false), count: people),
            tags: transmitters.enumerated().map { index, transmitter in
                House.Tag(
                    name: "Tag \(index)",
                    beacon: BeaconIdentity(uuid: House.uuid, major: 1, minor: UInt16(index)),
                    measuredPower: MeasuredPower(dBm: -59), transmitter: transmitter)
            })
    }

    @Test func `sightings get weaker and rarer with distance, and end`() {
        let places = [1.0, 3, 9, 22, 39].map { House.Transmitter.Motion.rests(House.Position(x: $0, y: 0, z: 1)) }
        var house = hall(with: places)
        house.channel.bursts = nil
        var receiver = HouseReceiver(house: house, gateway: house.gateways[0], from: .zero)
        var (counts, sums) = ([Int](repeating: 0, count: 5), [Double](repeating: 0, count: 5))
        while let reception = receiver.next(before: .zero + .seconds(60)) {
            guard case .tag(let tag) = reception.source else { continue }
            counts[tag] += 1
            sums[tag] += Double(reception.rssi.dBm)
        }
        let means = zip(sums, counts).map { $0 / Double($1) }
        #expect(means[0] > means[1] && means[1] > means[2] && means[2] > means[3])
        // 60 s at 25 ms, of which a tenth collides.
        #expect((2100...2220).contains(counts[0]))
        #expect(counts[0] > counts[3] && counts[3] > counts[4] * 5)
    }

    @Test func `a body makes a tag fainter on its far side`() {
        let place = House.Position(x: 3, y: 0, z: 1)
        var link = RadioLink(from: 0, power: -59, to: hall(with: []).gateways[0], in: hall(with: []))
        let levels = [(-1.0, 0.0), (0.0, 1.0), (1.0, 0.0)].map { x, y in
            link.level(at: .zero, of: Antenna(position: place, free: (x, y)))
        }
        let alone = link.level(at: .zero, of: Antenna(position: place, free: nil))
        #expect(abs(levels[0] - alone) < 1e-9)
        #expect(abs(levels[1] - alone + 4.5) < 1e-9)
        #expect(abs(levels[2] - alone + 9) < 1e-9)
    }

    @Test func `an adapter that scans a tenth of the time receives a tenth`() {
        var house = hall(with: [.rests(House.Position(x: 2, y: 0, z: 1))])
        func count() -> Int {
            var receiver = HouseReceiver(house: house, gateway: house.gateways[0], from: .zero)
            var count = 0
            while receiver.next(before: .zero + .seconds(60)) != nil { count += 1 }
            return count
        }
        let always = count()
        house.channel.scan = ScanDuty(window: .milliseconds(10), interval: .milliseconds(100))
        #expect(abs(Double(count()) / Double(always) - 0.1) < 0.03)
    }
}

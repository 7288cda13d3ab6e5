import Beacons
import Glibc
import Locating
import Simulation

/// A house whose radio is as hard as that of real ones, or harder: every second one is kind, the others are harsh.
///
/// The table of `RadioField` has what the radio draws. Rooms: 4 to 9 of `House.generated`, on two floors from 9 on; a gateway in each at a wall, 0.5 to 2.2 m
/// up, its coordinates known by the plan. Somebody stays 30 to 180 s at a place, walks at 0.6 to 1.2 m/s, and turns every 20 s where he stands.
/// Tags send every 0.5, 1 or 2 s where they are carried and every 1, 2, 5 or 10 s where they lie, at -59 dBm, give or take 3 dB.
struct GeneratedHouse {
    let seed: UInt64
    let temper: RadioField.Temper
    private(set) var house: House
    private let field: RadioField
    /// The gateways of some rooms are missing.
    private var absent: Set<String> = []

    init(seed: UInt64) {
        self.seed = seed
        temper = seed / 2 % 2 == 0 ? .kind : .harsh
        let rooms = [4, 5, 6, 7, 9][Int(seed / 4 % 5)]
        var house = House.generated(rooms: rooms, gateways: rooms, tags: 0, seed: Hash.of(seed, 77), others: 0)
        var random = Random(state: Hash.of(seed, 78))
        house.people = Array(repeating: House.Person(goesOut: false), count: 4)
        house.habits.stay = 30...180
        house.habits.speed = 0.6...1.2
        let height = 0.5...2.2
        let free = temper == .kind ? 0.3...0.7 : 0.15...0.85
        house.gateways = house.gateways.enumerated().map { index, gateway in
            var gateway = gateway
            let room = house.plan.rooms[index]
            let along = random.uniform(in: free)
            let isAlongX = random.uniform() < 0.5
            let edge = random.uniform() < 0.5 ? 0.04 : 0.96
            let (x, y) = isAlongX ? (along, edge) : (edge, along)
            gateway.position = House.Position(
                x: room.x.lowerBound + x * (room.x.upperBound - room.x.lowerBound),
                y: room.y.lowerBound + y * (room.y.upperBound - room.y.lowerBound),
                z: Double(room.floor) * House.Plan.storey + random.uniform(in: height))
            return gateway
        }
        self.house = house
        field = RadioField(house: house, temper: temper)
    }

    /// Every fourth room without its gateway.
    func withoutAQuarter() -> GeneratedHouse {
        var copy = self
        for (index, gateway) in house.gateways.enumerated() where index % 4 == 2 { copy.absent.insert(gateway.id) }
        return copy
    }

    /// Two rooms with an open door between them share one gateway, which is at that door; `nil` where the house has no such door. The gateway of the
    /// second room is missing.
    func sharing() -> (house: GeneratedHouse, gateway: String, rooms: [String])? {
        for door in house.plan.doors {
            guard let to = door.to else { continue }
            let rooms = [door.from, to].map { house.plan.rooms[$0] }
            guard rooms[0].floor == rooms[1].floor else { continue }
            var moved = house
            let height = moved.gateways[door.from].position.z
            moved.gateways[door.from].position = House.Position(x: door.at.x + 0.3, y: door.at.y + 0.3, z: height)
            let gateway = house.gateways[door.from].id
            return (GeneratedHouse(self, moved, absent: [house.gateways[to].id]), gateway, rooms.map(\.name))
        }
        return nil
    }

    /// The same house after some moves of gateways.
    func moving(_ moves: some Sequence<Placement.Move>) -> GeneratedHouse {
        var after = house
        var moved: Set<Int> = []
        for move in moves {
            guard let index = house.gateways.firstIndex(where: { $0.id == move.gateway }) else { continue }
            after.gateways[index].position.x = move.to.x
            after.gateways[index].position.y = move.to.y
            moved.insert(index)
        }
        return GeneratedHouse(self, after, absent: absent, moved: moved)
    }

    /// The rooms of which most is received better by another room's gateway, by the mean level at 1.1 m above the floor.
    var confusedRooms: [String] {
        house.plan.rooms.enumerated().filter { number, room in
            var (all, elsewhere) = (0, 0)
            for x in stride(from: room.x.lowerBound + 0.15, to: room.x.upperBound, by: 0.3) {
                for y in stride(from: room.y.lowerBound + 0.15, to: room.y.upperBound, by: 0.3) {
                    let at = House.Position(x: x, y: y, z: Double(room.floor) * House.Plan.storey + 1.1)
                    let gains = house.gateways.indices.map { field.gain(from: at, at: $0) }
                    all += 1
                    elsewhere +=
                        gains.enumerated().contains { $0.offset != number && $0.element > gains[number] } ? 1 : 0
                }
            }
            return 2 * elsewhere > all
        }.map(\.element.name)
    }

    private init(_ other: GeneratedHouse, _ house: House, absent: Set<String>, moved: Set<Int> = []) {
        seed = other.seed
        temper = other.temper
        self.house = house
        field = RadioField(house: house, temper: temper, moved: moved)
        self.absent = absent
    }

    /// What the aggregator knows: names.
    var names: Site { names(shared: nil, with: nil) }

    /// The same, one gateway being between its room and another.
    func names(shared gateway: String?, with other: String?) -> Site {
        Site(
            rooms: house.plan.rooms.map { Site.Room(name: $0.name, floor: $0.floor) },
            gateways: gateways.map {
                Site.Gateway(id: $0.id, room: $0.room, otherRooms: $0.id == gateway ? [other].compactMap(\.self) : [])
            })
    }

    /// The same with a plan.
    var plan: Site {
        Site(
            rooms: house.plan.rooms.map { room in
                let corners = [
                    (room.x.lowerBound, room.y.lowerBound), (room.x.upperBound, room.y.lowerBound),
                    (room.x.upperBound, room.y.upperBound), (room.x.lowerBound, room.y.upperBound),
                ]
                return Site.Room(
                    name: room.name, floor: room.floor,
                    polygon: Polygon(corners: corners.map { Polygon.Point(x: $0.0, y: $0.1) }))
            },
            doors: house.plan.doors.compactMap { door in
                guard let to = door.to else { return nil }
                let (from, other) = (house.plan.rooms[door.from], house.plan.rooms[to])
                return Site.Door(
                    from: from.name, to: other.name,
                    at: Polygon.Point(x: door.at.x, y: door.at.y))
            },
            gateways: gateways.map { gateway in
                let floor = House.Plan.floor(of: gateway.position)
                return Site.Gateway(
                    id: gateway.id, room: gateway.room,
                    position: Polygon.Point(x: gateway.position.x, y: gateway.position.y),
                    height: gateway.position.z - Double(floor) * House.Plan.storey, floor: floor)
            })
    }

    private var gateways: [House.Gateway] { house.gateways.filter { !absent.contains($0.id) } }

    /// A tag that somebody carries about for some time; `number` is which tag, and which day.
    func carried(_ number: Int, seconds: Double, interval: Double? = nil, weaker: Double = 0) -> Walk {
        var random = Random(state: Hash.of(house.seed, UInt64(1000 + number)))
        let interval = interval ?? [0.5, 1, 1, 2][Int(random.uniform() * 4)]
        let power = -59 + 3 * random.gaussian() - weaker
        let (height, side) = (random.uniform(in: 0.5...1.4), random.uniform(in: -3.1...3.1))
        var walked = house
        walked.tags = [
            House.Tag(
                name: "Tag", beacon: BeaconIdentity(uuid: House.uuid, major: 1, minor: 1),
                measuredPower: MeasuredPower(dBm: -59),
                transmitter: House.Transmitter(
                    interval: .seconds(interval), power: power,
                    motion: .carried(by: number % 4, height: height, side: side),
                    address: .fixed(DeviceAddress(bits: 1, kind: .random))))
        ]
        var positions = HousePositions(walked)
        let begin = Double(number) * 7200
        var turn = Hash.of(house.seed, UInt64(number))
        var facing = (x: 1.0, y: 0.0)
        var last: House.Position?
        var turned = -100.0
        return record(tag: number, power: power, seconds: seconds, interval: interval, begin: begin, &random) { time in
            let at = HouseTime(nanoseconds: Int64((begin + time) * 1e9))
            let position = positions.position(ofTag: 0, at: at)
            let before = last ?? position
            let (x, y) = (position.x - before.x, position.y - before.y)
            let length = (x * x + y * y).squareRoot()
            if length > 0.05 {
                facing = (x / length, y / length)
            } else if time - turned > 20 {
                // Who stands about turns now and then.
                turn = Hash.of(turn, 1)
                let angle = Double(turn >> 11) * 0x1p-53 * 2 * .pi
                (facing, turned) = ((cos(angle), sin(angle)), time)
            }
            last = position
            let free = (facing.x * cos(side) - facing.y * sin(side), facing.x * sin(side) + facing.y * cos(side))
            return (position, free)
        }
    }

    /// A tag that is still somewhere in a room.
    func still(_ number: Int, seconds: Double) -> Walk {
        var random = Random(state: Hash.of(house.seed, UInt64(2000 + number)))
        let interval = [1.0, 2, 5, 10][number % 4]
        let room = house.plan.rooms[(number * 5 + Int(random.uniform() * 3)) % house.plan.rooms.count]
        let position = House.Position(
            x: random.uniform(in: room.x.lowerBound + 0.2...room.x.upperBound - 0.2),
            y: random.uniform(in: room.y.lowerBound + 0.2...room.y.upperBound - 0.2),
            z: Double(room.floor) * House.Plan.storey + random.uniform(in: 0.2...1.8))
        let power = -59 + 3 * random.gaussian()
        return record(
            tag: 500 + number, power: power, seconds: seconds, interval: interval, begin: Double(number) * 7200, &random
        ) { _ in (position, nil) }
    }

    /// A tag that somebody carries around each room, one after the other, as a survey asks for: from spot to spot, at 0.5 m/s, some seconds at each.
    func surveyed(_ number: Int, seconds: Double) -> Walk {
        var random = Random(state: Hash.of(house.seed, UInt64(4000 + number)))
        let power = -59 + 3 * random.gaussian()
        let (height, side) = (random.uniform(in: 0.8...1.4), random.uniform(in: -3.1...3.1))
        let legs = house.plan.rooms.map { room in
            (0...Int(seconds / 6)).map { _ in
                House.Position(
                    x: random.uniform(in: room.x.lowerBound + 0.3...room.x.upperBound - 0.3),
                    y: random.uniform(in: room.y.lowerBound + 0.3...room.y.upperBound - 0.3),
                    z: Double(room.floor) * House.Plan.storey + height)
            }
        }
        return record(
            tag: 900 + number, power: power, seconds: seconds * Double(legs.count), interval: 1,
            begin: Double(number) * 7200, &random
        ) { time in
            let room = min(legs.count - 1, Int(time / seconds))
            let leg = (time - Double(room) * seconds) / 6
            let (from, to) = (legs[room][Int(leg)], legs[room][min(Int(leg) + 1, legs[room].count - 1)])
            let (x, y) = (to.x - from.x, to.y - from.y)
            let length = max(0.01, (x * x + y * y).squareRoot())
            let share = min(1, (leg - leg.rounded(.down)) * 6 * 0.5 / length)
            let facing = (x: x / length, y: y / length)
            let free = (facing.x * cos(side) - facing.y * sin(side), facing.x * sin(side) + facing.y * cos(side))
            return (House.Position(x: from.x + share * x, y: from.y + share * y, z: from.z), free)
        }
    }

    /// A tag that is still for ten minutes, is carried off within some seconds, and is still for five minutes in another room.
    func putElsewhere(_ number: Int) -> Walk {
        var random = Random(state: Hash.of(house.seed, UInt64(3000 + number)))
        let first = Int(random.uniform() * Double(house.plan.rooms.count))
        let second = (first + 1 + Int(random.uniform() * Double(house.plan.rooms.count - 1))) % house.plan.rooms.count
        let places = [first, second].map { index in
            let room = house.plan.rooms[index]
            return House.Position(
                x: random.uniform(in: room.x.lowerBound + 0.2...room.x.upperBound - 0.2),
                y: random.uniform(in: room.y.lowerBound + 0.2...room.y.upperBound - 0.2),
                z: Double(room.floor) * House.Plan.storey + random.uniform(in: 0.2...1.8))
        }
        let power = -59 + 3 * random.gaussian()
        return record(
            tag: 700 + number, power: power, seconds: 900, interval: [1.0, 2, 5, 10][number % 4],
            begin: Double(number) * 7200, &random
        ) { time in (places[time < 600 ? 0 : 1], nil) }
    }

    private func record(
        tag: Int, power: Double, seconds: Double, interval: Double, begin: Double, _ random: inout Random,
        _ place: (Double) -> (House.Position, (x: Double, y: Double)?)
    ) -> Walk {
        var rows: [Recording.Row] = []
        var truth: [Truth.Row] = []
        var time = random.uniform() * interval
        while time < seconds {
            let (position, free) = place(time)
            let sending = RadioField.Sending(
                position: position, free: free, at: begin + time, tag: UInt64(tag), power: power)
            let milliseconds = Int64(time * 1000)
            if let room = house.plan.room(at: position).map({ house.plan.rooms[$0].name }), room != truth.last?.room {
                truth.append(Truth.Row(milliseconds: milliseconds, beacon: "tag", room: room))
            }
            for (index, gateway) in house.gateways.enumerated() {
                let rssi = field.rssi(of: sending, at: index, &random)
                guard let rssi, !absent.contains(gateway.id) else { continue }
                rows.append(
                    Recording.Row(milliseconds: milliseconds, gateway: gateway.id, beacon: "tag", rssi: rssi))
            }
            time += interval + random.uniform() * 0.01
        }
        return Walk(name: "tag \(tag)", recording: Recording(rows: rows), truth: Truth(rows: truth))
    }
}

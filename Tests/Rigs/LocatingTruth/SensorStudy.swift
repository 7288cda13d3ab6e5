import Beacons
import Glibc
import Locating
import Simulation

/// The occupancy sensors of a generated house: one in each room, while its people walk about.
///
/// Within a second a sensor notices somebody who walks in its room nine times in ten, and somebody who stays there one time in ten. It stays
/// on for 30 to 90 s after that.
struct HouseSensors {
    /// What is wrong with the sensors.
    enum Fault: String, CaseIterable {
        case none
        /// On and off for 10 to 120 s each, whoever is where.
        case random
        case alwaysOn
        /// Each sensor is in the room after the one that its name gives.
        case swapped
    }

    /// A sensor that switches on or off.
    struct Change {
        var milliseconds: Int64
        var room: String
        var isOn: Bool
    }

    /// Seconds before the begin in which the sensors work already.
    private static let before = 400

    let house: House
    /// The people who walk about.
    let people: [Int]
    let fault: Fault

    /// The changes within some seconds of the house's life, dated since `begin`.
    func changes(from begin: Double, seconds: Int) -> [Change] {
        var watched = house
        watched.tags = people.map { person in
            House.Tag(
                name: "\(person)", beacon: BeaconIdentity(uuid: House.uuid, major: 1, minor: UInt16(person)),
                measuredPower: MeasuredPower(dBm: -59),
                transmitter: House.Transmitter(
                    interval: .seconds(1), power: -59, motion: .carried(by: person, height: 1, side: 0),
                    address: .fixed(DeviceAddress(bits: 1, kind: .random))))
        }
        var positions = HousePositions(watched)
        var random = Random(state: Hash.of(house.seed, UInt64(begin) &+ 4000))
        let rooms = house.plan.rooms
        var until = rooms.map { _ in -1.0 }
        var next = rooms.map { _ in 0.0 }
        var isOn = rooms.map { _ in false }
        var last: [House.Position?] = people.map { _ in nil }
        var changes: [Change] = []
        for second in -Self.before...seconds {
            let time = Double(second)
            let at = HouseTime(nanoseconds: Int64(max(0, begin + time) * 1e9))
            for index in people.indices {
                let position = positions.position(ofTag: index, at: at)
                let walks = last[index].map { $0.distance(to: position) > 0.1 } ?? false
                last[index] = position
                guard let room = house.plan.room(at: position), random.uniform() < (walks ? 0.9 : 0.1) else { continue }
                until[room] = time + 30 + 60 * Hash.unit(house.seed, 41, UInt64(room), 0)
            }
            for room in rooms.indices {
                let isDue = time >= next[room]
                if isDue { next[room] = time + 10 + 110 * random.uniform() }
                let shows =
                    switch fault {
                    case .none: until[room] > time
                    case .swapped: until[(room + 1) % rooms.count] > time
                    case .alwaysOn: true
                    case .random: isOn[room] != isDue
                    }
                guard shows != isOn[room] else { continue }
                isOn[room] = shows
                changes.append(Change(milliseconds: Int64(second) * 1000, room: rooms[room].name, isOn: shows))
            }
        }
        return changes
    }
}

/// The filter with what gateways receive, and with the states of sensors.
struct SensorPath {
    /// What is known of the sensors; goes on from walk to walk.
    var sensors = OccupancySensors()

    /// What the filter makes of a walk, once a second.
    mutating func rows(_ model: LocatorModel, _ walk: Walk, _ changes: [HouseSensors.Change]) -> [Replay.Row] {
        for room in model.rooms {
            sensors.set(isOn: true, of: room, since: nil)
            sensors.set(isOn: false, of: room, since: nil)
        }
        if changes.isEmpty { sensors = OccupancySensors() }
        sensors.assign { $0 }
        var locator = Locator(model: model)
        for gateway in model.gateways.indices { locator.scans(gateway: gateway, since: .zero) }
        var reported = ReportedRoom()
        var (nextSighting, nextChange) = (0, 0)
        let sightings = walk.recording.rows
        return Rule.all[0].rows(model.site, walk).map { replayed in
            let now = Instant(milliseconds: replayed.milliseconds)
            while nextChange < changes.count, changes[nextChange].milliseconds <= replayed.milliseconds {
                let change = changes[nextChange]
                sensors.set(isOn: change.isOn, of: change.room, since: Instant(milliseconds: change.milliseconds))
                nextChange += 1
                locator.sensors = sensors
            }
            while nextSighting < sightings.count, sightings[nextSighting].milliseconds <= replayed.milliseconds {
                let row = sightings[nextSighting]
                nextSighting += 1
                guard let gateway = model.index(ofGateway: row.gateway) else { continue }
                locator.report(gateway: gateway, rssi: row.rssi, at: Instant(milliseconds: row.milliseconds))
            }
            let estimate = locator.estimate(at: now)
            sensors.learn(from: locator, at: now)
            var row = replayed
            row.isMove = reported.update(with: estimate, at: now) != nil
            row.room = reported.room
            row.confidence = reported.room.flatMap(estimate.share(of:)) ?? 0
            return row
        }
    }
}

extension HouseStudy {
    /// The questions about sensors: how many people walk about, what is wrong with the sensors, and whether somebody carried an item for forty
    /// minutes before.
    static let sensors: [(words: String, people: Int, fault: HouseSensors.Fault?, isKnown: Bool)] = [
        ("none", 1, nil, false), ("one person", 1, HouseSensors.Fault.none, true),
        ("one person, new sensors", 1, HouseSensors.Fault.none, false),
        ("two people", 2, HouseSensors.Fault.none, true), ("four people", 4, HouseSensors.Fault.none, true),
        ("random", 2, .random, true), ("random, new", 2, .random, false), ("always on", 2, .alwaysOn, true),
        ("swapped", 2, .swapped, true), ("swapped, new", 2, .swapped, false),
    ]

    /// What occupancy sensors add.
    mutating func sense(
        _ house: GeneratedHouse, name: String, _ model: LocatorModel, _ walks: [Walk], _ stills: [Walk]
    ) {
        for (words, people, fault, isKnown) in Self.sensors {
            for (kind, walks) in [("walking", walks), ("still", stills)] {
                let question = "\(kind), \(name), sensors: \(words)"
                guard isRequested(question) else { continue }
                func changes(_ number: Int, seconds: Int) -> [HouseSensors.Change] {
                    fault.map { fault in
                        HouseSensors(house: house.house, people: (0..<people).map { (number + $0) % 4 }, fault: fault)
                            .changes(from: Double(number) * 7200, seconds: seconds)
                    } ?? []
                }
                var path = SensorPath()
                if isKnown {
                    for number in 10..<12 {
                        let walk = house.carried(number, seconds: 1200)
                        if !walk.recording.rows.isEmpty {
                            _ = path.rows(model, walk, changes(number, seconds: 1200))
                        }
                    }
                }
                var number = 0
                add(question, house, walks) { walk in
                    defer { number += 1 }
                    var path = path
                    return path.rows(model, walk, changes(number, seconds: 900))
                }
            }
        }
    }
}

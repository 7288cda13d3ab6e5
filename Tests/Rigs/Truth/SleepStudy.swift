import Beacons
import Glibc
import Locating
import Ranging
import Simulation

/// A tag that advertises only while it moves, and for some seconds after, in a flat of five rooms: what its silences are taken for.
struct SleepStudy {
    /// Which tag, in a flat with how many gateways.
    struct Kind {
        var interval: Double
        /// For how many seconds the tag goes on after it was put down.
        var awake: Double
        /// In so many of the five rooms is a gateway.
        var gateways = 4
    }

    private(set) var rests = 0.0
    private(set) var departures = 0.0
    /// Times at rest that were taken for a departure.
    private(set) var falseLeft = 0.0
    /// Departures that were taken for a rest.
    private(set) var missed = 0.0

    private let kind: Kind
    private var random: Random
    private var departure = Departure()
    private var clock = 0.0
    private let tagGain: Double
    private let gains: [Double]
    /// The shadowing of each place of 2 m, by gateway.
    private var shadows: [Int: Double] = [:]
    /// What the body takes on this way, by gateway.
    private var body: [Double]

    private typealias Place = (x: Double, y: Double)
    private static let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
    /// The door of the flat of 10 m by 8 m is at the hall's outer wall.
    private static let door: Place = (5, 0)
    private static let places: [Place] = [(5, 1.6), (1, 1), (9, 1.5), (1.5, 7), (8.5, 6.5)]

    /// One item's life of so many days: fourteen times at rest and two departures a day.
    init(_ kind: Kind, days: Int, seed: UInt64) {
        self.kind = kind
        random = Random(seed: seed &* 7919 &+ 17)
        tagGain = 3 * random.gaussian()
        var gains: [Double] = []
        for _ in Self.places { gains.append(2 * random.gaussian()) }
        self.gains = gains
        body = gains.map { _ in 0 }
        var here = randomPlace()
        for _ in 0..<days {
            for number in 0..<14 {
                if number % 7 == 3 {
                    clock += 3600
                    walk([here, Self.door, (Self.door.x + 12 * random.gaussian(), -60)], hidden: 0)
                    departures += 1
                    if !departure.isLikely { missed += 1 }
                    departure.forget()
                    clock += 3600
                    let next = randomPlace()
                    walk([(Self.door.x, -40), Self.door, next], hidden: hiding())
                    here = next
                } else {
                    clock += 3600
                    let next = randomPlace()
                    walk([here, next], hidden: hiding())
                    here = next
                }
                rests += 1
                if departure.isLikely { falseLeft += 1 }
                departure.forget()
            }
        }
    }

    private mutating func randomPlace() -> Place { (0.3 + 9.4 * random.unit(), 0.3 + 7.4 * random.unit()) }

    /// Three in ten times the item is in a drawer, a coat or a bag under others.
    private mutating func hiding() -> Double { random.unit() < 0.3 ? 12 * random.unit() : 0 }

    /// Walks along places at 1.2 m/s and then is still there.
    private mutating func walk(_ places: [Place], hidden: Double) {
        for gateway in body.indices { body[gateway] = 5 * random.gaussian() }
        var rangers = (0..<kind.gateways).map { _ in Ranger() }
        var boards = (0..<kind.gateways).map { _ in ProximityBoard(heartbeat: .seconds(10)) }
        for index in rangers.indices {
            rangers[index].setRegions([Region(id: "tag", identifier: "Tag", scope: .beacon(Self.identity))])
        }
        var legs: [(from: Place, to: Place, seconds: Double)] = []
        for (from, to) in zip(places, places.dropFirst()) {
            legs.append((from, to, hypot(to.x - from.x, to.y - from.y) / 1.2))
        }
        let moving = legs.reduce(0) { $0 + $1.seconds }
        let begin = clock
        var second = clock + 1
        var finals: [Int: (rssi: Double, at: Double)] = [:]
        while clock < begin + moving + kind.awake {
            clock += kind.interval + random.unit() * 0.01
            while second < clock {
                report(&rangers, &boards, at: second)
                second += 1
            }
            var elapsed = clock - begin
            var place = places[places.count - 1]
            for leg in legs {
                if elapsed < leg.seconds {
                    let share = elapsed / leg.seconds
                    place = (leg.from.x + share * (leg.to.x - leg.from.x), leg.from.y + share * (leg.to.y - leg.from.y))
                    break
                }
                elapsed -= leg.seconds
            }
            let isCarried = clock < begin + moving
            for gateway in 0..<kind.gateways {
                let level =
                    level(of: place, at: gateway) + (isCarried ? body[gateway] : -hidden) + 4.5 * random.gaussian()
                guard
                    random.unit() < 0.9 * RadioModel.decodingProbability(level: level, sensitivity: -91, softness: 1.5)
                else { continue }
                finals[gateway] = (level.rounded(), clock)
                rangers[gateway].receive(
                    Sighting(
                        beacon: Self.identity, rssi: RSSI(dBm: Int8(max(-105, min(-20, level.rounded())))),
                        measuredPower: MeasuredPower(dBm: -59), address: DeviceAddress(bits: 1, kind: .random),
                        at: Instant(nanoseconds: Int64(clock * 1e9))))
            }
        }
        for _ in 0..<15 {
            report(&rangers, &boards, at: second)
            second += 1
        }
        for (gateway, final) in finals {
            departure.receive(final.rssi, at: "\(gateway)", at: Instant(nanoseconds: Int64(final.at * 1e9)))
        }
        clock = second
    }

    private mutating func report(_ rangers: inout [Ranger], _ boards: inout [ProximityBoard], at second: Double) {
        let now = Instant(nanoseconds: Int64(second * 1e9))
        for gateway in rangers.indices {
            for ranged in rangers[gateway].advance(to: now) {
                guard let posting = boards[gateway].update(with: ranged), let rssi = posting.rssi else { continue }
                departure.receive(rssi, at: "\(gateway)", at: now)
            }
        }
    }

    private mutating func level(of place: Place, at gateway: Int) -> Double {
        let there = Self.places[gateway]
        let metres = max(0.5, hypot(place.x - there.x, place.y - there.y))
        var walls = 0.0
        for x in [3.5, 6.5] where (place.x < x) != (there.x < x) { walls += 1 }
        if (place.y < 4) != (there.y < 4) { walls += 1 }
        let outside = place.y < 0 ? 8.0 : 0
        let cell = (Int((place.x + 100) / 2) * 1000 + Int((place.y + 100) / 2)) * 10 + gateway
        if shadows[cell] == nil { shadows[cell] = 4 * random.gaussian() }
        let loss = RadioModel.distanceLoss(metres, exponent: 2.4) + 4.5 * walls + outside
        return -59 + tagGain + gains[gateway] - loss + shadows[cell]!
    }
}

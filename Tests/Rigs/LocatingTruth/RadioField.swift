import Beacons
import Glibc
import Simulation

/// What the radio of a generated house is like: all of it is drawn from the house's seed.
///
/// | | kind | harsh |
/// |---|---|---|
/// | exponent of the distance | 2.2 to 2.6 | 2.2 to 3 |
/// | inner wall; outer wall; floor, dB | 6 to 10; 8; 12 | 3 to 6; 8; 12 |
/// | door, shut three times in five for 4 min, dB | 0.8 walls | 0.8 walls |
/// | shadowing over 2 m, standard deviation, dB | 2 | 4 |
/// | gain of a gateway, standard deviation, dB | 1 | 2 |
/// | body of who carries the tag, dB | ±3 | ±6 |
/// | somebody before a gateway, 45 s in 11 min, dB | 3 to 8 | 3 to 8 |
/// | Rice's K through no wall, one, more | 10, 6, 3 | 6, 3, 0 |
/// | gateways along a wall, share of its length | 0.3 to 0.7 | 0.15 to 0.85 |
///
/// Each of three advertising channels has reflections of its own; seven tenths of their power stay as long as the tag stays within 6 cm. Half of the packets are
/// decoded at -92 dBm; a tenth is lost anyway, and all for 3 s in a hundred.
///
/// The house, its walls and the formulas are those of `Simulation`. The field is not `House.Channel`: the filter's accuracy is measured in
/// houses that are harder than those in which the filter is developed, and that share no random number with them.
struct RadioField {
    /// How hard a house makes it, from what is drawn for it.
    enum Temper: String, CaseIterable {
        case kind, harsh
    }

    /// One gateway's field: waves whose sum is the shadowing, and what is special about its adapter.
    private struct Antenna {
        var position: House.Position
        var gain: Double
        var waves: [(x: Double, y: Double, z: Double, phase: Double)]
        var seed: UInt64
    }

    /// Metres over which the phase of a reflection stays the same.
    private static let wavelength = 0.125
    private static let waves = 24
    /// The share of the time in which an open door is shut.
    private static let shut = 0.6

    private let temper: Temper
    private let exponent: Double
    private let wall: Double
    private let shadowing: Double
    private let plan: House.Plan
    /// The open doors, as pieces of wall: they are shut now and then.
    private let doors: [(number: Int, leaf: House.Wall)]
    private var antennas: [Antenna] = []
    private let seed: UInt64

    /// dBm at which half the packets are decoded.
    private static let sensitivity = -92.0

    /// - Parameter moved: the gateways that were moved: their shadowing is another.
    init(house: House, temper: Temper, moved: Set<Int> = []) {
        var random = Random(state: Hash.of(house.seed, 11))
        self.temper = temper
        let isKind = temper == .kind
        exponent = isKind ? random.uniform(in: 2.2...2.6) : random.uniform(in: 2.2...3)
        wall = isKind ? random.uniform(in: 6...10) : random.uniform(in: 3...6)
        shadowing = isKind ? 2 : 4
        plan = house.plan
        doors = house.plan.doors.enumerated().compactMap { number, door in
            door.kind == .open ? door.leaf.map { (number, $0) } : nil
        }
        seed = house.seed
        antennas = house.gateways.enumerated().map { index, gateway in
            var waves = Self.drawnWaves(&random)
            if moved.contains(index) {
                var other = Random(state: Hash.of(house.seed, UInt64(5000 + index)))
                waves = Self.drawnWaves(&other)
            }
            return Antenna(
                position: gateway.position, gain: (isKind ? 1 : 2) * random.gaussian(), waves: waves,
                seed: Hash.of(house.seed, UInt64(100 + index)))
        }
    }

    private static func drawnWaves(_ random: inout Random) -> [(x: Double, y: Double, z: Double, phase: Double)] {
        (0..<waves).map { _ in
            // Normal wave numbers: the correlation falls to 1/e over 2 m.
            let scale = 2.0.squareRoot() / 2
            return (
                x: scale * random.gaussian(), y: scale * random.gaussian(), z: scale * random.gaussian(),
                phase: random.uniform() * 2 * .pi
            )
        }
    }

    /// Where the tag is when it sends, and how it is held.
    struct Sending {
        var position: House.Position
        /// The unit vector in the plan from the body to the tag; `nil`: nobody carries it.
        var free: (x: Double, y: Double)?
        /// Seconds since the house's beginning.
        var at: Double
        /// Counts the tags: their reflections differ.
        var tag: UInt64
        /// dBm at 1 m.
        var power: Double
    }

    /// dBm at which one advertisement comes in; `nil` where it is lost.
    func rssi(of sending: Sending, at index: Int, _ random: inout Random) -> Double? {
        let antenna = antennas[index]
        var (level, walls) = steady(from: sending.position, to: antenna)
        level += sending.power
        // A door counts on both floors: the published accuracies of the houses with two floors are of such doors.
        for (number, leaf) in doors
        where House.Plan.floor(of: sending.position) == House.Plan.floor(of: antenna.position)
            && isShut(number, at: sending.at)
        {
            if leaf.crossingInPlan(from: sending.position, to: antenna.position) != nil { level -= 0.8 * wall }
        }
        level += slow(sending.at, over: 15, Hash.of(antenna.seed, sending.tag))
        level -= body(sending, antenna) + passers(sending.at, antenna)
        level += fading(sending, antenna, walls: walls, channel: UInt64(random.uniform() * 3))
        let decoding = RadioModel.decodingProbability(level: level, sensitivity: Self.sensitivity, softness: 1.5)
        let isDecoded = random.uniform() < decoding
        return isDecoded && random.uniform() >= 0.1 && !isBurst(sending.at, antenna) ? level.rounded() : nil
    }

    /// dB from 1 m to a gateway in the mean over time, nobody being in the way.
    func gain(from position: House.Position, at index: Int) -> Double {
        let antenna = antennas[index]
        let isBeside = House.Plan.floor(of: position) == House.Plan.floor(of: antenna.position)
        let crossed = doors.count { isBeside && $0.leaf.crossingInPlan(from: position, to: antenna.position) != nil }
        return steady(from: position, to: antenna).gain - Self.shut * 0.8 * wall * Double(crossed)
    }

    /// dB of the distance, walls, floors, shadowing and adapter, and how many walls count.
    private func steady(from position: House.Position, to antenna: Antenna) -> (gain: Double, walls: Int) {
        var walls = 0
        var loss = 0.0
        for piece in plan.walls where piece.crosses(from: position, to: antenna.position) {
            walls += 1
            loss += piece.kind == .inner ? wall : 8
        }
        let storeys = abs(House.Plan.floor(of: position) - House.Plan.floor(of: antenna.position))
        let distance = max(0.5, position.distance(to: antenna.position))
        loss += RadioModel.distanceLoss(distance, exponent: exponent) + 12 * Double(storeys)
        let uneven =
            antenna.waves.reduce(0) { $0 + cos($1.x * position.x + $1.y * position.y + $1.z * position.z + $1.phase) }
            * shadowing * (2 / Double(Self.waves)).squareRoot()
        return (antenna.gain - loss + uneven, walls + 2 * storeys)
    }

    /// Four minutes shut or open, shut most often.
    private func isShut(_ door: Int, at time: Double) -> Bool {
        Hash.unit(seed, 7, UInt64(door), UInt64(time / 240)) < Self.shut
    }

    /// dB that the body takes: from -6, where its wearer faces the gateway, to 6.
    private func body(_ sending: Sending, _ antenna: Antenna) -> Double {
        guard let free = sending.free else { return 0 }
        return -(temper == .kind ? 3.0 : 6)
            * RadioModel.facing(free, from: sending.position, to: antenna.position, nearest: 0.1)
    }

    /// dB that somebody takes who stands before the gateway for a while: one minute in fourteen.
    private func passers(_ time: Double, _ antenna: Antenna) -> Double {
        let turn = UInt64(time / 45)
        guard Hash.unit(antenna.seed, 1, turn, 0) < 0.07 else { return 0 }
        return 3 + 5 * Hash.unit(antenna.seed, 2, turn, 0)
    }

    private func isBurst(_ time: Double, _ antenna: Antenna) -> Bool {
        Hash.unit(antenna.seed, 3, UInt64(time / 3), 0) < 0.03
    }

    /// Rice's distribution in dB of one advertising channel at one place; the more walls, the less of it comes straight.
    private func fading(_ sending: Sending, _ antenna: Antenna, walls: Int, channel: UInt64) -> Double {
        let isKind = temper == .kind
        let straight = walls == 0 ? (isKind ? 10.0 : 6) : walls == 1 ? (isKind ? 6 : 3) : (isKind ? 3 : 0)
        func cell(_ metres: Double) -> UInt64 { UInt64(bitPattern: Int64((metres / Self.wavelength * 2).rounded())) }
        let place = Hash.of(
            cell(sending.position.x) &* 0x9E3779B97F4A7C15 ^ cell(sending.position.y), cell(sending.position.z))
        let still = Hash.of(antenna.seed ^ place, channel + 20)
        // Of the reflections most stay as long as nothing moves; the others come from who walks about.
        let moving = Hash.of(antenna.seed ^ UInt64(sending.at * 2), channel + 30 + sending.tag * 8)
        func reflection(_ number: UInt64) -> Double {
            (0.7).squareRoot() * Hash.gaussian(still, number) + (0.3).squareRoot() * Hash.gaussian(moving, number)
        }
        return RadioModel.fading(directness: straight, reflection: (reflection(1), reflection(2)), least: 1e-4)
    }

    /// Smooth noise of variance 1 that is another after `seconds`.
    private func slow(_ time: Double, over seconds: Double, _ seed: UInt64) -> Double {
        let cell = (time / seconds).rounded(.down)
        let share = time / seconds - cell
        let (a, b) = (Hash.gaussian(Hash.of(seed, UInt64(cell)), 5), Hash.gaussian(Hash.of(seed, UInt64(cell) + 1), 5))
        return Noise.between(a, b, share: share)
    }
}

/// Chance without a state: what happens at any place and time is a hash of both.
enum Hash {
    static func of(_ a: UInt64, _ b: UInt64) -> UInt64 {
        SplitMix64.scrambled(SplitMix64.scrambled(a) &+ b &* 0xC2B2_AE3D_27D4_EB4F)
    }

    static func unit(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) -> Double {
        Variates.uniform(from: of(of(a, b), of(c, d)))
    }

    static func gaussian(_ seed: UInt64, _ number: UInt64) -> Double {
        Variates.normal(from: of(seed, number))
    }
}

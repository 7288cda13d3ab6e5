import Beacons
import Glibc

/// The way from one transmitter to one gateway: what arrives there of each advertisement.
struct RadioLink: Sendable {
    private let channel: House.Channel
    private let walls: [House.Wall]
    private let gateway: House.Gateway
    private let power: Double
    private let shadow: Seed
    private let flutter: Seed
    private let packets: Seed
    private let bursts: BurstClock?
    /// Where the transmitter was last, and what arrives from there before all that changes with time.
    private var known: (position: House.Position, level: Double)?

    init(from transmitter: Int, power: Double, to gateway: House.Gateway, in house: House) {
        channel = house.channel
        walls = house.plan.walls
        self.gateway = gateway
        self.power = power
        let seed = Seed(house.seed)
        shadow = seed[.shadow][gateway.id]
        flutter = seed[.flutter][gateway.id][transmitter]
        packets = seed[.packet][gateway.id][transmitter]
        bursts = house.channel.bursts.map { BurstClock($0, seed: seed[.burst][gateway.id][transmitter]) }
    }

    /// The RSSI of the advertisement `number`; `nil` where it is not received.
    mutating func rssi(ofAdvertisement number: Int64, at time: HouseTime, from antenna: Antenna) -> RSSI? {
        let mean = level(at: time, of: antenna)
        guard mean + RadioLink.mostFading > channel.noiseFloor else { return nil }
        var random = packets[number].generator
        let level = mean + fading(&random)
        guard random.chance((1 - channel.loss) * channel.reception(atLevel: level)) else { return nil }
        if let bursts, let loss = channel.bursts?.loss, random.chance(loss), bursts.isBad(at: time) { return nil }
        let received = 10 * log10(pow(10, level / 10) + pow(10, channel.noiseFloor / 10))
        return RSSI(dBm: Int8(max(-127, min(20, received.rounded()))))
    }

    /// What arrives on average in dBm: everything but fading and loss.
    mutating func level(at time: HouseTime, of antenna: Antenna) -> Double {
        let noise = Noise.along(time.nanoseconds, length: Int64(channel.flutterTime * 1e9), seed: flutter)
        return lastingLevel(from: antenna.position) + channel.flutter * noise - bodyLoss(of: antenna)
    }

    private mutating func lastingLevel(from position: House.Position) -> Double {
        if let known, known.position == position { return known.level }
        let noise = Noise.at(position, size: channel.shadowingLength, seed: shadow)
        let loss = channel.attenuation(from: position, to: gateway.position, through: walls)
        let level = power + gateway.offset - loss + channel.shadowing * noise
        known = (position, level)
        return level
    }

    /// The loss in dB to the carrier's body: nothing if the tag faces the gateway, half if it is abreast, all if the body stands between.
    private func bodyLoss(of antenna: Antenna) -> Double {
        guard let free = antenna.free else { return 0 }
        return channel.body * (1 - RadioModel.facing(free, from: antenna.position, to: gateway.position)) / 2
    }

    private func fading(_ random: inout SplitMix64) -> Double {
        let reflection = (Variates.normal(from: random.next()), Variates.normal(from: random.next()))
        return RadioModel.fading(directness: channel.directness, reflection: reflection, least: 1e-6)
    }

    /// dB that fading can add at most, reflections being bounded as `Noise` is.
    private static let mostFading = 10.0
}

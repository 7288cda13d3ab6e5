import SiteCore
import Beacons
import GatewayCore
import Settings
import Simulation
import SimulationTestSupport

/// What one seed draws: a house, what lives in it, how the services are configured, and all that befalls them.
package struct Scenario: Sendable {
    /// What every run's true wall clock shows at its start.
    static let start = WallTime("2026-11-21T05:40:00Z")!
    /// What a wildcard region of every gateway names, beside the items of the registry.
    static let bags = "bags"

    /// From this everything is drawn.
    package let seed: UInt64
    let house: House
    /// The first so many tags are items; the others are members of the wildcard region alone.
    let itemCount: Int
    /// The fixed exit time; `nil`: the learned one.
    let exitAfter: Interval?
    let enterSightings: Int
    /// Whether the clients use MQTT 5, whose messages expire and whose wills wait.
    let speaksFive: Bool
    /// When the last fault is over.
    let calmFrom: Instant
    /// When all has to agree.
    let end: Instant
    /// When each tag is taken out of everybody's range.
    let absences: [[Range<Instant>]]
    /// In the order in which they begin.
    let faults: [Fault]
    /// How often the broker writes what it has to its disk.
    let autosave: Interval

    /// The scenario of a seed. Without `clockSteps` nothing but those is left out.
    init(seed: UInt64, clockSteps: Bool = true) {
        self.seed = seed
        var random = Xoshiro256(seed: seed)
        exitAfter = random.chance(0.7) ? .seconds(random.uniform(in: 10...40).rounded()) : nil
        enterSightings = random.chance(0.75) ? 1 : 2
        speaksFive = random.chance(0.8)
        calmFrom = Instant.zero + .seconds(random.uniform(in: 300...900))
        // The longest silence that can be required, then what a will, a heartbeat and a new connection take.
        end = calmFrom + (exitAfter ?? .seconds(600)) + Self.agreement
        house = Self.house(seed: seed, exitAfter: exitAfter, &random)
        itemCount = max(1, house.tags.count - 1)
        var absences: [[Range<Instant>]] = []
        for _ in house.tags { absences.append(Self.absences(until: calmFrom, end: end, &random)) }
        self.absences = absences
        let all = Fault.draw(gateways: house.gateways.count, until: calmFrom, &random)
        autosave = .seconds(random.uniform(in: 1...17) * random.uniform(in: 1...17))
        faults = clockSteps ? all : all.filter { $0.kind != .clockSteps }
    }

    /// Within so long after the last fault, and the silence required, the aggregator agrees with the truth: a heartbeat's validity (75 s),
    /// a connection's longest pause, and the seconds that messages and beliefs take.
    static let agreement = Interval.seconds(150)

    private static func house(seed: UInt64, exitAfter: Interval?, _ random: inout Xoshiro256) -> House {
        let rooms = Int.random(in: 3...5, using: &random)
        let gateways = Int.random(in: 2...rooms, using: &random)
        let tags = Int.random(in: 2...6, using: &random)
        let others = random.chance(0.5) ? 0 : random.uniform(in: 0.1...0.5)
        var house = House.generated(rooms: rooms, gateways: gateways, tags: tags, seed: seed, others: others)
        for index in house.tags.indices {
            let seconds = [0.1, 0.2, 0.5, 1, 1, 2, 5, 10].randomElement(using: &random)!
            // Who fixes the exit time of a slow tag below some of its intervals gets the flapping that he asked for.
            house.tags[index].transmitter.interval = .seconds(min(seconds, (exitAfter?.seconds ?? 600) / 12))
        }
        for index in house.people.indices { house.people[index].goesOut = random.chance(0.3) }
        house.habits.stay = 30...300
        house.habits.goingOut = 0.2
        house.habits.away = 90...400
        house.channel.bursts = Bursts(
            share: random.uniform(in: 0.01...0.1), meanLength: .seconds(random.uniform(in: 1...10)),
            loss: random.uniform(in: 0.5...1))
        house.channel.body = random.uniform(in: 5...15)
        house.channel.loss = random.uniform(in: 0.02...0.3)
        return house
    }

    /// Away now and then; one in three for good from before the calm on.
    private static func absences(
        until calm: Instant, end: Instant, _ random: inout Xoshiro256
    ) -> [Range<Instant>] {
        var absences: [Range<Instant>] = []
        var time = Instant.zero + random.exponential(mean: .seconds(300))
        while time < calm {
            let back = time + .seconds(random.uniform(in: 20...300))
            if back < calm { absences.append(time..<back) }
            time = back + random.exponential(mean: .seconds(300))
        }
        if random.chance(0.33) { absences.append(max(calm - .seconds(1), absences.last?.upperBound ?? calm)..<end) }
        return absences
    }

    /// Whether a tag is within anybody's reach, going out on foot aside.
    func isPresent(tag: Int, at time: Instant) -> Bool { !absences[tag].contains { $0.contains(time) } }

    /// gateway.toml of one gateway.
    func gatewayConfiguration(_ gateway: House.Gateway) -> GatewayConfiguration {
        let text = """
            id = "\(gateway.id)"
            room = "\(gateway.room)"
            [mqtt]
            version = "\(speaksFive ? "5" : "3.1.1")"
            [radio]
            source = "simulation"
            [monitoring]
            exit_after = "\(exitAfter.map { "\(Int64($0.seconds))s" } ?? "auto")"
            enter_sightings = \(enterSightings)
            [[region]]
            identifier = "\(Self.bags)"
            uuid = "\(House.uuid)"
            """
        let reading = readSettings(Array(text.utf8), file: "gateway.toml") {
            GatewayConfiguration($0, hostName: gateway.id)
        }
        guard let configuration = reading.configuration else { preconditionFailure("\(reading.problems)") }
        return configuration
    }

    /// aggregator.toml of the site: names only, and the items.
    var aggregatorConfiguration: AggregatorConfiguration {
        var text = "[mqtt]\nversion = \"\(speaksFive ? "5" : "3.1.1")\"\n"
        for tag in house.tags.prefix(itemCount) {
            text += """
                [[item]]
                name = "\(tag.name)"
                uuid = "\(tag.beacon.uuid)"
                major = \(tag.beacon.major)
                minor = \(tag.beacon.minor)

                """
        }
        let reading = readSettings(Array(text.utf8), file: "aggregator.toml") { AggregatorConfiguration($0) }
        guard let configuration = reading.configuration else { preconditionFailure("\(reading.problems)") }
        return configuration
    }
}

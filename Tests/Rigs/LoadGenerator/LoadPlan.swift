import Beacons
import Simulation

/// What is simulated: so many gateways and items, with people who carry some of the items about.
struct LoadPlan: Hashable, Sendable {
    /// The number of gateways, 1 to `mostGateways`.
    var gateways: Int
    /// The number of items, 1 to `mostItems`.
    var items: Int
    /// The share of items that people carry about, 0 to 1; the others lie still.
    var carried: Double
    /// Equal seeds give equal sites.
    var seed: UInt64

    /// The most gateways of one simulation.
    static let mostGateways = 10_000
    /// The most items of one simulation.
    static let mostItems = 100_000
    /// The first letters of every simulated gateway's id. No other gateway should have such an id.
    static let idPrefix = "simulated-"

    /// Creates a plan; the numbers must be in their ranges.
    init(gateways: Int, items: Int, carried: Double = 0.1, seed: UInt64 = 1) {
        precondition((1...Self.mostGateways).contains(gateways) && (1...Self.mostItems).contains(items))
        self.gateways = gateways
        self.items = items
        self.carried = max(0, min(1, carried))
        self.seed = seed
    }

    /// The gateways of one house. Gateways of different houses receive nothing of each other's items.
    static let gatewaysPerHouse = 4

    /// The houses of the site: eight rooms and up to four gateways each, and their share of the items.
    var houses: [House] {
        let count = (gateways + Self.gatewaysPerHouse - 1) / Self.gatewaysPerHouse
        return (0..<count).map { house(number: $0, of: count) }
    }

    private func house(number: Int, of count: Int) -> House {
        let requested = items / count + (number < items % count ? 1 : 0)
        let moving = Int((Double(requested) * carried).rounded())
        // Of twelve drawn tags seven are carried and five lie still, so three times as many are enough of both.
        var house = House.generated(
            rooms: 8, gateways: min(Self.gatewaysPerHouse, gateways - number * Self.gatewaysPerHouse),
            tags: (requested + 4) * 3, seed: seed &+ UInt64(number))
        house.bystanders = []
        let walking = house.tags.filter { $0.transmitter.motion.isCarried }
        let resting = house.tags.filter { !$0.transmitter.motion.isCarried }
        house.tags = Array(walking.prefix(moving) + resting.prefix(requested - moving))
        // Who goes out with an item makes it leave; a tenth of the people do.
        for person in house.people.indices { house.people[person].goesOut = person % 10 == 0 }
        for tag in house.tags.indices {
            // A house with more tags than there are minors has further majors, beyond those of all houses.
            house.tags[tag].beacon = BeaconIdentity(
                uuid: House.uuid, major: UInt16(1 + number + count * (tag >> 16)),
                minor: UInt16(truncatingIfNeeded: tag))
        }
        for gateway in house.gateways.indices {
            house.gateways[gateway].id = "\(Self.idPrefix)\(number * Self.gatewaysPerHouse + gateway + 1)"
            house.gateways[gateway].room = "House \(number + 1) \(house.gateways[gateway].room)"
        }
        return house
    }
}

extension House.Transmitter.Motion {
    /// Whether a person carries the tag.
    var isCarried: Bool {
        if case .carried = self { true } else { false }
    }
}

import Beacons
import Messages
import Ranging
import Simulation
import SimulationTestSupport

/// A large site in virtual time: what all its gateways publish, as real gateways would.
///
/// It knows neither socket nor clock. A second of the site is computed at once by `advance`.
struct SimulatedSite: Sendable {
    /// One simulated item.
    struct Item: Hashable, Sendable {
        /// The item's name, from which an aggregator derives its id.
        var name: String
        /// The item's id.
        var id: String
        /// The item's beacon.
        var beacon: BeaconIdentity
    }

    /// What one gateway knows of one tag.
    private struct Pair: Sendable {
        /// When the tag was received last; `nil` while it is out of range.
        var seenAt: Instant?
        var enteredAt = Instant.zero
    }

    private struct Gateway: Sendable {
        var id: String
        var room: String
        var receiver: HouseReceiver
        var board = ProximityBoard(heartbeat: SimulatedSite.heartbeat)
        var pairs: [Pair]
        var events: UInt64 = 0
        /// Whether its `info` is due in this second of each half minute.
        var infoPhase: Int64
    }

    /// The gateways and the tags of one house of the plan.
    private struct Household: Sendable {
        var tags: [House.Tag]
        var gateways: [Gateway]
        var firstItem: Int
        /// The second in which the gateways connect.
        var opensAt: Int64
    }

    /// How often a state is published that does not change, as gateways do by default.
    static let heartbeat = Interval.seconds(10)
    /// An item that is not received for so long has left.
    static let exitAfter = Interval.seconds(30)
    /// How many items are received for the first time in a second, at most: the houses open one after the other. Gateways that
    /// begin together would publish all their enters in one second, which no site does.
    static let opening = 100
    /// The period of `info`.
    static let infoPeriod: Int64 = 30
    /// dBm at which a tag comes into range, and below which nothing is received.
    static let (enterLevel, noiseLevel) = (-90.0, -95.0)
    /// The distance of a level, in free space.
    private static let pathLoss = PathLoss.logDistance(exponent: 2)

    /// The items, in a fixed order.
    let items: [Item]
    /// The ids of the gateways.
    var gateways: [String] { houses.flatMap { $0.gateways.map(\.id) } }

    private var houses: [Household]
    private let boot: Boot
    private let version: String
    private let start: Moment
    private let houseTime: HouseTime
    private var second: Int64 = 0
    private var chance: Xoshiro256
    private var json = JSONWriter(reserving: 1024)

    /// Creates the site of `plan`. All gateways have the same run id.
    ///
    /// - Parameter start: when the simulation starts, on both clocks.
    init(_ plan: LoadPlan, boot: Boot, version: String, at start: Moment) {
        self.boot = boot
        self.version = version
        self.start = start
        let houseTime = HouseTime(start.wall)
        self.houseTime = houseTime
        chance = Xoshiro256(seed: plan.seed)
        var items: [Item] = []
        houses = plan.houses.enumerated().map { number, house in
            let first = items.count
            for tag in house.tags {
                let name = "Simulated \(items.count + 1)"
                items.append(Item(name: name, id: "simulated-\(items.count + 1)", beacon: tag.beacon))
            }
            return Household(
                tags: house.tags,
                gateways: house.gateways.enumerated().map { index, gateway in
                    Gateway(
                        id: gateway.id, room: gateway.room,
                        receiver: HouseReceiver(house: house, gateway: gateway, from: houseTime, tagsOnly: true),
                        pairs: house.tags.map { _ in Pair() },
                        infoPhase: Int64(number * LoadPlan.gatewaysPerHouse + index) % Self.infoPeriod)
                }, firstItem: first, opensAt: Int64(1 + first / Self.opening))
        }
        self.items = items
    }

    // MARK: What is published

    /// The seconds until all gateways are connected.
    var secondsToOpen: Int64 { houses.map(\.opensAt).max() ?? 0 }

    /// Computes the next second, and publishes what the gateways publish in it.
    mutating func advance(_ publish: (Message) -> Void) {
        second += 1
        let now = Interval.seconds(Double(second))
        let time = houseTime + now
        for house in houses.indices where second >= houses[house].opensAt {
            for gateway in houses[house].gateways.indices {
                if second == houses[house].opensAt {
                    publish(Message(.gatewayAvailability(gateway: houses[house].gateways[gateway].id), .online))
                    publish(info(house, gateway, at: now))
                }
                if second % Self.infoPeriod == houses[house].gateways[gateway].infoPhase {
                    publish(info(house, gateway, at: now))
                }
                for tag in houses[house].tags.indices {
                    let level =
                        houses[house].gateways[gateway].receiver.level(ofTag: tag, at: time) + 2 * chance.gaussian()
                    step(house, gateway, tag, level: level, at: now, publish)
                }
            }
        }
    }

    /// The messages that delete everything which the broker retains of the site.
    func closing() -> [Message] {
        var messages: [Message] = []
        for house in houses {
            for gateway in house.gateways {
                for beacon in gateway.board.posted {
                    messages.append(.clearing(.proximity(beacon, gateway: gateway.id)))
                }
                // An aggregator forgets no gateway that it takes for alive.
                messages.append(Message(.gatewayAvailability(gateway: gateway.id), .offline))
                messages.append(.clearing(.gatewayInfo(gateway: gateway.id)))
                messages.append(.clearing(.gatewayAvailability(gateway: gateway.id)))
            }
        }
        return messages
    }

    /// The items that a gateway received lately, by their place in `items`. An aggregator does not know of an item that is not received
    /// whether it is home, until its exit.
    var itemsInRange: Set<Int> {
        var found: Set<Int> = []
        let lately = Instant.zero + .seconds(Double(second)) - Self.heartbeat
        for house in houses {
            for gateway in house.gateways {
                for tag in gateway.pairs.indices where gateway.pairs[tag].seenAt.map({ $0 >= lately }) ?? false {
                    found.insert(house.firstItem + tag)
                }
            }
        }
        return found
    }

    // MARK: One tag at one gateway

    private mutating func step(
        _ house: Int, _ gateway: Int, _ tag: Int, level: Double, at now: Interval, _ publish: (Message) -> Void
    ) {
        let instant = Instant.zero + now
        let beacon = houses[house].tags[tag].beacon
        var pair = houses[house].gateways[gateway].pairs[tag]
        defer { houses[house].gateways[gateway].pairs[tag] = pair }
        guard level >= (pair.seenAt == nil ? Self.enterLevel : Self.noiseLevel) else {
            guard let seenAt = pair.seenAt, instant - seenAt >= Self.exitAfter else { return }
            pair.seenAt = nil
            publish(event(.exit, house, gateway, beacon, enteredAt: pair.enteredAt, seenAt: seenAt, at: now))
            if houses[house].gateways[gateway].board.remove(beacon) {
                publish(.clearing(.proximity(beacon, gateway: houses[house].gateways[gateway].id)))
            }
            return
        }
        if pair.seenAt == nil {
            pair.enteredAt = instant
            publish(event(.enter, house, gateway, beacon, enteredAt: instant, seenAt: instant, at: now))
        }
        pair.seenAt = instant
        let power = houses[house].tags[tag].measuredPower
        let accuracy = Self.pathLoss.distance(level: level, power: power)
        let ranged = RangedBeacon(
            identity: beacon, proximity: accuracy < 0.5 ? .immediate : accuracy < 4 ? .near : .far,
            accuracyMetres: accuracy, rssiMean: level, sightings: 3, measuredPower: power, addresses: 1, at: instant)
        guard let posting = houses[house].gateways[gateway].board.update(with: ranged) else { return }
        let state = RangedState(
            gateway: houses[house].gateways[gateway].id, room: houses[house].gateways[gateway].room,
            proximity: ranged.proximity, accuracy: ranged.accuracyMetres, rssi: posting.rssi,
            current: posting.currentRSSI.map { RangedState.Current(rssi: $0, sightings: posting.currentSightings) },
            sightings: posting.sightings, measuredPower: power, addresses: 1, stamp: stamp(now),
            validFor: Validity.rangedSeconds(heartbeat: Self.heartbeat))
        publish(
            Message(.proximity(beacon, gateway: houses[house].gateways[gateway].id), state, using: &json))
    }

    private mutating func event(
        _ transition: Messages.Transition, _ house: Int, _ gateway: Int, _ beacon: BeaconIdentity, enteredAt: Instant,
        seenAt: Instant, at now: Interval
    ) -> Message {
        houses[house].gateways[gateway].events += 1
        let gateway = houses[house].gateways[gateway]
        let hasLeft = transition == .exit
        let event = BeaconEvent(
            transition, seq: gateway.events, stamp: stamp(now), gateway: gateway.id, room: gateway.room,
            beacon: beacon, regions: [], insideForSeconds: hasLeft ? (seenAt - enteredAt).seconds : nil,
            lastSeenAt: hasLeft ? start.wall + (seenAt - .zero) : nil)
        return Message(.beaconEvent(beacon, gateway: gateway.id), event, using: &json)
    }

    /// An `info` whose log is empty, because nobody responds to a request for its events.
    private mutating func info(_ house: Int, _ gateway: Int, at now: Interval) -> Message {
        let gateway = houses[house].gateways[gateway]
        let info = GatewayInfo(
            gateway: gateway.id, room: gateway.room, version: version, stamp: stamp(now),
            radio: GatewayInfo.Radio(source: "simulation", state: .poweredOn), regions: 0)
        return Message(.gatewayInfo(gateway: gateway.id), info, using: &json)
    }

    private func stamp(_ now: Interval) -> Stamp {
        Stamp(at: start.wall + now, boot: boot, uptime: .zero + now, isClockSynchronised: start.isSynchronised)
    }
}

import Beacons

extension House {
    /// A house drawn from its seed.
    ///
    /// Rooms (3 to 12; two floors from 8 on) are Kitchen, Hall, Living room, Bedroom, Office, Bathroom, Nursery, Landing, Guest room, Workshop,
    /// Laundry, Library in this order. Each gateway has the id of its room, `living-room`; those beyond the rooms go round again as `kitchen-2`. Of every
    /// twelve tags seven are carried by four people, three of whom go out, and five are still; one reports its battery. `others` is the share of bystanders in what is
    /// sent, below 1; as tags go out and bystanders mostly stay, it makes about 60 % of what is received.
    public static func generated(
        rooms: Int, gateways: Int, tags: Int, seed: UInt64, others: Double = 0.54
    ) -> House {
        let root = Seed(seed)
        var house = House(
            seed: seed, plan: PlanBuilder.plan(rooms: rooms, seed: root[.plan]), gateways: [], people: [], tags: [])
        house.gateways = (0..<gateways).map { index in
            let (turn, room) = index.quotientAndRemainder(dividingBy: rooms)
            let id = house.plan.rooms[room].id + (turn > 0 ? "-\(turn + 1)" : "")
            return house.gateway(id: id, in: room, seed: root[.gateways][id])
        }
        house.people = (0..<(tags + 11) / 12 * 4).map { Person(goesOut: $0 % 4 != 3) }
        house.tags = (0..<tags).map { house.drawnTag($0, seed: root[.tags][$0]) }
        house.bystanders = house.drawnBystanders(share: others, seed: root[.bystanders])
        return house
    }

    /// What is known of one item in advance.
    private struct TagKind {
        var name: String
        /// Which of the four people of its dozen carries it; `nil`: it is still.
        var carrier: Int?
        var milliseconds: Int64
        var measuredPower: Int8
        var rotates = false
        var reportsBattery = false
    }

    private static let tagKinds: [TagKind] = [
        TagKind(name: "Laptop bag", carrier: 0, milliseconds: 1000, measuredPower: -59),
        TagKind(name: "Keys", carrier: 1, milliseconds: 1000, measuredPower: -65),
        TagKind(name: "Umbrella", carrier: nil, milliseconds: 2000, measuredPower: -59, reportsBattery: true),
        TagKind(name: "Wallet", carrier: 0, milliseconds: 500, measuredPower: -62),
        TagKind(name: "Glasses", carrier: 2, milliseconds: 500, measuredPower: -59),
        TagKind(name: "Camera", carrier: nil, milliseconds: 5000, measuredPower: -59),
        TagKind(name: "Backpack", carrier: 1, milliseconds: 200, measuredPower: -59, rotates: true),
        TagKind(name: "Violin", carrier: nil, milliseconds: 1000, measuredPower: -56),
        TagKind(name: "Cat", carrier: 3, milliseconds: 100, measuredPower: -65),
        TagKind(name: "Passport", carrier: nil, milliseconds: 10_000, measuredPower: -59, rotates: true),
        TagKind(name: "Sketchbook", carrier: 2, milliseconds: 1000, measuredPower: -59),
        TagKind(name: "Medicine bag", carrier: nil, milliseconds: 1000, measuredPower: -59),
    ]

    /// Carried items have major 1, still ones 2; the minor counts all.
    private func drawnTag(_ index: Int, seed: Seed) -> Tag {
        let (dozen, kind) = index.quotientAndRemainder(dividingBy: House.tagKinds.count)
        let tagKind = House.tagKinds[kind]
        var chance = seed.generator
        let power = Double(tagKind.measuredPower) + 2 * chance.gaussian()
        let transmitter = Transmitter(
            interval: .milliseconds(tagKind.milliseconds), power: power,
            motion: motion(carrier: tagKind.carrier.map { dozen * 4 + $0 }, &chance),
            address: tagKind.rotates
                ? .rotating(seed: seed.bits, every: Bystander.rotation)
                : .fixed(DeviceAddress(bits: seed[.address].bits | 0xC000_0000_0000, kind: .random)))
        return Tag(
            name: tagKind.name + (dozen > 0 ? " \(dozen + 1)" : ""),
            beacon: BeaconIdentity(
                uuid: House.uuid, major: tagKind.carrier == nil ? 2 : 1, minor: UInt16(truncatingIfNeeded: index + 1)),
            measuredPower: MeasuredPower(dBm: tagKind.measuredPower), transmitter: transmitter,
            reportsBattery: tagKind.reportsBattery)
    }

    private func motion(carrier: Int?, _ chance: inout SplitMix64) -> Transmitter.Motion {
        if let carrier {
            return .carried(by: carrier, height: chance.uniform(in: 0.5...1.4), side: chance.uniform(in: -3.1...3.1))
        }
        let room = plan.rooms[Int(chance.next() % UInt64(plan.rooms.count))]
        let place = room.place(chance.uniform(), chance.uniform())
        return .rests(place.raised(by: chance.uniform(in: 0.2...1.8)))
    }

    /// As many bystanders as make `share` of all that is sent; every third belongs to a neighbour.
    private func drawnBystanders(share: Double, seed: Seed) -> [Bystander] {
        precondition(share >= 0 && share < 1, "a share below 1")
        let target = tags.reduce(0) { $0 + 1 / $1.transmitter.interval.seconds } * share / (1 - share)
        var bystanders: [Bystander] = []
        var rate = 0.0
        while rate < target {
            let index = bystanders.count
            let bystander = drawnBystander(index, seed: seed[index])
            bystanders.append(bystander)
            rate += 1 / bystander.transmitter.interval.seconds
        }
        return bystanders
    }

    private func drawnBystander(_ index: Int, seed: Seed) -> Bystander {
        let kind = Bystander.Kind.allCases[index % Bystander.Kind.allCases.count]
        var chance = seed.generator
        let bits = seed[.address].bits
        let (milliseconds, isCarried, address): (ClosedRange<Double>, Bool, Transmitter.Address) =
            switch kind {
            case .phone: (150...400, true, .rotating(seed: seed.bits, every: Bystander.rotation))
            case .television: (200...400, false, .fixed(DeviceAddress(bits: bits, kind: .public)))
            case .laptop: (100...250, false, .rotating(seed: seed.bits, every: Bystander.rotation))
            case .watch: (200...500, true, .fixed(DeviceAddress(bits: bits | 0xC000_0000_0000, kind: .random)))
            case .findable: (1000...2000, false, .rotating(seed: seed.bits, every: Bystander.rotation))
            case .thermometer: (1000...3000, false, .fixed(DeviceAddress(bits: bits, kind: .public)))
            case .headphones: (150...300, false, .fixed(DeviceAddress(bits: bits, kind: .public)))
            }
        let motion: Transmitter.Motion =
            index % 3 == 2
            ? .rests(placeNextDoor(&chance))
            : motion(carrier: isCarried && !people.isEmpty ? index % people.count : nil, &chance)
        let interval = Interval.milliseconds(Int64(chance.uniform(in: milliseconds)))
        return Bystander(
            kind: kind, seed: seed.bits,
            transmitter: Transmitter(
                interval: interval, power: -62 + 4 * chance.gaussian(), motion: motion, address: address))
    }

    /// 2 to 6 m beyond the end of the house that has no front door.
    private func placeNextDoor(_ chance: inout SplitMix64) -> Position {
        let end = plan.rooms.map(\.x.upperBound).max() ?? 0
        let width = plan.rooms.map(\.y.lowerBound).min()!...plan.rooms.map(\.y.upperBound).max()!
        return Position(
            x: end + chance.uniform(in: 2...6), y: chance.uniform(in: width), z: chance.uniform(in: 0.5...2))
    }
}

import Beacons
import Locating
import Simulation
import SimulationTestSupport

/// Items that are still for an hour in generated houses: each room that is reported after the first minute's is a false move.
enum StillItems {
    private static let length = Interval.seconds(3600)
    private static let settled = 60

    /// The result of all items that advertise equally often.
    private struct Tally {
        var subjects = 0
        /// Moves reported from all sightings, by what gateways publish, and by the strongest gateway.
        var moves = (replayed: 0, published: 0, strongest: 0)
        var seconds = 0
        var wrong = 0

        func perHour(_ moves: Int) -> String { Table.tenths(Double(moves) / Double(subjects)) }
    }

    /// Prints a line per interval.
    static func print() {
        Swift.print(
            "\nThings that lie still for an hour in generated houses of 3 to 12 rooms, names only: false moves an hour."
        )
        Swift.print("sends every  things  strongest, mean of 5 s  all sightings  by messages  wrong room, by messages")
        var tallies: [Interval: Tally] = [:]
        for rooms in [3, 5, 8, 12] {
            for seed in 1...UInt64(3) { add(house(rooms: rooms, seed: seed * 1000 + UInt64(rooms)), to: &tallies) }
        }
        for (interval, tally) in tallies.sorted(by: { $0.key < $1.key }) {
            let wrong = Double(tally.wrong) / Double(max(tally.seconds, 1)) * 100
            let fields = [
                ("\(Table.tenths(interval.seconds)) s", 11), ("\(tally.subjects)", 6),
                (tally.perHour(tally.moves.strongest), 22), (tally.perHour(tally.moves.replayed), 13),
                (tally.perHour(tally.moves.published), 11), (Table.tenths(wrong) + " %", 24),
            ]
            Swift.print(
                fields.map { String(repeating: " ", count: max(0, $0.1 - $0.0.count)) + $0.0 }.joined(separator: "  "))
        }
    }

    /// A house with a gateway in each room, and the items that are still in it.
    private static func house(rooms: Int, seed: UInt64) -> House {
        var house = House.generated(rooms: rooms, gateways: rooms, tags: 24, seed: seed, others: 0)
        house.tags.removeAll { if case .rests = $0.transmitter.motion { false } else { true } }
        return house
    }

    private static func add(_ house: House, to tallies: inout [Interval: Tally]) {
        let site = Site(
            gateways: house.gateways.map { Site.Gateway(id: $0.id, room: room(at: $0.position, in: house)) })
        let model = LocatorModel(site: site)
        let recording = HouseRecording(of: house, lasting: length, truthEvery: length)
        for tag in house.tags {
            guard case .rests(let place) = tag.transmitter.motion, let room = room(at: place, in: house) else {
                continue
            }
            let rows = recording.sightings.filter { $0.beacon == tag.id }.map {
                Recording.Row(
                    milliseconds: $0.milliseconds, gateway: $0.gateway, beacon: $0.beacon, rssi: Double($0.rssi.dBm))
            }
            guard !rows.isEmpty else { continue }
            let walk = Walk(name: tag.id, recording: Recording(rows: rows), truth: Truth(rows: []))
            let published = MessagePath.run(model, walk).rows.dropFirst(settled)
            var tally = tallies[tag.transmitter.interval] ?? Tally()
            tally.subjects += 1
            tally.moves.strongest += moves(Rule.all[0].rows(site, walk).dropFirst(settled))
            tally.moves.replayed += moves(Evaluation.rows(model, walk).dropFirst(settled))
            tally.moves.published += moves(published)
            tally.seconds += published.count
            tally.wrong += published.count { $0.room != room }
            tallies[tag.transmitter.interval] = tally
        }
    }

    private static func room(at position: House.Position, in house: House) -> String? {
        house.plan.room(at: position).map { house.plan.rooms[$0].name }
    }

    private static func moves(_ rows: some Collection<Replay.Row>) -> Int {
        let reported = rows.compactMap(\.room)
        return zip(reported, reported.dropFirst()).count { $0 != $1 }
    }
}

import Beacons
import Messages
import Simulation
import SimulationTestSupport

/// What is to be so once faults have stopped.
extension FleetRun {
    /// How much weaker than the strongest gateway a gateway may receive an item that is reported in its room.
    static let plausibleMargin = 15.0
    /// Of a tag that sends more rarely, with one sighting in ten lost to each gateway, the last may be of any of them: its room is not judged.
    static let rarestJudged = Interval.seconds(3)
    /// After an item left, weak sightings may be those of its way out: for 2 min one begins a doubt, and it is back when they last for 30 s.
    static let returnDoubt = Interval.seconds(150)
    /// Nothing is doubted above this RSSI, in dBm.
    static let undoubtedRSSI = -84.0

    /// Holds what people can read now against where everything is.
    mutating func judgeAgreement() {
        var positions = HousePositions(scenario.house)
        for (tag, item) in zip(scenario.house.tags.indices, aggregator.configuration.site.items.map(\.item)) {
            let moments = stride(from: 0, through: Int((scenario.end - scenario.calmFrom).seconds), by: 5).map {
                scenario.calmFrom + .seconds(Double($0))
            }
            let isHere = moments.map { moment in
                scenario.isPresent(tag: tag, at: moment)
                    && positions.room(ofTag: tag, at: HouseTime(Scenario.start) + (moment - .zero)) != nil
            }
            let isGone = moments.allSatisfy { !scenario.isPresent(tag: tag, at: $0) }
            let location = broker.retained(on: Topic.itemLocation(item: item.id).name(under: .standard), at: now)
                .flatMap { try? ItemLocation(parsing: $0) }
            guard let location else {
                violate(.presenceAgrees, item.id, "nothing is said of it")
                continue
            }
            if isHere.allSatisfy({ $0 }) {
                judge(location, ofTag: tag, isHome: true)
            } else if isGone {
                judge(location, ofTag: tag, isHome: false)
            }
        }
    }

    private mutating func judge(_ location: ItemLocation, ofTag tag: Int, isHome: Bool) {
        let beacon = scenario.house.tags[tag].beacon
        if isHome {
            // A fixed time promises no more than that: at the edge of their range all may be silent for as long, and that they were is judged elsewhere.
            if location.presence == .away, scenario.exitAfter != nil,
                !gateways.contains(where: { $0.witness.hasInside(beacon) })
            {
                return
            }
            if location.presence == .away, returnIsOpen(location.item, ofTag: tag) { return }
            if location.presence != .home {
                violate(.presenceAgrees, location.item, "it is home, said to be \(location.presence)")
            }
            judgeRoom(location, ofTag: tag)
        } else if location.presence != .away {
            // Whom nobody ever had inside, or whose gateway forgot over a restart that it had, is unknown.
            if location.presence == .unknown, gateways.contains(where: { $0.witness.hasForgotten(beacon) }) { return }
            if location.presence == .unknown, !gateways.contains(where: { $0.witness.hasReceived(beacon) }) { return }
            violate(.presenceAgrees, location.item, "it is away, said to be \(location.presence)")
        }
    }

    /// Holds the returns of items against what gateways really received.
    mutating func judgeReturns() {
        let returns = aggregator.witness.takeReturns()
        // By a clock that is wrong nobody knows when an item left. The same run without steps is judged.
        guard !returns.isEmpty, outcome.faults[Fault.Kind.clockSteps.rawValue] == nil else { return }
        for (item, left) in returns {
            let beacon = aggregator.witness.items.first { $0.value == item }!.key
            let last = gateways.compactMap { $0.witness.lastReceived(beacon) }.max() ?? .zero
            guard last <= left else { continue }
            violate(
                .returnsAreReceived, item,
                "last received at \(last.milliseconds) ms, before it left at \(left.milliseconds) ms")
        }
    }

    /// Whether the item, of which `left` is the last event, may be back without an event so far.
    private func returnIsOpen(_ item: String, ofTag tag: Int) -> Bool {
        guard let left = aggregator.witness.story.last(where: { $0.item == item }), now - left.at < Self.returnDoubt
        else { return false }
        let time = HouseTime(Scenario.start) + (now - .zero)
        return levels(ofTag: tag, at: time).allSatisfy { $0.level < Self.undoubtedRSSI }
    }

    private mutating func judgeRoom(_ location: ItemLocation, ofTag tag: Int) {
        guard scenario.house.tags[tag].transmitter.interval <= Self.rarestJudged else { return }
        guard let room = location.room else { return violate(.roomIsPlausible, location.item, "no room is said") }
        var seen: [String] = []
        // Beliefs lag behind who walks.
        for age in stride(from: 0.0, through: 60, by: 5) {
            let time = HouseTime(Scenario.start) + (now - .seconds(age) - .zero)
            if scenario.house.room(ofTag: tag, at: time) == room { return }
            let levels = levels(ofTag: tag, at: time)
            let best = levels.map(\.level).max() ?? 0
            if levels.contains(where: { $0.room == room && $0.level >= best - Self.plausibleMargin }) { return }
            seen.append(levels.map { "\($0.room) \(Int($0.level))" }.joined(separator: " "))
        }
        violate(.roomIsPlausible, location.item, "said to be in \(room), levels in dBm were \(seen)")
    }

    private func levels(ofTag tag: Int, at time: HouseTime) -> [(room: String, level: Double)] {
        scenario.house.gateways.map { gateway in
            var receiver = HouseReceiver(house: scenario.house, gateway: gateway, from: time, tagsOnly: true)
            return (room: gateway.room, level: receiver.level(ofTag: tag, at: time))
        }
    }

    private mutating func violate(_ invariant: Invariant, _ subject: String, _ detail: String) {
        outcome.violations.append(Violation(invariant: invariant, subject: subject, detail: detail, at: now))
    }
}

import Beacons
import Messages
import Simulation

/// Measures how long an aggregator takes from a ranged state to the location that follows from it.
///
/// A probe is an item that only one simulated gateway receives. Each of its states has another proximity and a distance of
/// its own, so that the location with this distance belongs to this state.
struct LatencyProbe: Sendable {
    /// The id of the probes' gateway.
    static let gateway = LoadPlan.idPrefix + "probe"
    /// The period of each probe. An aggregator publishes a location once a second at most.
    static let period: Int64 = 3
    /// A state that has no location by then is lost: the next one is due.
    static let patience = Interval.seconds(3)

    /// The items of the probes.
    let items: [SimulatedSite.Item]
    /// The measured times in milliseconds, in the order of the locations.
    private(set) var samples: [Double] = []
    /// The states without a location in time.
    private(set) var lost = 0

    private struct Waiting: Sendable {
        var accuracy: Double
        var sentAt: Instant
    }

    private let boot: Boot
    private let version: String
    private let start: Moment
    private var waiting: [String: Waiting] = [:]
    private var number = 0

    /// Creates so many probes, at most 100.
    init(_ count: Int, boot: Boot, version: String, at start: Moment) {
        (self.boot, self.version, self.start) = (boot, version, start)
        items = (1...max(1, min(100, count))).map {
            SimulatedSite.Item(
                name: "Simulated probe \($0)", id: "simulated-probe-\($0)",
                beacon: BeaconIdentity(uuid: House.uuid, major: .max, minor: UInt16($0)))
        }
    }

    /// What the gateway publishes when it connects.
    func opened() -> [Message] {
        [Message(.gatewayAvailability(gateway: Self.gateway), .online), info(at: start)]
            + items.enumerated().map { index, item in
                Message(
                    .beaconEvent(item.beacon, gateway: Self.gateway),
                    BeaconEvent(
                        .enter, seq: UInt64(index + 1), stamp: stamp(start), gateway: Self.gateway,
                        room: Self.room, beacon: item.beacon, regions: []))
            }
    }

    /// The states of the second `second`; `sent` must follow for each of them.
    mutating func states(ofSecond second: Int64, at now: Moment) -> [(item: String, message: Message)] {
        items.enumerated().filter { Int64($0.offset) % Self.period == second % Self.period }.map { _, item in
            number += 1
            let isNear = (second / Self.period).isMultiple(of: 2)
            // 800 distances that differ in two decimals, half of them near and half of them far.
            let accuracy = Double((isNear ? 100 : 1000) + number % 280) / 100
            // A location that comes later than the next state is of no use, and counts as lost.
            if waiting[item.id] != nil { lost += 1 }
            waiting[item.id] = Waiting(accuracy: accuracy, sentAt: now.instant)
            let state = RangedState(
                gateway: Self.gateway, room: Self.room, proximity: isNear ? .near : .far, accuracy: accuracy,
                rssi: isNear ? -60 : -80, sightings: 3, measuredPower: MeasuredPower(dBm: -59), addresses: 1,
                stamp: stamp(now), validFor: 25)
            return (item.id, Message(.proximity(item.beacon, gateway: Self.gateway), state))
        }
    }

    /// The heartbeat of the gateway.
    func info(at now: Moment) -> Message {
        Message(
            .gatewayInfo(gateway: Self.gateway),
            GatewayInfo(
                gateway: Self.gateway, room: Self.room, version: version, stamp: stamp(now),
                radio: GatewayInfo.Radio(source: "simulation", state: .poweredOn), regions: 0))
    }

    /// Records that the connection accepted the state of this item at `now`.
    mutating func sent(_ item: String, at now: Instant) { waiting[item]?.sentAt = now }

    /// Takes a location of any item.
    mutating func receive(_ location: ItemLocation, at now: Instant) {
        guard let requested = waiting[location.item], let accuracy = location.accuracy,
            (accuracy * 100).rounded() == (requested.accuracy * 100).rounded()
        else { return }
        waiting[location.item] = nil
        samples.append((now - requested.sentAt).seconds * 1000)
    }

    /// Counts the states that waited too long.
    mutating func expire(at now: Instant) {
        for (item, entry) in waiting where now - entry.sentAt >= Self.patience {
            waiting[item] = nil
            lost += 1
        }
    }

    /// The messages that delete everything which the broker retains of the probes.
    func closing() -> [Message] {
        items.map { .clearing(.proximity($0.beacon, gateway: Self.gateway)) } + [
            Message(.gatewayAvailability(gateway: Self.gateway), .offline),
            .clearing(.gatewayInfo(gateway: Self.gateway)), .clearing(.gatewayAvailability(gateway: Self.gateway)),
        ]
    }

    /// The sample below which `share` of all samples are, in milliseconds; `nil` without samples.
    func quantile(_ share: Double) -> Double? {
        guard !samples.isEmpty else { return nil }
        return samples.sorted()[min(samples.count - 1, Int(Double(samples.count) * share))]
    }

    private static let room = "Simulated probes"

    private func stamp(_ now: Moment) -> Stamp {
        Stamp(
            at: now.wall, boot: boot, uptime: .zero + (now.instant - start.instant),
            isClockSynchronised: now.isSynchronised)
    }
}

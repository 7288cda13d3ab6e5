import Beacons
import Messages

/// When an item was received last.
package struct LastSeen: Hashable {
    package var at: WallTime
    /// Whether a gateway receives the item at present: its ranged state still holds.
    package var isNow: Bool

    /// The age for people: `now`, `12 s`, `3 h`.
    func words(at now: WallTime) -> String { isNow ? "now" : (now - at).age }
}

/// When items were received last at each gateway, by the gateways' ranged states.
///
/// Only beacons of known items count, so that a gateway that invents beacons fills nothing.
struct LastSightings {
    private var items: [BeaconIdentity: String] = [:]
    private var beacons: [String: BeaconIdentity] = [:]
    /// By how much the clock of a gateway may be ahead of this one.
    private static let tolerance = Interval.seconds(5)
    /// By item and gateway: the time of the last sighting, if it is known, and until when the ranged state holds.
    private var sightings: [String: [String: (at: WallTime?, until: Instant?)]] = [:]

    /// Notes an item's beacon; `nil` if the item was removed.
    mutating func note(_ beacon: BeaconIdentity?, of item: String) {
        guard beacons[item] != beacon else { return }
        if let former = beacons[item], items[former] == item { items[former] = nil }
        beacons[item] = beacon
        sightings[item] = nil
        if let beacon { items[beacon] = item }
    }

    /// Notes a ranged state, which holds until `instant`; `nil` if nobody can know. A gateway whose clock is wrong shows no time.
    mutating func note(
        _ state: RangedState, of beacon: BeaconIdentity, from gateway: String, until instant: Instant?, at now: WallTime
    ) {
        guard let item = items[beacon] else { return }
        let isReceived = state.sightings > 0 && state.proximity != .unknown
        guard isReceived || sightings[item]?[gateway] != nil else { return }
        let isRight = state.stamp.isClockSynchronised && state.stamp.at <= now + Self.tolerance
        let former = sightings[item]?[gateway]?.at
        sightings[item, default: [:]][gateway] = (
            isReceived && isRight ? state.stamp.at : former, isReceived ? instant : nil
        )
    }

    /// Notes that a gateway cleared its ranged state, or published an invalid one.
    mutating func end(of beacon: BeaconIdentity, at gateway: String) {
        guard let item = items[beacon] else { return }
        sightings[item]?[gateway]?.until = nil
    }

    /// When an item was received last, by what its location states and by the gateways; `nil`: it is not known.
    func last(of item: String, published: WallTime?, at now: Instant) -> LastSeen? {
        let all = sightings[item].map { Array($0.values) } ?? []
        let newest = ([published] + all.map(\.at)).compactMap { $0 }.max()
        return newest.map { LastSeen(at: $0, isNow: all.contains { $0.until.map { now < $0 } ?? false }) }
    }
}

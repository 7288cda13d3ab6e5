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
    /// By item and gateway: the time of the last sighting, and until when the ranged state holds.
    private var sightings: [String: [String: (at: WallTime, until: Instant?)]] = [:]

    /// Notes an item's beacon; `nil` if the item was removed.
    mutating func note(_ beacon: BeaconIdentity?, of item: String) {
        guard beacons[item] != beacon else { return }
        if let former = beacons[item], items[former] == item { items[former] = nil }
        beacons[item] = beacon
        sightings[item] = nil
        if let beacon { items[beacon] = item }
    }

    /// Notes a ranged state, which holds until `instant`; `nil` if nobody can know.
    mutating func note(_ state: RangedState, of beacon: BeaconIdentity, from gateway: String, until instant: Instant?) {
        guard let item = items[beacon] else { return }
        let isReceived = state.sightings > 0 && state.proximity != .unknown
        guard isReceived || sightings[item]?[gateway] != nil else { return }
        let at = isReceived ? state.stamp.at : sightings[item]?[gateway]?.at ?? state.stamp.at
        sightings[item, default: [:]][gateway] = (at, isReceived ? instant : nil)
    }

    /// Notes that a gateway cleared its ranged state, or published an invalid one.
    mutating func end(of beacon: BeaconIdentity, at gateway: String) {
        guard let item = items[beacon] else { return }
        sightings[item]?[gateway]?.until = nil
    }

    /// When an item was received last; `nil` if no gateway ranged it.
    func last(of item: String, at now: Instant) -> LastSeen? {
        guard let all = sightings[item]?.values, let newest = all.map(\.at).max() else { return nil }
        return LastSeen(at: newest, isNow: all.contains { $0.until.map { now < $0 } ?? false })
    }
}

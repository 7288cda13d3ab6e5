import Beacons
import Messages

/// When an item was received last.
struct LastSeen: Hashable {
    var at: WallTime
    /// A gateway receives the item at present: its ranged state still holds.
    var isNow: Bool

    /// As people read it: `now`, `12 s`, `3 h`.
    func words(at now: WallTime) -> String { isNow ? "now" : (now - at).age }
}

/// When items were received last at each gateway, by the gateways' ranged states.
///
/// Only beacons of known items count, so that a gateway that invents beacons fills nothing.
struct LastSightings {
    private var items: [BeaconIdentity: String] = [:]
    private var beacons: [String: BeaconIdentity] = [:]
    /// By item and gateway: when, and until when that state holds.
    private var sightings: [String: [String: (at: WallTime, until: Instant?)]] = [:]

    /// Takes note of an item's beacon; `nil`: there is no such item any more.
    mutating func note(_ beacon: BeaconIdentity?, of item: String) {
        guard beacons[item] != beacon else { return }
        if let former = beacons[item], items[former] == item { items[former] = nil }
        beacons[item] = beacon
        sightings[item] = nil
        if let beacon { items[beacon] = item }
    }

    /// Takes a ranged state, which holds until `instant`, as far as anybody can know.
    mutating func take(_ state: RangedState, of beacon: BeaconIdentity, from gateway: String, until instant: Instant?) {
        guard let item = items[beacon] else { return }
        let isReceived = state.sightings > 0 && state.proximity != .unknown
        guard isReceived || sightings[item]?[gateway] != nil else { return }
        let at = isReceived ? state.stamp.at : sightings[item]?[gateway]?.at ?? state.stamp.at
        sightings[item, default: [:]][gateway] = (at, isReceived ? instant : nil)
    }

    /// A gateway has taken its ranged state back, or published what is none.
    mutating func end(of beacon: BeaconIdentity, at gateway: String) {
        guard let item = items[beacon] else { return }
        sightings[item]?[gateway]?.until = nil
    }

    /// When an item was received last; `nil` where no gateway ranged it.
    func last(of item: String, at now: Instant) -> LastSeen? {
        guard let all = sightings[item]?.values, let newest = all.map(\.at).max() else { return nil }
        return LastSeen(at: newest, isNow: all.contains { $0.until.map { now < $0 } ?? false })
    }
}

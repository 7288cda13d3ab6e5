import Beacons
import Locating

/// A survey under way: somebody stands in a room with an item.
struct OngoingSurvey: Sendable {
    private(set) var room: String
    let beganAt: WallTime
    let until: Instant
    /// The first room of each gateway, by id.
    private(set) var gatewayRooms: [String: String]
    private(set) var history: RSSIHistory

    init(room: String, at now: Moment, lasting length: Interval, gateways: [Site.Gateway]) {
        self.room = room
        beganAt = now.wall
        until = now.instant + length
        gatewayRooms = StoredSurveys.rooms(of: gateways)
        history = RSSIHistory(gateways: gateways.map(\.id))
    }

    mutating func rename(by names: [String: String]) {
        room = names[room] ?? room
        gatewayRooms = gatewayRooms.mapValues { names[$0] ?? $0 }
    }

    mutating func note(_ locator: Locator, at now: Instant) {
        guard now <= until else { return }
        history.follow(locator.model.gateways)
        history.append(locator, at: now)
    }
}

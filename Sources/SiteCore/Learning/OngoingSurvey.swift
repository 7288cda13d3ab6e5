import Beacons
import Locating

/// A survey under way: somebody stands in a room with an item.
struct OngoingSurvey: Sendable {
    let room: String
    let beganAt: WallTime
    let until: Instant
    private(set) var history: RSSIHistory

    init(room: String, at now: Moment, lasting length: Interval, gateways: [String]) {
        self.room = room
        beganAt = now.wall
        until = now.instant + length
        history = RSSIHistory(gateways: gateways)
    }

    mutating func note(_ locator: Locator, at now: Instant) {
        guard now <= until else { return }
        history.follow(locator.model.gateways)
        history.append(locator, at: now)
    }
}

import Beacons
import Messages

/// Where an item was for a while.
package struct Stay: Hashable, Sendable {
    /// What was known of the item.
    package struct State: Hashable, Sendable {
        /// Whether it was at the site.
        package var presence: Presence
        /// Its room; `nil` if it was not at home, or in no room that is known.
        package var room: String?

        /// A state from all its properties; only an item that is home has a room.
        package init(_ presence: Presence, room: String? = nil) {
            self.presence = presence
            self.room = presence == .home ? room : nil
        }
    }

    package var item: String
    package var state: State
    package var from: WallTime
    /// The end; `nil`: it lasts.
    package var to: WallTime?
}

package struct Change: Hashable, Sendable {
    package var item: String
    /// The new state; `nil`: the item was removed.
    package var state: Stay.State?
    /// The state before, as an event reports it; `nil`: the change is of no event.
    package var former: Stay.State?
    package var at: WallTime
    /// When the state was published, which may be later than its beginning.
    package var seen: WallTime
    /// When a row begins that is deleted, because the state lasted all the time.
    var gap: Int64?

    package init(item: String, state: Stay.State?, at: WallTime, seen: WallTime? = nil) {
        self.item = item
        self.state = state
        self.at = at
        self.seen = seen ?? at
    }

    /// The change that an event of an item reports; `nil`: it reports none.
    package init?(event: ItemEvent) {
        item = event.item
        (at, seen) = (event.stamp.at, event.stamp.at)
        switch event.change {
        case .moved(let from, let to):
            (former, state) = (Stay.State(.home, room: from), Stay.State(.home, room: to))
        case .left(let from): (former, state) = (Stay.State(.home, room: from), Stay.State(.away))
        case .returned(let to): (former, state) = (Stay.State(.away), Stay.State(.home, room: to))
        case .forgotten, .taken, .alone, .low: return nil
        }
    }

    /// The state that a location reports, which began at its `since`.
    package init(_ location: ItemLocation) {
        item = location.item
        (at, seen) = (location.since ?? location.stamp.at, location.stamp.at)
        state = Stay.State(location.presence, room: location.room)
        // An item whose presence became unknown has the `since` of its last room.
        if location.presence == .unknown { at = location.stamp.at }
    }
}

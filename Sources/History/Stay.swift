import Beacons
import Messages

/// Where an item was for a while.
public struct Stay: Hashable, Sendable {
    /// What was known of the item.
    public struct State: Hashable, Sendable {
        /// Whether it was at the site.
        public var presence: Presence
        /// Its room; `nil` if it was not at home, or in no room that is known.
        public var room: String?

        /// A state from all its properties; only an item that is home has a room.
        public init(_ presence: Presence, room: String? = nil) {
            self.presence = presence
            self.room = presence == .home ? room : nil
        }
    }

    /// The item's id.
    public var item: String
    /// What was known of it.
    public var state: State
    /// The beginning.
    public var from: WallTime
    /// The end; `nil`: it lasts.
    public var to: WallTime?

    /// A stay from all its properties.
    public init(item: String, state: State, from: WallTime, to: WallTime? = nil) {
        self.item = item
        self.state = state
        self.from = from
        self.to = to
    }
}

/// A change of an item's state.
public struct Change: Hashable, Sendable {
    /// The item's id.
    public var item: String
    /// The new state; `nil`: the item was removed.
    public var state: Stay.State?
    /// When it changed.
    public var at: WallTime

    /// A change from all its properties.
    public init(item: String, state: Stay.State?, at: WallTime) {
        self.item = item
        self.state = state
        self.at = at
    }

    /// The change that an event of an item reports.
    public init(_ event: ItemEvent) {
        item = event.item
        at = event.stamp.at
        state =
            switch event.change {
            case .moved(_, let to): Stay.State(.home, room: to)
            case .left: Stay.State(.away)
            case .returned(let to): Stay.State(.home, room: to)
            }
    }

    /// The state that a location reports, which began at its `since`.
    public init(_ location: ItemLocation) {
        item = location.item
        at = location.since ?? location.stamp.at
        state = Stay.State(location.presence, room: location.room)
        // An item whose presence became unknown has the `since` of its last room.
        if location.presence == .unknown { at = location.stamp.at }
    }
}

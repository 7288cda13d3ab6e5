import Beacons
import Messages

/// The moves that `watch` does not show yet. As on the page, an item shows in another room when the move is clear or has lasted: between two
/// rooms, a doubtful item moves to and fro.
struct SettledMoves {
    private static let clear = 0.8
    private static let lasting = Interval.seconds(10)
    /// The latest location of each item whose move does not show, and when the move began.
    private var moves: [String: (location: ItemLocation, since: Instant)] = [:]

    /// The location to show when `location` arrives and `shown` is on the screen.
    mutating func settled(_ location: ItemLocation, after shown: ItemLocation?, at now: Instant) -> ItemLocation {
        guard let shown, let room = shown.room, shown.presence == .home, location.presence == .home,
            location.room.map({ $0 != room }) == true, location.confidence.map({ $0 < Self.clear }) == true
        else {
            moves[location.item] = nil
            return location
        }
        moves[location.item] = (location, moves[location.item]?.since ?? now)
        var held = location
        (held.room, held.since, held.point, held.accuracy) = (room, shown.since, shown.point, shown.accuracy)
        held.confidence = location.rooms?.first { $0.room == room }?.confidence ?? 0
        return held
    }

    /// The locations of the items whose moves have lasted. They are to be shown now.
    mutating func lasting(at now: Instant) -> [ItemLocation] {
        let over = moves.values.filter { now - $0.since >= Self.lasting }.map(\.location)
        for location in over { moves[location.item] = nil }
        return over
    }
}

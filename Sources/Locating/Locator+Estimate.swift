import Beacons
import Glibc

extension Locator {
    /// Where the item is believed to be at a moment: everything reported up to then is weighed first.
    public mutating func estimate(at now: Instant) -> RoomEstimate {
        advance(to: now)
        let shares = told(at: now)
        let room = saidRoom
        return RoomEstimate(
            room: room.map { model.rooms[$0] },
            confidence: room.map { shares[$0] } ?? 0,
            rooms: room == nil ? [] : ranked(shares),
            gateway: strongest(at: now).map { model.gateways[$0] },
            isSettled: isSettled(at: now), stillness: stillnessShare(at: now), movedAt: movedAt,
            position: room.flatMap { position(in: $0) })
    }

    /// The rooms' shares as they are told, in the order of the model's rooms.
    ///
    /// A mixture of the filter's belief and of one look, see `Tuning.Honesty`.
    private func told(at now: Instant) -> [Double] {
        let honesty = model.honesty(stillness: stillnessShare(at: now))
        let look = honesty.look * freshness(at: now)
        // A room that the item cannot be in has no logarithm.
        let logarithms = zip(sayableMasses(), lookOfRooms()).map { belief, looked in
            belief > 0 ? honesty.belief * log(belief) + look * looked : -.infinity
        }
        guard let most = logarithms.max(), most > -.infinity else { return logarithms.map { _ in 0 } }
        let shares = logarithms.map { exp($0 - most) }
        let sum = shares.reduce(0, +)
        return shares.map { $0 / sum }
    }

    /// 0 while the item moves, 1 once it has been still for long.
    private func stillnessShare(at now: Instant) -> Double {
        min(1, (1 - pace(at: now)) / (1 - Tuning.stillPace))
    }

    /// The logarithm of the mean over each room's places of the squared likelihood of one look.
    private func lookOfRooms() -> [Double] {
        var most = Array(repeating: -Double.infinity, count: model.rooms.count)
        for (place, room) in model.ground.places.enumerated() { most[room] = max(most[room], look[place]) }
        var sums = Array(repeating: (share: 0.0, places: 0.0), count: model.rooms.count)
        for (place, room) in model.ground.places.enumerated() {
            sums[room].share += exp(2 * (look[place] - most[room]))
            sums[room].places += 1
        }
        return model.rooms.indices.map { room in
            sums[room].places > 0 ? 2 * most[room] + log(sums[room].share / sums[room].places) : 0
        }
    }

    private func ranked(_ shares: [Double]) -> [RoomEstimate.Share] {
        zip(model.rooms, shares).map { RoomEstimate.Share(room: $0, confidence: $1) }
            .sorted { ($1.confidence, $0.room) < ($0.confidence, $1.room) }
    }

    /// Where in a room an item is, if it is in that room; `nil` for a room that is not drawn.
    ///
    /// The point lies in the room: who reads both is told one place. `accuracy` is of the belief on the whole storey around that point, so it is
    /// large while the item may well be in another room.
    public func position(in room: String) -> RoomEstimate.Position? {
        model.rooms.firstIndex(of: room).flatMap { position(in: $0) }
    }

    private func position(in room: Int) -> RoomEstimate.Position? {
        guard let plan = model.ground.plan, let floor = plan.floor(of: room) else { return nil }
        let shares = belief.prefix(plan.cells.count).map { pow($0, model.honestyOfPosition) }
        let places = zip(plan.cells, shares)
        let inside = places.filter { $0.0.room == room }
        var mass = 0.0
        var mean = Polygon.Point(x: 0, y: 0)
        for (cell, share) in inside {
            mass += share
            mean.x += share * cell.point.x
            mean.y += share * cell.point.y
        }
        guard mass > 0 else { return nil }
        mean = Polygon.Point(x: mean.x / mass, y: mean.y / mass)
        // The mean may lie beyond a corner of the room.
        if !plan.contains(mean, room: room) {
            let cells = inside.lazy.map(\.0.point)
            mean = cells.min { $0.distance(to: mean) < $1.distance(to: mean) } ?? mean
        }
        var squares = 0.0
        mass = 0
        for (cell, share) in places where cell.floor == floor {
            let distance = cell.point.distance(to: mean)
            squares += share * distance * distance
            mass += share
        }
        // The root mean square holds about two in three of a round cloud; no finer than a cell.
        return RoomEstimate.Position(
            point: mean, floor: floor, accuracy: max((squares / mass).squareRoot(), plan.edge / 2))
    }
}

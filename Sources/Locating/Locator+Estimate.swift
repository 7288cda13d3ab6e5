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
            names: room == nil ? [] : model.rooms, shares: room == nil ? [] : shares,
            gateway: strongest(at: now).map { model.gateways[$0] },
            isSettled: isSettled(at: now), stillness: stillnessShare(at: now), movedAt: stillness.changedAt,
            position: room.flatMap { position(in: $0) })
    }

    /// The rooms' shares as they are told, in the order of the model's rooms.
    ///
    /// A mixture of the filter's belief and of one look, see `Tuning.Honesty`.
    private func told(at now: Instant) -> [Double] {
        let honesty = model.honesty(stillness: stillnessShare(at: now))
        let look = honesty.look * freshness(at: now)
        var shares = sayableMasses()
        withLookOfRooms { looks in
            // A room that the item cannot be in has no logarithm.
            for room in shares.indices {
                shares[room] =
                    shares[room] > 0 ? honesty.belief * log(shares[room]) + look * looks[room] : -.infinity
            }
        }
        guard let most = shares.max(), most > -.infinity else { return shares.map { _ in 0 } }
        var sum = 0.0
        for room in shares.indices {
            shares[room] = shares[room] > -.infinity ? exp(shares[room] - most) : 0
            sum += shares[room]
        }
        for room in shares.indices { shares[room] /= sum }
        return shares
    }

    /// 0 while the item moves, 1 once it has been still for long.
    private func stillnessShare(at now: Instant) -> Double {
        min(1, (1 - pace(at: now)) / (1 - Tuning.stillPace))
    }

    /// Calls `body` with the logarithm of the mean over each room's places of the squared likelihood of one look.
    private func withLookOfRooms(_ body: (UnsafeMutableBufferPointer<Double>) -> Void) {
        let rooms = model.rooms.count
        withUnsafeTemporaryAllocation(of: Double.self, capacity: 3 * rooms) { buffer in
            buffer.initialize(repeating: 0)
            let looks = UnsafeMutableBufferPointer(rebasing: buffer[..<rooms])
            guard model.ground.plan != nil else {
                // Each room is one place.
                for (place, room) in model.ground.places.enumerated() { looks[room] = 2 * look[place] }
                return body(looks)
            }
            let shares = UnsafeMutableBufferPointer(rebasing: buffer[rooms..<2 * rooms])
            let counts = UnsafeMutableBufferPointer(rebasing: buffer[(2 * rooms)...])
            looks.update(repeating: -.infinity)
            for (place, room) in model.ground.places.enumerated() { looks[room] = max(looks[room], look[place]) }
            for (place, room) in model.ground.places.enumerated() {
                shares[room] += exp(2 * (look[place] - looks[room]))
                counts[room] += 1
            }
            for room in 0..<rooms {
                looks[room] = counts[room] > 0 ? 2 * looks[room] + log(shares[room] / counts[room]) : 0
            }
            body(looks)
        }
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

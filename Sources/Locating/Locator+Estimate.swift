import Beacons
import Glibc

extension Locator {
    /// Replaces the name of the room that was known before a restart, if the room has another name now.
    package mutating func rename(by names: [String: String]) { remembered = remembered.map { names[$0] ?? $0 } }

    /// Returns the estimate at a moment, after applying everything that was reported up to then.
    package mutating func estimate(at now: Instant) -> RoomEstimate {
        advance(to: now)
        let shares = calibratedShares(at: now)
        return RoomEstimate(
            room: reported.map { model.rooms[$0] },
            confidence: reported.map { shares[$0] } ?? 0,
            names: reported == nil ? [] : model.rooms, shares: reported == nil ? [] : shares,
            gateway: smoothed.strongest(at: now).map { model.gateways[$0] },
            isSettled: isSettled(at: now), stillness: stillnessShare(at: now), movedAt: stillness.changedAt,
            position: reported.flatMap { position(in: $0) })
    }

    /// The confidence of each room, in the order of the model's rooms.
    ///
    /// The confidence mixes the filter's belief with the likelihood of one observation, see `Tuning.Calibration`.
    private func calibratedShares(at now: Instant) -> [Double] {
        // The belief has what the room's gateways received before they were lost; the last seconds do not.
        let calibration = model.calibration(stillness: isHeld(at: now) ? 0 : stillnessShare(at: now))
        let weight = calibration.observation * freshness(at: now)
        var shares = reportableMasses()
        withRecentLikelihoodOfRooms { recent in
            // A room that the item cannot be in has no logarithm.
            for room in shares.indices {
                shares[room] =
                    shares[room] > 0 ? calibration.belief * log(shares[room]) + weight * recent[room] : -.infinity
            }
        }
        forEachSensor(at: now) { shares[$0] += $1 }
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
    func stillnessShare(at now: Instant) -> Double {
        min(1, (1 - stillness.pace(at: now)) / (1 - Tuning.stillPace))
    }

    /// Calls `body` with the logarithm of the mean over each room's places of the squared recent likelihood.
    private func withRecentLikelihoodOfRooms(_ body: (UnsafeMutableBufferPointer<Double>) -> Void) {
        let rooms = model.rooms.count
        withUnsafeTemporaryAllocation(of: Double.self, capacity: 3 * rooms) { buffer in
            buffer.initialize(repeating: 0)
            let recent = UnsafeMutableBufferPointer(rebasing: buffer[..<rooms])
            guard model.stateSpace.plan != nil else {
                // Each room is one place.
                for (place, room) in model.stateSpace.places.enumerated() { recent[room] = 2 * recentLikelihood[place] }
                return body(recent)
            }
            let shares = UnsafeMutableBufferPointer(rebasing: buffer[rooms..<2 * rooms])
            let counts = UnsafeMutableBufferPointer(rebasing: buffer[(2 * rooms)...])
            recent.update(repeating: -.infinity)
            for (place, room) in model.stateSpace.places.enumerated() {
                recent[room] = max(recent[room], recentLikelihood[place])
            }
            for (place, room) in model.stateSpace.places.enumerated() {
                shares[room] += exp(2 * (recentLikelihood[place] - recent[room]))
                counts[room] += 1
            }
            for room in 0..<rooms {
                recent[room] = counts[room] > 0 ? 2 * recent[room] + log(shares[room] / counts[room]) : 0
            }
            body(recent)
        }
    }

    /// The position of an item that is in a room; `nil` for a room that is not drawn.
    ///
    /// The point is inside of the room, so that room and point never contradict each other. `accuracy` covers the belief on the whole
    /// storey around that point. So `accuracy` is large while the item may be in another room.
    package func position(in room: String) -> RoomEstimate.Position? {
        model.rooms.firstIndex(of: room).flatMap { position(in: $0) }
    }

    private func position(in room: Int) -> RoomEstimate.Position? {
        guard let plan = model.stateSpace.plan, let floor = plan.floor(of: room) else { return nil }
        let shares = belief.prefix(plan.cells.count).map { pow($0, model.positionExponent) }
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
        // The root mean square radius contains about two in three of a round distribution. The result is no finer than a cell.
        return RoomEstimate.Position(
            point: mean, floor: floor, accuracy: max((squares / mass).squareRoot(), plan.edge / 2))
    }
}

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
            isSettled: isSettled(at: now), position: room.flatMap { position(in: $0) })
    }

    /// The rooms' shares as they are told, in the order of the model's rooms.
    private func told(at now: Instant) -> [Double] {
        let honesty = model.honesty * pow(pace(at: now), model.honestyAtRest)
        let powers = sayableMasses().map { $0 > 0 ? pow($0, honesty) : 0 }
        let sum = powers.reduce(0, +)
        return sum > 0 ? powers.map { $0 / sum } : powers
    }

    private func ranked(_ shares: [Double]) -> [RoomEstimate.Share] {
        zip(model.rooms, shares).map { RoomEstimate.Share(room: $0, confidence: $1) }
            .sorted { ($1.confidence, $0.room) < ($0.confidence, $1.room) }
    }

    /// The mean of the belief over the cells of the said room's storey, and how far around it the belief lies; told as the rooms are.
    private func position(in room: Int) -> RoomEstimate.Position? {
        guard let plan = model.ground.plan, let floor = plan.floor(of: room) else { return nil }
        let shares = zip(plan.cells, belief).map { $0.floor == floor ? pow($1, model.honesty) : 0 }
        var mass = 0.0
        var (x, y) = (0.0, 0.0)
        for (cell, share) in zip(plan.cells, shares) {
            mass += share
            x += share * cell.point.x
            y += share * cell.point.y
        }
        guard mass > 0 else { return nil }
        let mean = Polygon.Point(x: x / mass, y: y / mass)
        var squares = 0.0
        for (cell, share) in zip(plan.cells, shares) {
            let distance = cell.point.distance(to: mean)
            squares += share * distance * distance
        }
        // The root mean square holds about two in three of a round cloud; no finer than a cell.
        let accuracy = max((squares / mass).squareRoot(), plan.edge / 2)
        return RoomEstimate.Position(point: mean, floor: floor, accuracy: accuracy)
    }
}

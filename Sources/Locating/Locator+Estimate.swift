import Beacons
import Glibc

extension Locator {
    /// Where the item is believed to be at a moment: everything reported up to then is weighed first.
    public mutating func estimate(at now: Instant) -> RoomEstimate {
        advance(to: now)
        let shares = told()
        let room = saidRoom
        return RoomEstimate(
            room: room.map { model.rooms[$0] },
            confidence: room.map { shares[$0] } ?? 0,
            rooms: room == nil ? [] : ranked(shares),
            gateway: strongest(at: now).map { model.gateways[$0] },
            position: nil)
    }

    /// The rooms' shares as they are told, in the order of the model's rooms.
    private func told() -> [Double] {
        let powers = roomMasses().map { $0 > 0 ? pow($0, model.honesty) : 0 }
        let sum = powers.reduce(0, +)
        return sum > 0 ? powers.map { $0 / sum } : powers
    }

    private func ranked(_ shares: [Double]) -> [RoomEstimate.Share] {
        zip(model.rooms, shares).map { RoomEstimate.Share(room: $0, confidence: $1) }
            .sorted { ($1.confidence, $0.room) < ($0.confidence, $1.room) }
    }
}

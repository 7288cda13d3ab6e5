import Beacons
import Glibc

extension Locator {
    /// Seconds: what was received last longer ago than this shows no room by now.
    private static let recent = 5.0

    /// Calls `body` with each room that has an occupancy sensor, and with what the sensor adds to the room's log-likelihood, in nats.
    ///
    /// An item that has not moved since it was first received, and one that is still, is where it is whoever walks about: for these the sensors
    /// do not count.
    func forEachSensor(at now: Instant, _ body: (Int, Double) -> Void) {
        guard !sensors.isEmpty, let share = movingShare(at: now) else { return }
        sensors.forEachRoom(at: now) { name, nats in
            if let room = model.stateSpace.frame.roomIndices[name] { body(room, nats * share) }
        }
    }

    /// 1 while the item moves, less once it is still; `nil` if it is still, or never moved.
    private func movingShare(at now: Instant) -> Double? {
        guard stillness.changedAt != nil else { return nil }
        let share = 1 - stillnessShare(at: now)
        return share > 0 ? share : nil
    }

    /// The room in which a moving item clearly is by the gateways alone; `nil` if there is none, or the item does not move.
    func roomByGateways(atLeast clear: Double, at now: Instant) -> String? {
        guard movingShare(at: now) == 1, let lastReceived, (now - lastReceived).seconds < Self.recent else {
            return nil
        }
        let masses = reportableMasses()
        let sum = masses.reduce(0, +)
        guard let best = masses.indices.max(by: { masses[$0] < masses[$1] }), masses[best] >= clear * sum else {
            return nil
        }
        return model.rooms[best]
    }
}

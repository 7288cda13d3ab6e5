import Beacons
import Messages
import Text

/// The occupancy sensors of rooms, which other systems publish.
extension Surroundings {
    /// The sensors of a site at most.
    static let mostSensors = 256

    /// Receives the state of a room's sensor. An empty payload removes the sensor.
    ///
    /// - Parameter isLive: whether the sensor switched just now; `false` for what the broker stored, which is of any age.
    mutating func receive(occupancy payload: [UInt8], of room: String, isLive: Bool, _ effects: inout SiteEffects) {
        let isKnown = sensors.contains(room)
        if payload.isEmpty {
            forget(sensor: room)
        } else {
            guard let occupancy = Occupancy(parsing: payload) else { return effects.refuse("occupancy") }
            guard isKnown || sensors.count < Self.mostSensors else { return effects.refuse("too_many_sensors") }
            set(isOn: occupancy == .on, of: room, since: isLive ? effects.now.instant : nil)
        }
        if isKnown != sensors.contains(room) { effects.infoChanged() }
    }

    /// The sensors that no room has, as a sentence for `info`; `nil` if there are none.
    func sensorProblem(under prefix: TopicPrefix) -> String? {
        let unknown = sensors.withoutRoom
        guard let first = unknown.first else { return nil }
        let rooms = Set(model.rooms.map(roomID)).sorted().joined(separator: ", ")
        let others = unknown.count > 1 ? " (and \(unknown.count - 1) more)" : ""
        return
            "No single room has the id of \(Topic.roomOccupancy(room: first).name(under: prefix))\(others). Rooms: \(rooms)"
    }
}

/// The id of a room in topics, made from its name as the ids of items are.
func roomID(_ name: String) -> String { makeID(from: name, kind: .room, identity: name) }

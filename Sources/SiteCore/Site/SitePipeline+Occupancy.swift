import Beacons
import Messages
import Text

/// The occupancy sensors of rooms, which other systems publish.
extension SitePipeline {
    /// The sensors of a site at most.
    static let mostSensors = 256

    /// Takes the state of a room's sensor. An empty payload removes the sensor.
    mutating func take(occupancy payload: [UInt8], of room: String, isRetained: Bool) {
        guard configuration.occupancy.isEnabled else { return }
        let isKnown = items.surroundings.sensors.contains(room)
        if payload.isEmpty {
            items.surroundings.forget(sensor: room)
        } else {
            guard let occupancy = Occupancy(parsing: payload) else { return effects.refuse("occupancy") }
            guard isKnown || items.surroundings.sensors.count < Self.mostSensors else {
                return effects.refuse("too_many_sensors")
            }
            // What the broker stored is of any age: retained, or sent while this aggregator was not connected.
            let isLive = !isRetained && effects.now.instant >= items.settlesAt
            items.surroundings.take(
                isOn: occupancy == .on, of: room, since: isLive ? effects.now.instant : nil)
        }
        if isKnown != items.surroundings.sensors.contains(room) { effects.infoChanged() }
    }

    /// The sensors that no room has, for `info`.
    var sensorProblems: [String] {
        guard isConnected, effects.now.instant >= items.settlesAt else { return [] }
        let unknown = items.surroundings.sensors.withoutRoom
        guard let first = unknown.first else { return [] }
        let rooms = Set(items.surroundings.model.rooms.map(roomID)).sorted().joined(separator: ", ")
        let others = unknown.count > 1 ? " (and \(unknown.count - 1) more)" : ""
        return [
            "No single room has the id of \(Topic.roomOccupancy(room: first).name(under: prefix))\(others). Rooms: \(rooms)"
        ]
    }
}

/// The id of a room in topics, made from its name as the ids of items are.
func roomID(_ name: String) -> String { makeID(from: name, kind: .room, identity: name) }

import Beacons
import Glibc

/// The motion and presence sensors of a site's rooms, which other systems publish, as evidence about items that move.
///
/// Who carries an item sets off the sensor of the room. How much a sensor counts is learned: from how often the sensor was on while a
/// moving item was clearly in its room by the gateways alone, and how often while a moving item was clearly in another room. So a new
/// sensor counts nothing, and neither does a sensor that is on at random, always or never, or that is in another room than its name states.
/// No sensor changes the odds of its room by more than a factor of three.
package struct OccupancySensors: Sendable {
    private enum Showing: Int {
        /// The sensor is off, or on for too long, or nobody knows for how long.
        case nothing
        /// The sensor has been on for a while.
        case presence
        /// The sensor has just switched on: somebody came.
        case arrival
    }

    /// Moments at which a moving item was clearly in some rooms, by what a sensor showed.
    private struct Counts: Sendable {
        private var counts = InlineArray<3, Double>(repeating: 0)

        var all: Double { counts[0] + counts[1] + counts[2] }

        subscript(showing: Showing) -> Double {
            get { counts[showing.rawValue] }
            set { counts[showing.rawValue] = newValue }
        }

        mutating func halve() {
            for place in counts.indices { counts[place] /= 2 }
        }
    }

    private struct Sensor: Sendable {
        var isOn = false
        /// When the sensor switched on or off; `nil`: before its state was known.
        var switchedAt: Instant?
        /// The name of its room; `nil` while the site has no such room.
        var room: String?
        /// Moments at which a moving item was clearly in the sensor's room, and clearly in another one.
        var (inside, outside) = (Counts(), Counts())

        func showing(at now: Instant) -> Showing {
            guard isOn, let switchedAt else { return .nothing }
            let seconds = (now - switchedAt).seconds
            return seconds < OccupancySensors.arrival
                ? .arrival : seconds < OccupancySensors.stale ? .presence : .nothing
        }

        /// Nats by which the sensor's room is likelier than without the sensor.
        func evidence(at now: Instant) -> Double {
            guard inside.all > 0, outside.all > 0 else { return 0 }
            let showing = showing(at: now)
            let usual = (inside[showing] + outside[showing]) / (inside.all + outside.all)
            // How much more often than usual the sensor shows this. While little was counted, that is hardly more or less often.
            func ratio(_ counts: Counts) -> Double {
                (counts[showing] + OccupancySensors.doubt) / (counts.all * usual + OccupancySensors.doubt)
            }
            return max(-OccupancySensors.most, min(OccupancySensors.most, log(ratio(inside) / ratio(outside))))
        }
    }

    /// Seconds after a sensor switched on in which that shows an arrival.
    private static let arrival = 40.0
    /// Seconds after which a sensor that is still on shows nothing: it may be stuck.
    private static let stale = 300.0
    /// How likely a room is at least, by the gateways alone, in which an item clearly is.
    private static let clear = 0.7
    /// Moments that the assumption weighs that the sensor shows the same wherever the item is.
    private static let doubt = 30.0
    /// Moments after which all that was counted counts half: sensors move, and people change.
    private static let memory = 7200.0
    /// Nats at most, for or against a room: a factor of three.
    private static let most = log(3.0)

    /// By an id that the caller chose.
    private var sensors: [String: Sensor] = [:]
    /// Another number after each change that is not learned: then the beliefs follow.
    package private(set) var revision: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { sensors.isEmpty }
    package var count: Int { sensors.count }
    /// The ids of the sensors whose room the site does not have.
    package var withoutRoom: [String] { sensors.filter { $0.value.room == nil }.keys.sorted() }

    package func contains(_ id: String) -> Bool { sensors[id] != nil }

    /// Sets the state of a sensor; the same state again changes nothing.
    ///
    /// - Parameter since: when the sensor switched; `nil` if nobody knows, as of a state that the broker retained.
    package mutating func set(isOn: Bool, of id: String, since: Instant?) {
        guard sensors[id]?.isOn != isOn else { return }
        sensors[id, default: Sensor()].isOn = isOn
        sensors[id]?.switchedAt = since
        revision += 1
    }

    package mutating func remove(_ id: String) {
        sensors[id] = nil
        revision += 1
    }

    /// Sensors of rooms that have other names now stay there, with what was counted.
    package mutating func rename(by names: [String: String]) {
        for (id, sensor) in sensors { sensors[id]?.room = sensor.room.map { names[$0] ?? $0 } }
    }

    /// Assigns each sensor to the room that `room` returns for its id. What was counted of another room is forgotten.
    package mutating func assign(_ room: (String) -> String?) {
        for id in sensors.keys {
            let assigned = room(id)
            if let former = sensors[id]?.room, let assigned, former != assigned {
                sensors[id]?.inside = Counts()
                sensors[id]?.outside = Counts()
            }
            sensors[id]?.room = assigned
        }
        revision += 1
    }

    /// Learns from the belief about one item what the sensors are worth; call this once a second while the item moves.
    package mutating func learn(from locator: Locator, at now: Instant) {
        guard !sensors.isEmpty, let room = locator.roomByGateways(atLeast: Self.clear, at: now) else { return }
        for (id, sensor) in sensors where sensor.room != nil {
            let showing = sensor.showing(at: now)
            if sensor.room == room { sensors[id]?.inside[showing] += 1 } else { sensors[id]?.outside[showing] += 1 }
            guard sensor.inside.all + sensor.outside.all > Self.memory else { continue }
            sensors[id]?.inside.halve()
            sensors[id]?.outside.halve()
        }
    }

    /// Calls `body` with each room that has a sensor, and the nats by which the room is likelier than without the sensor.
    func forEachRoom(at now: Instant, _ body: (String, Double) -> Void) {
        for sensor in sensors.values {
            if let room = sensor.room { body(room, sensor.evidence(at: now)) }
        }
    }
}

import Beacons
import Locating
import Messages
import Text

/// What the beliefs about all items depend on: the model of the site, the gateways whose silence counts, those that are deaf, and the sensors of
/// rooms.
///
/// A belief follows when its item is next looked at, so that a gateway that comes or goes costs the same however many items there are.
struct Surroundings: Sendable {
    /// The model that the beliefs adopt.
    var model: LocatorModel {
        didSet {
            version += 1
            assignSensors()
        }
    }
    /// The gateways that are alive and scan, each with the instant from which on its silence counts.
    private(set) var scanning: [String: Instant] = [:]
    /// With which version each gateway stopped to do so.
    private(set) var lost: [String: UInt64] = [:]
    private var deaf: Set<String> = []
    /// Which of the gateways that scan receive anything at all.
    private var reception = Reception()
    /// The occupancy sensors, each by the id of its room.
    private(set) var sensors = OccupancySensors()
    /// The sensors as of their last change, for the beliefs: what is learned since is in none of them, so that all share one copy.
    private(set) var sensorsOfBeliefs = OccupancySensors()
    /// Counts the changes.
    private(set) var version: UInt64 = 1

    init(_ model: LocatorModel) { self.model = model }

    /// Whether the silence of a gateway counts.
    func isScanning(_ gateway: String) -> Bool { scanning[gateway] != nil }

    /// Whether a gateway scans and receives nothing of any item.
    func isDeaf(_ gateway: String) -> Bool { deaf.contains(gateway) }

    mutating func scans(_ gateway: String, since now: Instant) {
        guard scanning[gateway] == nil else { return }
        scanning[gateway] = now
        reception.scans(gateway, since: now)
        version += 1
    }

    /// From now on neither what a gateway ranged nor its silence counts.
    mutating func lost(_ gateway: String) {
        guard scanning.removeValue(forKey: gateway) != nil else { return }
        reception.lost(gateway)
        // Whether the gateway is deaf after it has returned is found out anew.
        deaf.remove(gateway)
        version += 1
        lost[gateway] = version
    }

    /// A gateway received an item, which `nearest` receives best; returns whether the gateway was deaf until now.
    mutating func receives(_ gateway: String, nearest: String?, at now: Instant) -> Bool {
        guard reception.receives(gateway, nearest: nearest, at: now) else { return false }
        set(gateway, isDeaf: false)
        return true
    }

    /// Finds the gateways that scan and receive nothing: their silence stops counting. Called once a second.
    mutating func findDeafGateways(at now: Instant) -> [String] {
        let found = reception.newlyDeaf(at: now)
        for gateway in found { set(gateway, isDeaf: true) }
        return found
    }

    mutating func set(_ gateway: String, isDeaf: Bool) {
        guard isDeaf != deaf.contains(gateway) else { return }
        if isDeaf { deaf.insert(gateway) } else { deaf.remove(gateway) }
        version += 1
    }

    /// Sets the state of a sensor; `since` is when it switched, if that is known.
    mutating func set(isOn: Bool, of sensor: String, since: Instant?) {
        let isNew = !sensors.contains(sensor)
        sensors.set(isOn: isOn, of: sensor, since: since)
        if isNew { assignSensors() }
        sensorsOfBeliefs = sensors
    }

    /// Rooms have other names now.
    mutating func rename(by names: [String: String]) { sensors.rename(by: names) }

    mutating func forget(sensor: String) {
        sensors.remove(sensor)
        sensorsOfBeliefs = sensors
    }

    /// Learns from the belief about an item what the sensors are worth. The beliefs follow with the next state of a sensor.
    mutating func learnSensors(from locator: Locator, at now: Instant) { sensors.learn(from: locator, at: now) }

    /// A sensor belongs to the only room that has its id.
    private mutating func assignSensors() {
        guard !sensors.isEmpty else { return }
        let rooms = Dictionary(grouping: model.rooms, by: roomID)
        sensors.assign { id in
            guard let named = rooms[id], named.count == 1 else { return nil }
            return named[0]
        }
        sensorsOfBeliefs = sensors
    }

    /// A gateway was removed from the site.
    mutating func forget(_ gateway: String) {
        lost(gateway)
        set(gateway, isDeaf: false)
        lost[gateway] = nil
    }

    /// What `freshLocator` made last, and the version of then. Beliefs that begin alike share memory as long as they are alike.
    private var fresh: (locator: Locator, version: UInt64)?

    /// A belief that knows the site, and of the item nothing yet.
    mutating func freshLocator(at now: Instant) -> Locator {
        if let fresh, fresh.version == version { return fresh.locator.countingSilence(from: now) }
        let locator = makeLocator(at: now)
        fresh = (locator, version)
        return locator
    }

    private func makeLocator(at now: Instant) -> Locator {
        var locator = Locator(model: model)
        for gateway in scanning.keys {
            guard let index = model.index(ofGateway: gateway) else { continue }
            locator.scans(gateway: index, since: now)
            locator.set(isDeaf: isDeaf(gateway), gateway: index)
        }
        return locator
    }

    // MARK: Occupancy sensors

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

import Beacons
import Linux
import Messages
import Synchronization

/// The gateways' latest lists of the beacons in range.
final class NearbyLists: Sendable {
    /// The limit of beacons that are sent.
    static let most = 100
    /// The limit of gateways.
    static let mostGateways = 1024
    /// A list that is older is not sent.
    static let age = Interval.seconds(10)

    private let lists = Mutex<[String: (at: Instant, list: BeaconsResponse)]>([:])

    func add(_ list: BeaconsResponse, from gateway: String, at now: Instant) {
        lists.withLock { lists in
            // Gateways that nobody knows cannot fill it.
            if lists[gateway] == nil, lists.count >= Self.mostGateways { return }
            lists[gateway] = (now, list)
        }
    }

    /// The beacons, the strongest RSSI first, each once with the gateway that receives it best.
    func json(known: [BeaconIdentity: String], at now: Instant) -> [UInt8] {
        struct Row {
            var beacon: ReceivedBeacon
            var gateway: String
            var room: String?
            var age: Double
        }
        let current = lists.withLock { lists in
            lists = lists.filter { now - $0.value.at <= Self.age }
            return lists
        }
        var strongest: [BeaconIdentity: Row] = [:]
        for (gateway, entry) in current {
            for beacon in entry.list.beacons {
                let age = (entry.list.stamp.at - beacon.lastSeenAt).seconds + (now - entry.at).seconds
                let row = Row(beacon: beacon, gateway: gateway, room: entry.list.room, age: max(0, age))
                let former = strongest[beacon.beacon]?.beacon.rssi ?? -.infinity
                if strongest[beacon.beacon] == nil || (beacon.rssi ?? -.infinity) > former {
                    strongest[beacon.beacon] = row
                }
            }
        }
        let rows = strongest.values.sorted {
            ($1.beacon.rssi ?? -.infinity, $0.beacon.beacon) < ($0.beacon.rssi ?? -.infinity, $1.beacon.beacon)
        }
        return jsonList(
            "beacons",
            rows.prefix(Self.most).map { row in
                jsonObject { json in
                    json.field("uuid", row.beacon.beacon.uuid)
                    json.field("major", row.beacon.beacon.major)
                    json.field("minor", row.beacon.beacon.minor)
                    json.field("name", row.beacon.name)
                    json.field("gateway", row.gateway)
                    json.field("room", row.room)
                    json.field("rssi_dbm", row.beacon.rssi, decimals: 1)
                    json.field("measured_power_dbm", row.beacon.measuredPower.dBm)
                    json.field("accuracy_m", row.beacon.accuracy, decimals: 2)
                    json.field("age_s", row.age, decimals: 1)
                    json.key(named: "item")
                    json.element(known[row.beacon.beacon].map { .string($0) } ?? JSONValue.null)
                }
            })
    }
}

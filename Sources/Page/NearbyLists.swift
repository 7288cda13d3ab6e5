import Beacons
import Messages
import SiteClient
import Synchronization

/// The gateways' latest lists of the beacons in range.
final class NearbyLists: Sendable {
    /// The limit of beacons that are sent.
    static let most = 100
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

    /// For each search, the beacons that match, the strongest RSSI first, each once with the gateway that receives it best, and how many more
    /// there are. An empty text matches all.
    func lists(for searches: Set<String>, known: [BeaconIdentity: String], at now: Instant) -> [String: [UInt8]] {
        let current = lists.withLock { lists in
            lists = lists.filter { now - $0.value.at <= Self.age }
            return lists
        }
        let all = NearbyBeacon.merged(current.mapValues(\.list))
        func row(_ nearby: NearbyBeacon) -> [UInt8] {
            let (gateway, room, beacon) = nearby.received[0]
            let age = current[gateway].map {
                ($0.list.stamp.at - beacon.lastSeenAt).seconds + (now - $0.at).seconds
            }
            return jsonObject { json in
                json.fields(of: nearby.beacon)
                json.field("name", nearby.name)
                json.field("gateway", gateway)
                json.field("room", room)
                json.field("rssi_dbm", beacon.rssi, decimals: 1)
                json.field("measured_power_dbm", beacon.measuredPower.dBm)
                json.field("accuracy_m", beacon.accuracy, decimals: 2)
                json.field("age_s", max(0, age ?? 0), decimals: 1)
                json.field("item", known[nearby.beacon].map { .string($0) } ?? JSONValue.null)
            }
        }
        return Dictionary(
            uniqueKeysWithValues: searches.map { search in
                let found = all.filter { $0.matches(search) }
                let list = jsonList("beacons", found.prefix(Self.most).map(row))
                return (search, joined(list, jsonObject { $0.field("more", max(0, found.count - Self.most)) }))
            })
    }
}

import Beacons
import Messages

/// One beacon in range of a site, and the gateways that receive it.
package struct NearbyBeacon {
    package let beacon: BeaconIdentity
    package private(set) var name: String?
    /// What each gateway reports of the beacon, the strongest RSSI first; never empty.
    package private(set) var received: [(gateway: String, room: String?, beacon: ReceivedBeacon)]

    var measuredPower: MeasuredPower { received[0].beacon.measuredPower }
    /// In dBm; minus infinity if no gateway knows an RSSI.
    var rssi: Double { received[0].beacon.rssi ?? -.infinity }

    /// Whether each word of a text is the beacon's major or minor, begins its UUID, or is in its name.
    package func matches(_ text: String) -> Bool {
        let words = text.lowercased().split(separator: " ")
        guard !words.isEmpty else { return true }
        let (uuid, name) = ("\(beacon.uuid)".lowercased(), name?.lowercased() ?? "")
        return words.allSatisfy {
            "\(beacon.major)" == $0 || "\(beacon.minor)" == $0 || uuid.hasPrefix($0) || name.contains($0)
        }
    }

    /// Merges the gateways' lists: each beacon once, the strongest RSSI first.
    package static func merged(_ responses: [String: BeaconsResponse]) -> [NearbyBeacon] {
        var found: [BeaconIdentity: NearbyBeacon] = [:]
        for (gateway, response) in responses.sorted(by: { $0.key < $1.key }) {
            for received in response.beacons {
                found[received.beacon, default: NearbyBeacon(beacon: received.beacon, received: [])].received.append(
                    (gateway, response.room, received))
                if let name = received.name { found[received.beacon]?.name = name }
            }
        }
        return found.values.map { beacon in
            var beacon = beacon
            beacon.received.sort { ($0.beacon.rssi ?? -.infinity) > ($1.beacon.rssi ?? -.infinity) }
            return beacon
        }.sorted { ($1.rssi, $0.beacon) < ($0.rssi, $1.beacon) }
    }
}

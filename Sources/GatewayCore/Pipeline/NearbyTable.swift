import Beacons

/// The beacons received in the last minute, monitored or not: for the responses to `beacons`, for `nearby` and for `scan`.
///
/// At most `capacity` beacons: the one received longest ago makes room.
package struct NearbyTable: Sendable {
    package static let memory = Interval.seconds(60)
    package static let capacity = 1000

    /// The recent sightings of one beacon.
    package struct Entry: Sendable {
        package var measuredPower: MeasuredPower
        package var address: DeviceAddress
        package var name: String?
        /// The moving mean of the RSSI in dBm: each sighting counts for a fifth.
        package var rssi: Double?
        package var strongest: RSSI?
        package var sightings: UInt64 = 0
        package var firstSeen: Instant
        package var lastSeen: Instant
    }

    private var table: RecencyTable<BeaconIdentity, Entry>

    package init(capacity: Int = capacity) {
        table = RecencyTable(capacity: capacity)
    }

    /// The number of beacons in the table, however old.
    package var count: Int { table.count }

    package mutating func receive(_ sighting: Sighting) {
        table.touch(
            sighting.beacon,
            default: Entry(
                measuredPower: sighting.measuredPower, address: sighting.address, firstSeen: sighting.at,
                lastSeen: sighting.at)
        ) { entry in
            entry.measuredPower = sighting.measuredPower
            entry.address = sighting.address
            entry.lastSeen = sighting.at
            entry.sightings += 1
            if let rssi = sighting.rssi {
                let value = Double(rssi.dBm)
                entry.rssi = entry.rssi.map { $0 + (value - $0) / 5 } ?? value
                entry.strongest = max(entry.strongest ?? rssi, rssi)
            }
        }
    }

    package mutating func name(_ beacon: BeaconIdentity, _ name: String) {
        table.update(beacon) { $0.name = name }
    }

    /// Returns the beacons received since `earliest`, strongest first, those without an RSSI last.
    package func received(since earliest: Instant) -> [(beacon: BeaconIdentity, entry: Entry)] {
        table.entries.filter { $0.value.lastSeen >= earliest }
            .sorted { ($0.value.rssi ?? -.infinity, $1.key) > ($1.value.rssi ?? -.infinity, $0.key) }
            .map { ($0.key, $0.value) }
    }
}

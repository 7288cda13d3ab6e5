import Beacons
import Messages

/// A device in range that is not a beacon, for `scan --all`.
struct Stranger {
    var address: DeviceAddress
    var name: String?
    /// The company id of its manufacturer data (Assigned Numbers, 7.1); `nil` without such data.
    var company: UInt16?
    /// The moving mean of its RSSI: each advertisement counts for a fifth.
    var rssi: Double?
    /// The number of its advertisements.
    var count: UInt64 = 0
    var firstSeen: Instant
    var lastSeen: Instant

    init(_ advertisement: Advertisement) {
        address = advertisement.address
        firstSeen = advertisement.at
        lastSeen = advertisement.at
    }

    mutating func receive(_ advertisement: Advertisement, _ data: RawSpan) {
        lastSeen = advertisement.at
        count += 1
        if let value = advertisement.rssi.map({ Double($0.dBm) }) {
            rssi = rssi.map { $0 + (value - $0) / 5 } ?? value
        }
        if let name = LocalName(in: data) { self.name = name.text }
        var structures = ADStructures()
        while let structure = structures.next(in: data) {
            guard structure.type == ADType.manufacturerData, structure.content.count >= 2 else { continue }
            company = data.littleEndian(at: structure.content.lowerBound, as: UInt16.self)
            break
        }
    }

    /// Writes the device as one JSON object, with the same keys as beacons.
    func write(to json: inout JSONWriter, rate: Double?, at moment: Moment) {
        json.object { json in
            json.field("name", name)
            json.field("company_id", company)
            json.field("rssi_dbm", rssi, decimals: 1)
            if address.kind != .anonymous { json.field("address", address.description) }
            json.field("address_type", address.type.rawValue)
            json.field("sightings", count)
            json.field("per_s", rate, decimals: 2)
            json.field("last_seen_at", moment.wall(at: lastSeen))
        }
    }
}

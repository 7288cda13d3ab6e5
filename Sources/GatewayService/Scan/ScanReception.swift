import GatewayCore
import Beacons
import Ranging

/// Receives for `scan`. All beacons are ranged, so each UUID becomes a region; the first thousand UUIDs count.
struct ScanReception {
    var reader = SightingReader()
    private var phones: IdentityResolver
    var ranger: Ranger
    var nearby: NearbyTable
    /// The other devices, if requested. If the table is full, the device that was received longest ago is dropped.
    private(set) var strangers: RecencyTable<DeviceAddress, Stranger>?
    private var uuids: Set<BeaconUUID> = []

    init(ranger: Ranger, nearby: NearbyTable, phones: IdentityKeys, receivesAll: Bool, capacity: Int) {
        self.ranger = ranger
        self.nearby = nearby
        self.phones = IdentityResolver(phones)
        strangers = receivesAll ? RecencyTable(capacity: capacity) : nil
    }

    mutating func receive(_ advertisement: Advertisement, _ data: RawSpan) {
        // A known phone may send a beacon.
        let framed = reader.read(advertisement, data)
        guard let sighting = phones.sighting(of: advertisement) ?? framed else {
            strangers?.touch(advertisement.address, default: Stranger(advertisement)) {
                $0.receive(advertisement, data)
            }
            return
        }
        nearby.receive(sighting)
        if uuids.count < 1000, uuids.insert(sighting.beacon.uuid).inserted {
            ranger.setRegions(uuids.map { Region(id: "\($0)", identifier: "\($0)", scope: .uuid($0)) })
        }
        ranger.receive(sighting)
        let name = phones.name(of: sighting.beacon) ?? LocalName(in: data)?.text
        if let name { nearby.name(sighting.beacon, name) }
    }
}

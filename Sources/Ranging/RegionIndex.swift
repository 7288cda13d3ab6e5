import Beacons

/// Which of some regions a beacon belongs to: one look-up by uuid, then by what is left.
struct RegionIndex: Sendable {
    private struct Owner: Sendable {
        var all: [Int] = []
        var majors: [UInt16: [Int]] = [:]
        var beacons: [UInt32: [Int]] = [:]
    }

    private var owners: [BeaconUUID: Owner] = [:]

    init(_ regions: [Region] = []) {
        for (number, region) in regions.enumerated() {
            switch region.scope {
            case .uuid(let uuid):
                owners[uuid, default: Owner()].all.append(number)
            case .major(let uuid, let major):
                owners[uuid, default: Owner()].majors[major, default: []].append(number)
            case .beacon(let beacon):
                owners[beacon.uuid, default: Owner()].beacons[Self.key(of: beacon), default: []].append(number)
            }
        }
    }

    /// The numbers of the regions that `beacon` belongs to, ascending.
    func regions(of beacon: BeaconIdentity) -> [Int] {
        guard let owner = owners[beacon.uuid] else { return [] }
        var found = owner.all
        if let more = owner.majors[beacon.major] { found += more }
        if let more = owner.beacons[Self.key(of: beacon)] { found += more }
        return found.count < 2 ? found : found.sorted()
    }

    /// Whether a region names exactly this beacon: then its place in a table is never given to another.
    func isConfigured(_ beacon: BeaconIdentity) -> Bool {
        owners[beacon.uuid]?.beacons[Self.key(of: beacon)] != nil
    }

    private static func key(of beacon: BeaconIdentity) -> UInt32 { UInt32(beacon.major) << 16 | UInt32(beacon.minor) }
}

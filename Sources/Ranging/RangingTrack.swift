import Beacons

struct RangingTrack: Sendable {
    var samples: [(rssi: Double, at: Instant)] = []
    var count = 0
    var sum = 0.0
    var measured = 0
    var power: MeasuredPower

    init(_ sighting: Sighting) { power = sighting.measuredPower }

    mutating func note(_ sighting: Sighting) {
        count += 1
        power = sighting.measuredPower
        guard let rssi = sighting.rssi else { return }
        sum += Double(rssi.dBm)
        measured += 1
        samples.append((Double(rssi.dBm), sighting.at))
        if samples.count > 64 { samples.removeFirst() }
    }

    mutating func range(
        _ beacon: BeaconIdentity, _ settings: Ranger.Settings, overridden: MeasuredPower?, at now: Instant
    ) -> RangedBeacon {
        samples.removeAll { now - $0.at > .seconds(5) }
        let level = samples.isEmpty ? nil : samples.map(\.rssi).sorted()[samples.count / 2] + settings.rssiOffset
        let reference = overridden ?? power
        var accuracy: Double?
        if let level, reference.isPlausible, count > 0 {
            accuracy = settings.pathLoss.distance(level: level, power: reference)
        }
        let proximity: Proximity =
            switch accuracy {
            case nil: .unknown
            case .some(..<0.5): .immediate
            case .some(..<4): .near
            default: .far
            }
        defer { (count, sum, measured) = (0, 0, 0) }
        return RangedBeacon(
            identity: beacon, proximity: proximity, accuracyMetres: accuracy, rssiMean: measured > 0 ? sum / Double(measured) : nil,
            sightings: count, measuredPower: power, addresses: 1, at: now)
    }
}

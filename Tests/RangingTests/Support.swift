import Beacons

@testable import Ranging

/// The moment so many seconds after a test's clock began.
func second(_ count: Double) -> Instant { .zero + .seconds(count) }

let owner = BeaconUUID(high: 0xDAF2_46CE_8363_11E4, low: 0xB116_123B_93F7_5CBA)
let bag = BeaconIdentity(uuid: owner, major: 1, minor: 1)
let bike = BeaconIdentity(uuid: owner, major: 1, minor: 2)
let keys = BeaconIdentity(uuid: owner, major: 1, minor: 3)
let cat = BeaconIdentity(uuid: owner, major: 2, minor: 1)

let bags = Region(id: "bags", identifier: "Bags", scope: .major(owner, 1))
let everything = Region(id: "everything", identifier: "Everything", scope: .uuid(owner))

/// The region of one beacon.
func region(_ id: String, _ beacon: BeaconIdentity, isImplicit: Bool = false) -> Region {
    Region(id: id, identifier: id, scope: .beacon(beacon), isImplicit: isImplicit)
}

func sighting(
    _ beacon: BeaconIdentity, at seconds: Double, rssi: Int8 = -60, power: Int8 = -59, from address: UInt64 = 1
) -> Sighting {
    Sighting(
        beacon: beacon, rssi: RSSI(dBm: rssi), measuredPower: MeasuredPower(dBm: power),
        address: DeviceAddress(bits: address, kind: .random), at: second(seconds))
}

/// A monitor with a fixed exit time that scans for these regions from 0 s on.
func scanning(
    to regions: [Region], exitAfter: ExitAfter = .fixed(.seconds(10)), enterRSSI: Int8 = -100, enterSightings: Int = 1,
    memberLimit: Int = 1000
) -> Monitor {
    var monitor = Monitor(
        Monitor.Settings(
            exitAfter: exitAfter, enterRSSI: RSSI(dBm: enterRSSI)!, enterSightings: enterSightings,
            memberLimit: memberLimit),
        at: .zero)
    _ = monitor.setRegions(regions, at: .zero)
    _ = monitor.radio(scanning: true, at: .zero)
    return monitor
}

extension Monitor {
    /// Receives a beacon; returns the outcome in short.
    mutating func received(_ beacon: BeaconIdentity, at seconds: Double, rssi: Int8 = -60) -> [String] {
        (receive(sighting(beacon, at: seconds, rssi: rssi)) ?? []).map(\.short)
    }

    /// Lets time pass while another beacon is received every second, so that nobody doubts the radio.
    mutating func passed(_ range: ClosedRange<Int>) -> [String] {
        var all: [String] = []
        for moment in range {
            receivedSomething(at: second(Double(moment)))
            all += advance(to: second(Double(moment))).map(\.short)
        }
        return all
    }

    func state(ofRegion id: String) -> MonitoringState? { regionStatuses.first { $0.region.id == id }?.state }
}

extension MonitorOutput {
    /// `bag 1/1 enter @3`: who, what, and the second at which it happened.
    var short: String {
        switch self {
        case .beacon(let it):
            "\(it.identity.major)/\(it.identity.minor) \(it.event?.rawValue ?? it.state.rawValue) @\(it.at.seconds)"
        case .region(let it): "\(it.region.id) \(it.event?.rawValue ?? it.state.rawValue) @\(it.at.seconds)"
        case .proofRequested: "proof"
        }
    }

    var beacon: BeaconTransition? {
        if case .beacon(let it) = self { it } else { nil }
    }

    var region: RegionTransition? {
        if case .region(let it) = self { it } else { nil }
    }
}

extension Instant {
    /// Seconds, without a fraction where there is none.
    var seconds: String {
        nanoseconds % 1_000_000_000 == 0
            ? String(nanoseconds / 1_000_000_000) : String(Double(nanoseconds) / 1e9)
    }
}

/// A ranger of these regions, whose distance is 1 m at -59 dBm and ten times as much for every 20 dB less.
func ranger(
    of regions: [Region] = [bags], filter: Filter = .standard, pathLoss: PathLoss = .logDistance(exponent: 2),
    rssiOffset: Double = 0, memberLimit: Int = 1000
) -> Ranger {
    var ranger = Ranger(
        Ranger.Settings(filter: filter, pathLoss: pathLoss, rssiOffset: rssiOffset, memberLimit: memberLimit))
    ranger.setRegions(regions)
    return ranger
}

extension Ranger {
    /// Receives these sightings; returns what was reported at the end of each window, up to the window of the last sighting.
    mutating func ranged(_ sightings: [Sighting]) -> [RangedBeacon] {
        var all: [RangedBeacon] = []
        for sighting in sightings {
            all += passed(to: sighting.at)
            receive(sighting)
        }
        return nextDeadline.map { all + advance(to: $0) } ?? all
    }

    /// Lets time pass, window by window.
    mutating func passed(to now: Instant) -> [RangedBeacon] {
        var all: [RangedBeacon] = []
        while let deadline = nextDeadline, deadline <= now { all += advance(to: deadline) }
        return all
    }
}

/// The bag received from `start` on so often, each time with the next of these RSSI.
func bag(received rssi: [Int8], from start: Double = 0, every seconds: Double = 1, power: Int8 = -59) -> [Sighting] {
    rssi.enumerated().map { number, rssi in
        sighting(bag, at: start + Double(number) * seconds, rssi: rssi, power: power)
    }
}

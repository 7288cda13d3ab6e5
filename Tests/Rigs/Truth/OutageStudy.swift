import Beacons
import Ranging

/// Tags that stay, and a radio that is deaf for some time in every hour.
struct OutageStudy {
    private(set) var exits = 0.0
    private(set) var enters = 0.0
    private(set) var unknowns = 0.0

    private var monitor = Monitor(at: .zero)
    private let seconds: Double
    private let isReported: Bool
    /// From when to when the radio is deaf, and whether the monitor knows.
    private var deaf: (from: Double, to: Double)
    private var random = Random(seed: 3)

    private static let uuid = BeaconUUID(high: 1, low: 2)
    private static let intervals = [0.5, 0.5, 1, 1, 1, 1, 2, 2, 5, 5]
    init(seconds: Double, isReported: Bool, days: Double) {
        self.seconds = seconds
        self.isReported = isReported
        deaf = (from: 14_400, to: 14_400 + seconds)
        _ = monitor.setRegions([Region(id: "tags", identifier: "Tags", scope: .uuid(Self.uuid))], at: .zero)
        _ = monitor.radio(scanning: true, at: .zero)
        var upcoming = Self.intervals.map { random.unit() * $0 }
        while true {
            let tag = upcoming.indices.min { upcoming[$0] < upcoming[$1] }!
            let time = upcoming[tag]
            guard time < days * 86_400 else { return }
            upcoming[tag] += Self.intervals[tag] + random.unit() * 0.01
            pass(to: time)
            let arrives = random.unit() <= 0.6
            if arrives, time < deaf.from { receive(tag, at: time) }
        }
    }

    private mutating func receive(_ tag: Int, at time: Double) {
        count(
            monitor.receive(
                Sighting(
                    beacon: BeaconIdentity(uuid: Self.uuid, major: 1, minor: UInt16(tag)), rssi: RSSI(dBm: -70),
                    measuredPower: MeasuredPower(dBm: -59), address: DeviceAddress(bits: UInt64(tag), kind: .random),
                    at: Self.instant(time))) ?? [], at: Self.instant(time))
    }

    /// Deadlines, and the radio's outages, up to a moment.
    private mutating func pass(to time: Double) {
        while true {
            let isToFall = isReported && monitor.isScanning && time >= deaf.from
            let change = isToFall ? deaf.from : deaf.to
            if let deadline = monitor.nextDeadline, deadline < Self.instant(min(time, change)) {
                count(monitor.advance(to: deadline), at: deadline)
            } else if change > time {
                return
            } else if isToFall, deaf.to > deaf.from {
                count(monitor.radio(scanning: false, at: Self.instant(change)), at: Self.instant(change))
            } else {
                count(monitor.radio(scanning: true, at: Self.instant(change)), at: Self.instant(change))
                deaf = (from: change + 3600, to: change + 3600 + seconds)
            }
        }
    }

    private mutating func count(_ transitions: [MonitorOutput], at now: Instant) {
        for transition in transitions {
            if transition.isExit { exits += 1 }
            if transition.isEnter { enters += 1 }
            guard case .proofRequested = transition else { continue }
            let isDead = now >= Self.instant(deaf.from) && now < Self.instant(deaf.to)
            if isDead { unknowns += 1 }
            count(isDead ? monitor.radio(scanning: false, at: now) : monitor.proven(at: now), at: now)
        }
    }

    private static func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
}

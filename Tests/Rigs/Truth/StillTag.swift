import Beacons
import Glibc
import Ranging

/// A still tag, and one gateway that ranges it: how often the reported class changes.
struct StillTag {
    /// What makes its level move nevertheless, in dB.
    struct Air {
        var name: String
        /// Standard deviation of what changes slowly, and after how many seconds it is another.
        var flutter: Double
        var flutterTime: Double
        /// Standard deviation from one sighting to the next.
        var fading: Double
        /// Somebody passes: seconds from one time to the next, how long it lasts, and what it takes.
        var passing: (every: Double, lasting: Double, loss: Double)?
    }

    private static let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
    private static let power = MeasuredPower(dBm: -59)

    /// How often a class was reported that differs from the one before, and how often none: `unknown`.
    private(set) var changes = 0.0
    private(set) var lapses = 0.0
    private var known = Proximity.unknown
    private var reported = Proximity.unknown
    private var ranger = Ranger()

    /// Follows it for so many hours, where the model takes its mean level for `metres`: the model's own error is not what is asked.
    init(_ air: Air, interval: Double, reception: Double, metres: Double, hours: Double) {
        ranger.setRegions([Region(id: "tag", identifier: "Tag", scope: .beacon(Self.identity))])
        var random = Random(seed: UInt64(metres * 1000) &* 31 &+ UInt64(interval * 1000) &+ UInt64(reception * 10))
        let mean = Self.level(at: metres)
        var (time, flutter, passed) = (0.0, 0.0, 0.0)
        var passes = random.exponential(mean: air.passing?.every ?? .infinity)
        while time < hours * 3600 {
            let step = interval + random.unit() * 0.01
            time += step
            let memory = exp(-step / air.flutterTime)
            flutter = flutter * memory + air.flutter * (1 - memory * memory).squareRoot() * random.gaussian()
            if let passing = air.passing, time > passes {
                passed = passes + random.exponential(mean: passing.lasting)
                passes = passed + random.exponential(mean: passing.every)
            }
            guard random.unit() <= reception else { continue }
            let body = time < passed ? air.passing?.loss ?? 0 : 0
            receive(mean + flutter + air.fading * random.gaussian() - body, at: Instant(nanoseconds: Int64(time * 1e9)))
        }
    }

    private mutating func receive(_ level: Double, at now: Instant) {
        while let deadline = ranger.nextDeadline, deadline <= now {
            for ranged in ranger.advance(to: deadline) where ranged.proximity != reported {
                reported = ranged.proximity
                if reported == .unknown {
                    lapses += 1
                } else {
                    if known != .unknown, reported != known { changes += 1 }
                    known = reported
                }
            }
        }
        ranger.receive(
            Sighting(
                beacon: Self.identity, rssi: RSSI(dBm: Int8(max(-127, min(20, level.rounded())))),
                measuredPower: Self.power, address: DeviceAddress(bits: 1, kind: .random), at: now))
    }

    /// The level that the standard model takes for this distance.
    private static func level(at metres: Double) -> Double {
        var (low, high) = (-150.0, 50.0)
        while high - low > 1e-6 {
            let middle = (low + high) / 2
            if PathLoss.standard.distance(level: middle, power: power) > metres { low = middle } else { high = middle }
        }
        return low
    }
}

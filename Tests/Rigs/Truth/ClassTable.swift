import Beacons
import Glibc
import Ranging

/// How often a tag is `near`, by its true distance, and whether that depends on how often it sends.
enum ClassTable {
    private static let distances = [2.0, 3, 3.5, 4, 4.5, 5, 7]
    private static let power: Int8 = -59
    private static let tags = 200
    private static let seconds = 1200.0

    static func print() async {
        Swift.print(
            "\nShare of the time in which a tag is `near`, by its true distance in metres: measured power as claimed, Rician fading (K = 4)"
        )
        Swift.print(
            "and shadowing of 3 dB, which differs from tag to tag. \(tags) tags of 20 min for each figure, 60 % received.\n"
        )
        Swift.print("exponent   T/s" + distances.map { Column.number($0, width: 8) }.joined())
        let rows: [(exponent: Double, interval: Double)] = [2.0, 2.5, 3].flatMap { exponent in
            [0.2, 1, 5, 10].map { (exponent, $0) }
        }
        let shares = await concurrently(rows) { row in
            distances.map { share(at: $0, exponent: row.exponent, interval: row.interval) }
        }
        for ((exponent, interval), figures) in zip(rows, shares) {
            Swift.print(
                Column.number(exponent, width: 8),
                Column.number(interval, width: 5)
                    + figures.map { Column.number($0, decimals: 2, width: 8) }.joined())
        }
    }

    private static func share(at metres: Double, exponent: Double, interval: Double) -> Double {
        var random = Random(seed: UInt64(metres * 1000) &* 31 &+ UInt64(interval * 1000) &+ UInt64(exponent * 100_000))
        let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        var (near, all) = (0.0, 0.0)
        for _ in 0..<tags {
            var ranger = Ranger()
            ranger.setRegions([Region(id: "tag", identifier: "Tag", scope: .beacon(identity))])
            let level = Double(power) - 10 * exponent * log10(metres) + 3 * random.gaussian()
            var time = 0.0
            while time < seconds {
                time += interval + random.unit() * 0.01
                let now = Instant(nanoseconds: Int64(time * 1e9))
                while let deadline = ranger.nextDeadline, deadline <= now {
                    for ranged in ranger.advance(to: deadline) where ranged.proximity != .unknown {
                        all += 1
                        if ranged.proximity == .near { near += 1 }
                    }
                }
                guard random.unit() <= 0.6 else { continue }
                let rssi = (level + fading(&random)).rounded()
                ranger.receive(
                    Sighting(
                        beacon: identity, rssi: RSSI(dBm: Int8(max(-127, min(20, rssi)))),
                        measuredPower: MeasuredPower(dBm: power), address: DeviceAddress(bits: 1, kind: .random),
                        at: now))
            }
        }
        return near / all
    }

    /// Rician fading in dB about its mean power: a direct path four times as strong as all others together.
    private static func fading(_ random: inout Random) -> Double {
        let (direct, spread) = ((4.0 / 5).squareRoot(), (0.5 / 5).squareRoot())
        let (real, imaginary) = (direct + spread * random.gaussian(), spread * random.gaussian())
        return 10 * log10(real * real + imaginary * imaginary)
    }
}

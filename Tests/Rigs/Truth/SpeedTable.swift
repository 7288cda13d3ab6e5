import Beacons
import Glibc
import Ranging

/// What monitoring and ranging cost, per sighting and in beacon-hours per CPU-minute.
enum SpeedTable {
    static func print() {
        let (beacons, hours) = (1000, Int(getenv("H").map { atoi($0) } ?? 4))
        var random = Random(seed: 1)
        let tags = (0..<beacons).map { BeaconIdentity(uuid: BeaconUUID(high: 7, low: 7), major: 1, minor: UInt16($0)) }
        Swift.print("\n\(beacons) beacons of one region, 1 Hz, 60 % heard, \(hours) hours of them; CPU time.\n")
        var (sightings, drawing) = (0.0, cpu())
        for _ in 0..<hours * 3600 * beacons where random.unit() <= 0.6 { sightings += 1 }
        drawing = cpu() - drawing

        for (name, isMonitored, isRanged) in [
            ("monitoring", true, false), ("ranging", false, true), ("both", true, true),
        ] {
            random = Random(seed: 1)
            var monitor = Monitor(at: .zero)
            var ranger = Ranger()
            let region = Region(id: "all", identifier: "All", scope: .major(tags[0].uuid, 1))
            _ = monitor.setRegions([region], at: .zero)
            ranger.setRegions([region])
            _ = monitor.radio(scanning: true, at: .zero)
            var events = 0
            let start = cpu()
            for second in 0..<hours * 3600 {
                for (number, tag) in tags.enumerated() where random.unit() <= 0.6 {
                    let at = Instant(nanoseconds: Int64(second) * 1_000_000_000 + Int64(number) * 1_000_000)
                    let sighting = Sighting(
                        beacon: tag, rssi: RSSI(dBm: -70), measuredPower: MeasuredPower(dBm: -59),
                        address: DeviceAddress(bits: UInt64(number), kind: .random), at: at)
                    if isMonitored { events += monitor.receive(sighting)?.count ?? 0 }
                    if isRanged { ranger.receive(sighting) }
                }
                let end = Instant(milliseconds: Int64(second + 1) * 1000)
                if isMonitored { events += monitor.advance(to: end).count }
                if isRanged { events += ranger.advance(to: end).count }
            }
            let spent = cpu() - start - drawing
            let perMinute = Double(beacons * hours) / spent * 60
            Swift.print(
                Column.left(name, width: 11), Column.number(spent / sightings * 1e9, decimals: 0), "ns per sighting,",
                Column.number(perMinute, decimals: 0, width: 9), "beacon-hours per CPU-minute,", events, "results")
        }
    }

    private static func cpu() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

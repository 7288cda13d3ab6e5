import Beacons
import Ranging

/// How soon a tag that comes is reported inside.
enum EnterTable {
    private struct Row {
        var interval: Double
        var reception: Double
    }

    private static let arrivals = 2000
    private static let confirmations = [1, 2, 3]
    private static let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)

    static func print() async {
        Swift.print(
            "\nDelay of an enter in seconds, from the first advertisement in range: median and p99 of \(arrivals) arrivals.\n"
        )
        Swift.print(
            " T/s    p" + confirmations.map { Column.right("enter_sightings = \($0)", width: 26) }.joined())
        let rows = [0.1, 1, 5].flatMap { interval in
            [0.3, 0.6, 0.9].map { Row(interval: interval, reception: $0) }
        }
        let all = await concurrently(rows) { row in confirmations.map { delays(row, confirmed: $0) } }
        for (row, delays) in zip(rows, all) {
            let columns = delays.map {
                Column.number(ExitStudy.quantile(0.5, of: $0), decimals: 2, width: 18)
                    + Column.number(ExitStudy.quantile(0.99, of: $0), decimals: 1, width: 8)
            }
            Swift.print(
                Column.number(row.interval, width: 4), Column.number(row.reception, width: 4) + columns.joined())
        }
    }

    /// The delays of many arrivals at one monitor each, sorted.
    private static func delays(_ row: Row, confirmed sightings: Int) -> [Double] {
        (0..<arrivals).map { delay(row, confirmed: sightings, seed: UInt64($0)) }.sorted()
    }

    private static func delay(_ row: Row, confirmed sightings: Int, seed: UInt64) -> Double {
        var random = Random(seed: seed)
        var monitor = Monitor(Monitor.Settings(enterSightings: sightings), at: .zero)
        _ = monitor.setRegions([Region(id: "tag", identifier: "Tag", scope: .beacon(identity))], at: .zero)
        _ = monitor.radio(scanning: true, at: .zero)
        var time = 0.0
        while true {
            if random.unit() <= row.reception {
                let sighting = Sighting(
                    beacon: identity, rssi: RSSI(dBm: -70), measuredPower: MeasuredPower(dBm: -59),
                    address: DeviceAddress(bits: 1, kind: .random), at: .zero + .seconds(time))
                if monitor.receive(sighting)?.contains(where: \.isEnter) == true { return time }
            }
            time += row.interval + random.unit() * 0.01
        }
    }
}

extension MonitorOutput {
    /// Whether a beacon entered.
    var isEnter: Bool { isBeacon(.enter) }
    /// Whether a beacon exited.
    var isExit: Bool { isBeacon(.exit) }

    private func isBeacon(_ event: Event) -> Bool {
        if case .beacon(let beacon) = self { beacon.event == event } else { false }
    }
}

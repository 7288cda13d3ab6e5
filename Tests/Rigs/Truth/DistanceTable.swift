import Beacons
import Glibc
import Ranging

/// The mean error of the estimated distance on twelve receivers in one room, for each filter and model.
enum DistanceTable {
    /// The assumed RSSI of the tag at 1 m, in dBm: the recording does not have it.
    private static let power: Int8 = -59
    private static let otherPowers: [Int8] = [-53, -56, -59, -62, -65]
    private static let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)

    private static let filters: [(name: String, filter: Filter)] = [
        ("none", .none),
        ("median 3 s", .median(window: .seconds(3))),
        ("median 5 s", .median(window: .seconds(5))),
        ("median 10 s", .median(window: .seconds(10))),
        ("kalman 1/30", .kalman(drift: 1, noise: 30)),
        ("kalman 2/30", .kalman(drift: 2, noise: 30)),
    ]
    private static let models: [(name: String, model: PathLoss)] = [
        ("log 2.0", .logDistance(exponent: 2)), ("log 2.5", .logDistance(exponent: 2.5)), ("altbeacon", .altBeacon),
        ("room", .standard),
    ]

    /// A window's estimate beside the truth.
    private struct Estimate {
        var receiver: String
        var metres: Double
        var truth: Double
    }

    /// Coefficients by which ln d = intercept + slope (power - rssi - offset of the receiver).
    private struct Calibration {
        var intercept: Double
        var slope: Double
        var offsets: [String: Double]
    }

    static func print(bars: inout Bars) {
        let tracks = Track.tetam()
        guard !tracks.isEmpty else {
            Swift.print("\nDistances: skipped, the recording tetam is not in \(Track.folder).")
            return
        }
        Swift.print(
            "\nMean error of the distance in metres: twelve receivers in one room, measured power taken as -59 dBm.")
        Swift.print("Calibrated: inverse regression, one slope, an offset per receiver, from the other three tracks.\n")
        Swift.print(
            Column.left("filter", width: 12)
                + (["constant"] + models.map(\.name) + ["pooled", "calibrated"]).map { Column.right($0, width: 11) }
                .joined())
        for (name, filter) in filters {
            var errors = [constant(tracks, filter)]
            for (_, model) in models { errors.append(error(tracks.flatMap { estimates($0, filter, model) })) }
            for byReceiver in [false, true] { errors.append(calibrated(tracks, filter, byReceiver: byReceiver)) }
            Swift.print(
                Column.left(name, width: 12) + errors.map { Column.number($0, decimals: 2, width: 11) }.joined())
        }
        let guess = constant(tracks, .standard)
        let uncalibrated = error(tracks.flatMap { estimates($0, .standard, .standard) })
        let calibrated = calibrated(tracks, .standard, byReceiver: true)
        Swift.print(
            "\nThe default, against the best constant:"
                + bars.figure(uncalibrated, below: guess, of: "distance, default", decimals: 2)
                + " calibrated:" + bars.figure(calibrated, below: 2.3, of: "distance, calibrated", decimals: 2))
        let byPower = otherPowers.map { power in
            let metres = error(tracks.flatMap { estimates($0, .standard, .standard, power: power) })
            return "\(power):" + Column.number(metres, decimals: 2, width: 5)
        }
        Swift.print(
            "The default where another measured power is taken, in dBm: " + byPower.joined(separator: "  "))
    }
}

extension DistanceTable {
    /// Runs the ranger of each receiver over a track.
    private static func estimates(
        _ track: Track, _ filter: Filter, _ model: PathLoss, offsets: [String: Double] = [:],
        power: Int8 = power
    ) -> [Estimate] {
        var estimates: [Estimate] = []
        for receiver in Set(track.values.map(\.receiver)).sorted() {
            var ranger = Ranger(
                Ranger.Settings(filter: filter, pathLoss: model, rssiOffset: offsets[receiver] ?? 0))
            ranger.setRegions([Region(id: "tag", identifier: "Tag", scope: .beacon(identity))])
            var truth = 0.0
            for value in track.values where value.receiver == receiver {
                let at = Instant(milliseconds: value.milliseconds)
                while let deadline = ranger.nextDeadline, deadline <= at {
                    for ranged in ranger.advance(to: deadline) where ranged.sightings > 0 {
                        guard let metres = ranged.accuracyMetres else { continue }
                        estimates.append(Estimate(receiver: receiver, metres: metres, truth: truth))
                    }
                }
                truth = value.metres
                ranger.receive(
                    Sighting(
                        beacon: identity, rssi: RSSI(dBm: value.rssi), measuredPower: MeasuredPower(dBm: power),
                        address: DeviceAddress(bits: 1, kind: .public), at: at))
            }
        }
        return estimates
    }

    private static func error(_ estimates: [Estimate]) -> Double {
        estimates.reduce(0) { $0 + abs($1.metres - $1.truth) } / Double(estimates.count)
    }

    /// The best that one number can do: the median of the true distances.
    private static func constant(_ tracks: [Track], _ filter: Filter) -> Double {
        let truths = tracks.flatMap { estimates($0, filter, .standard).map(\.truth) }.sorted()
        let middle = truths[truths.count / 2]
        return truths.reduce(0) { $0 + abs($1 - middle) } / Double(truths.count)
    }

    /// Each track with coefficients from the others.
    private static func calibrated(_ tracks: [Track], _ filter: Filter, byReceiver: Bool) -> Double {
        error(
            tracks.indices.flatMap { left in
                let others = tracks.indices.filter { $0 != left }.flatMap { excesses(tracks[$0], filter) }
                let found = calibrate(others, byReceiver: byReceiver)
                let model = PathLoss.inverseRegression(intercept: found.intercept, slope: found.slope)
                return estimates(tracks[left], filter, model, offsets: found.offsets)
            })
    }

    /// What is missing of the measured power in dB, in place of metres: found through a model of which it is the logarithm.
    private static func excesses(_ track: Track, _ filter: Filter) -> [Estimate] {
        let scale = 0.05
        return estimates(track, filter, .inverseRegression(intercept: 0, slope: scale)).map {
            Estimate(receiver: $0.receiver, metres: log($0.metres) / scale, truth: $0.truth)
        }
    }

    private static func calibrate(_ seen: [Estimate], byReceiver: Bool) -> Calibration {
        let groups = Dictionary(grouping: seen) { byReceiver ? $0.receiver : "" }
        var (covariance, variance) = (0.0, 0.0)
        var means: [String: (excess: Double, distance: Double)] = [:]
        for (name, group) in groups {
            let count = Double(group.count)
            let excess = group.reduce(0) { $0 + $1.metres } / count
            let distance = group.reduce(0) { $0 + log($1.truth) } / count
            means[name] = (excess, distance)
            for one in group {
                covariance += (one.metres - excess) * (log(one.truth) - distance)
                variance += (one.metres - excess) * (one.metres - excess)
            }
        }
        let slope = covariance / variance
        let intercepts = means.mapValues { $0.distance - slope * $0.excess }
        let intercept = intercepts.values.reduce(0, +) / Double(intercepts.count)
        return Calibration(
            intercept: intercept, slope: slope, offsets: intercepts.mapValues { (intercept - $0) / slope })
    }
}

import Beacons
import Ranging

/// What a rule makes of a scene: how often it says exit of a tag that is there, and how long it waits for one that has gone.
struct ExitStudy {
    var falseExits = 0.0
    var beaconDays = 0.0
    var byDay = [Double](repeating: 0, count: 10)
    /// The silences required at random moments, in seconds.
    var silences: [Double] = []

    var rate: Double { beaconDays > 0 ? falseExits / beaconDays : 0 }

    /// The one-sided 95 % bound of the rate: a gamma quantile by Wilson and Hilferty's approximation.
    var upperRate: Double {
        let shape = falseExits + 1
        let cube = 1 - 1 / (9 * shape) + 1.645 / (3 * shape.squareRoot())
        return shape * cube * cube * cube / beaconDays
    }

    func silence(quantile: Double) -> Double {
        guard !silences.isEmpty else { return .nan }
        return silences.sorted()[Int(Double(silences.count - 1) * quantile)]
    }

    /// Rates count after an hour, delays after three hours of listening.
    static let countedAfter = 3600.0
    static let askedAfter = 10_800.0

    /// Follows one learning tag for so many days.
    mutating func follow(_ scene: Scene, perDay: Double, days: Double, seed: UInt64) {
        var channel = Channel(scene, seed: seed)
        var random = Random(seed: seed ^ 0x5151)
        var model = SilenceModel(falseExitsPerDay: perDay)
        let end = days * 86_400
        var asked = Self.askedAfter + random.unit() * 600
        var leaves = scene.absences > 0 ? random.exponential(mean: 86_400 / scene.absences) : .infinity
        while channel.time < end {
            if channel.time >= asked {
                silences.append(model.estimate)
                asked += 600 + random.unit() * 600
            }
            if channel.time >= leaves {
                let length = scene.absence.lowerBound + random.unit() * (scene.absence.upperBound - scene.absence.lowerBound)
                channel.skip(absence: length)
                leaves = channel.time + length + random.exponential(mean: 86_400 / scene.absences)
                model.learn(.seconds(channel.next()))
                continue
            }
            let gap = channel.next()
            if gap > 3 * model.interval, channel.time > Self.countedAfter, gap > model.estimate { falseExits += 1; byDay[min(9, Int(channel.time / 86_400 * 2))] += 1 }
            model.learn(.seconds(gap))
        }
        beaconDays += (end - Self.countedAfter) / 86_400
    }

    /// The same for fixed times, at once: what each says of the same gaps.
    static func fixed(_ times: [Double], _ scene: Scene, days: Double, seed: UInt64) -> [ExitStudy] {
        var channel = Channel(scene, seed: seed)
        var studies = times.map { ExitStudy(beaconDays: days, silences: [$0]) }
        let least = times.min()!
        while channel.time < days * 86_400 {
            let gap = channel.next()
            guard gap > least else { continue }
            for number in times.indices where gap > times[number] { studies[number].falseExits += 1 }
        }
        return studies
    }
}

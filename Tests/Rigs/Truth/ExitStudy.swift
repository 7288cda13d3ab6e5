import Beacons
import Ranging

/// What rules make of a scene: how often they report an exit of a tag that is there, and how long they wait for one that has gone.
struct ExitStudy {
    /// Fixed times that others use, in seconds.
    static let times = [10.0, 30, 60, 180]
    /// Each tag is followed for so many days, from knowing nothing on.
    static let daysPerTag = 5.0
    /// Rates count after an hour, delays after three hours of scanning.
    static let countedAfter = 3600.0
    static let askedAfter = 10_800.0

    let scene: Scene
    let perDay: Double
    private(set) var beaconDays = 0.0
    /// False exits of the learned silence, without and with floor and ceiling, and of the fixed times.
    private(set) var learned = 0.0
    private(set) var reported = 0.0
    private(set) var fixed = [Double](repeating: 0, count: times.count)
    /// The learned silences at random moments, and in proportion to the least; both sorted.
    private(set) var silences: [Double] = []
    private(set) var ratios: [Double] = []

    init(_ scene: Scene, perDay: Double, days: Double, seed: UInt64) {
        self.scene = scene
        self.perDay = perDay
        let least = Least.silence(scene, perDay: perDay)
        for tag in 0..<UInt64(max(1, (days / Self.daysPerTag).rounded())) {
            follow(seed: seed &+ tag &* 7919, least: least)
        }
        silences.sort()
        ratios.sort()
    }

    private mutating func follow(seed: UInt64, least: Double) {
        var channel = SightingGaps(scene, seed: seed)
        var random = Random(seed: ~seed)
        var model = SilenceModel(falseExitsPerDay: perDay)
        let end = Self.daysPerTag * 86_400
        var asked = Self.askedAfter + random.unit() * 600
        var leaves = scene.absences > 0 ? random.exponential(mean: 86_400 / scene.absences) : .infinity
        while channel.time < end {
            if channel.time >= asked {
                silences.append(model.estimate)
                let now = scene.drift == nil ? least : Least.momentary(scene, at: channel.time, perDay: perDay)
                ratios.append(model.estimate / now)
                asked += 600 + random.unit() * 600
            }
            let isAway = channel.time >= leaves
            if isAway {
                let absence = random.uniform(in: scene.absence)
                channel.skip(absence: absence)
                leaves = channel.time + absence + random.exponential(mean: 86_400 / scene.absences)
            }
            let gap = channel.next()
            if !isAway, channel.time > Self.countedAfter { judge(gap, by: model) }
            model.learn(.seconds(gap))
        }
        beaconDays += (end - Self.countedAfter) / 86_400
    }

    private mutating func judge(_ gap: Double, by model: SilenceModel) {
        // Nothing requires less than three intervals.
        guard gap > 3 * model.interval else { return }
        let estimate = model.estimate
        if gap > estimate { learned += 1 }
        if gap > min(max(estimate, SilenceModel.floor.seconds), SilenceModel.ceiling.seconds) { reported += 1 }
        for (number, time) in Self.times.enumerated() where gap > time { fixed[number] += 1 }
    }

    /// The value that a share of all is below.
    static func quantile(_ share: Double, of sorted: [Double]) -> Double {
        sorted.isEmpty ? .nan : sorted[Int(Double(sorted.count - 1) * share)]
    }

    /// The one-sided 95 % bound of a rate: a gamma quantile by Wilson and Hilferty's approximation.
    static func upper(_ count: Double, in days: Double) -> Double {
        let shape = count + 1
        let root = 1 - 1 / (9 * shape) + 1.645 / (3 * shape.squareRoot())
        return shape * root * root * root / days
    }
}

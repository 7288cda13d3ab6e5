import Glibc

/// When one tag is received: gaps from sighting to sighting, each drawn at once however many advertisements are lost in it.
///
/// The scene has no geometry, because the tables need years of sightings and the monitor sees times only: `Scene` states which share is
/// received, and not from where. It does the work of `TagChannel`, and differs by intent: losses that drift as a sine and
/// absences from outside, and another reading of the same rules, so that one mistake cannot be in both.
struct SightingGaps {
    let scene: Scene
    /// The time of the last sighting, in seconds.
    private(set) var time = 0.0
    private var random: Random
    private var isOn: [Bool]
    private var ends: [Double]
    private var changes = 0.0
    private var upcoming = 0.0
    private var share = 0.0
    private var losses = 0.0

    init(_ scene: Scene, seed: UInt64) {
        self.scene = scene
        random = Random(seed: seed)
        isOn = scene.troubles.map { _ in false }
        ends = []
        for trouble in scene.troubles { ends.append(random.exponential(mean: trouble.off)) }
        upcoming = random.unit() * scene.interval
        reckon(at: 0)
        _ = next()
    }

    /// The time from the last sighting to the next.
    mutating func next() -> Double {
        while true {
            let u = random.unit()
            var lost = 0.0
            if u > share {
                // Geometric by inversion; u <= share is the case of none lost.
                lost = (log((1 - u) / (1 - share) + 1e-300) * losses).rounded(.down) + 1
                if share <= 0 { lost = .infinity }
            }
            let received = upcoming + delay(lost)
            if received < changes {
                let gap = received - time
                time = received
                upcoming = received + delay(1)
                return gap
            }
            skip(to: changes)
            reckon(at: changes)
        }
    }

    /// Lets the tag be away for some time.
    mutating func skip(absence: Double) {
        let back = time + absence
        while changes < back { reckon(at: changes) }
        upcoming = back
    }

    private mutating func skip(to moment: Double) {
        guard upcoming < moment else { return }
        upcoming += delay(((moment - upcoming) / (scene.interval + 0.01)).rounded(.down))
        while upcoming < moment { upcoming += delay(1) }
    }

    /// How long so many advertisements take, each 0 to 10 ms late.
    private mutating func delay(_ count: Double) -> Double {
        guard count > 0 else { return 0 }
        guard count < .infinity else { return .infinity }
        let jitter = count == 1 ? random.unit() : count / 2 + (count / 12).squareRoot() * (random.unit() * 2 - 1) * 1.7
        return count * scene.interval + max(0, jitter) * 0.01
    }

    private mutating func reckon(at moment: Double) {
        share = scene.reception
        changes = .infinity
        for (number, trouble) in scene.troubles.enumerated() {
            while ends[number] <= moment {
                isOn[number].toggle()
                ends[number] += random.exponential(mean: isOn[number] ? trouble.on : trouble.off)
            }
            if isOn[number] { share *= 1 - trouble.loss }
            changes = min(changes, ends[number])
        }
        if let drift = scene.drift {
            let step = drift.period / 200
            changes = min(changes, ((moment / step).rounded(.down) + 1.0001) * step)
            share *= 1 - drift.depth * (0.5 - 0.5 * cos(2 * .pi * moment / drift.period))
        }
        losses = 1 / log1p(-share)
    }
}

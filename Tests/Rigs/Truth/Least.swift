import Glibc

/// The least silence that any rule could require which knows all of a scene but its state: longer gaps come at the rate given.
enum Least {
    /// In seconds, at so many false exits a day.
    static func silence(_ scene: Scene, perDay rate: Double) -> Double {
        if scene.drift != nil { return drifting(scene, perDay: rate) }
        let interval = scene.interval + 0.005
        let states = 1 << scene.troubles.count
        var shares = [Double](repeating: scene.reception, count: states)
        var prior = [Double](repeating: 1, count: states)
        for state in 0..<states {
            for (bit, trouble) in scene.troubles.enumerated() {
                let isOn = state >> bit & 1 == 1
                if isOn { shares[state] *= 1 - trouble.loss }
                prior[state] *= (isOn ? trouble.on : trouble.off) / (trouble.on + trouble.off)
            }
        }
        // The rate of sightings by state; what of it is followed by so many misses; each step one advertisement more.
        var waiting = (0..<states).map { prior[$0] * shares[$0] * 86_400 / interval }
        var misses = 0.0
        var before = waiting.reduce(0, +)
        while true {
            waiting = step(waiting, scene, interval)
            for state in 0..<states { waiting[state] *= 1 - shares[state] }
            let now = waiting.reduce(0, +)
            misses += 1
            if now <= rate {
                let fraction = log(before / rate) / log(before / now)
                // Half an interval more: a miss is known only when the advertisement is late.
                return (misses - 0.5 + fraction) * interval
            }
            before = now
        }
    }

    private static func step(_ waiting: [Double], _ scene: Scene, _ interval: Double) -> [Double] {
        var now = waiting
        for (bit, trouble) in scene.troubles.enumerated() {
            let sum = 1 / trouble.on + 1 / trouble.off
            let mixed = 1 - exp(-interval * sum)
            let toOn = mixed / trouble.off / sum
            let toOff = mixed / trouble.on / sum
            for state in now.indices where state >> bit & 1 == 0 {
                let (off, on) = (now[state], now[state | 1 << bit])
                now[state] = off * (1 - toOn) + on * toOff
                now[state | 1 << bit] = on * (1 - toOff) + off * toOn
            }
        }
        return now
    }

    /// Knowing the reception of each moment, where it drifts.
    static func momentary(_ scene: Scene, at moment: Double, perDay rate: Double) -> Double {
        let interval = scene.interval + 0.005
        let share =
            scene.reception * (1 - scene.drift!.depth * (0.5 - 0.5 * cos(2 * .pi * moment / scene.drift!.period)))
        return (log(rate * interval / 86_400 / share) / log1p(-share) + 0.5) * interval
    }

    private static func drifting(_ scene: Scene, perDay rate: Double) -> Double {
        (0..<200).map { momentary(scene, at: scene.drift!.period * (Double($0) + 0.5) / 200, perDay: rate) }.sorted()[
            100]
    }
}
